package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

func TestParseCreateParams(t *testing.T) {
	const all = `{"background":false,"include":[],"input":[],"instructions":"i","max_output_tokens":1,"max_tool_calls":1,` +
		`"metadata":{"extra_body":"{\"seed\":1}"},"model":"m","parallel_tool_calls":true,"previous_response_id":null,"prompt":null,` +
		`"reasoning":{"effort":"low"},"service_tier":"flex","store":true,"temperature":0.1,"text":{},"tool_choice":"auto","tools":[],` +
		`"top_logprobs":0,"top_p":1,"truncation":"disabled","user":"u","stream":false}`
	for _, ok := range []string{
		all, `{"input":"hi"}`, `{"input":[]}`, `{"input":"x","stream":null}`, `{"input":"x","tool_choice":{"type":"function","name":"f"}}`,
		`{"input":"x","temperature":"0.5"}`, // Python takes it for a number
		`{"\u0069nput":"x"}`,
		`{"input":"x","context_management":null,"conversation":null,"moderation":null,"prompt_cache_key":null,` + // as newer Python agents write
			`"prompt_cache_retention":null,"safety_identifier":null,"stream_options":null}`,
	} {
		p, err := responses.ParseCreateParams([]byte(ok))
		if err != nil {
			t.Errorf("%s: %v", ok, err)
		}
		if got := string(p.AppendTo(nil)); got != ok {
			t.Errorf("got %s, want %s", got, ok)
		}
	}
}

func TestParseCreateParams_errors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"input missing", `{"model":"m"}`,
			`{"detail":[{"type":"missing","loc":["body","input"],"msg":"Field required","input":{"model":"m"}}]}`},
		{"unknown members, all of them", `{"input":"x","stop":["a"],"seed":9007199254740993}`,
			`{"detail":[{"type":"extra_forbidden","loc":["body","stop"],"msg":"Extra inputs are not permitted","input":["a"]},` +
				`{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":9007199254740993}]}`},
		{"input of the wrong type", `{"input":1}`,
			`{"detail":[{"type":"string_type","loc":["body","input","str"],"msg":"Input should be a valid string","input":1},` +
				`{"type":"list_type","loc":["body","input","list"],"msg":"Input should be a valid list","input":1}]}`},
		{"input null", `{"input":null}`,
			`{"detail":[{"type":"string_type","loc":["body","input","str"],"msg":"Input should be a valid string","input":null},` +
				`{"type":"list_type","loc":["body","input","list"],"msg":"Input should be a valid list","input":null}]}`},
		{"an item that is no object", `{"input":[{"role":"user","content":"x"},"y"]}`,
			`{"detail":[{"type":"dict_type","loc":["body","input",1],"msg":"Input should be a valid dictionary","input":"y"}]}`},
		{"stream", `{"input":"x","stream":true}`,
			`{"detail":[{"type":"literal_error","loc":["body","stream"],"msg":"Input should be False","input":true,"ctx":{"expected":"False"}}]}`},
		{"a closed word", `{"input":"x","truncation":"maybe"}`,
			`{"detail":[{"type":"literal_error","loc":["body","truncation"],"msg":"Input should be 'auto' or 'disabled'","input":"maybe","ctx":{"expected":"'auto' or 'disabled'"}}]}`},
		{"tools", `{"input":"x","tools":{}}`,
			`{"detail":[{"type":"list_type","loc":["body","tools"],"msg":"Input should be a valid list","input":{}}]}`},
		{"metadata", `{"input":"x","metadata":"m"}`,
			`{"detail":[{"type":"dict_type","loc":["body","metadata"],"msg":"Input should be a valid dictionary","input":"m"}]}`},
		{"numbers", `{"input":"x","temperature":[],"max_output_tokens":{},"store":[]}`,
			`{"detail":[{"type":"float_type","loc":["body","temperature"],"msg":"Input should be a valid number","input":[]},` +
				`{"type":"int_type","loc":["body","max_output_tokens"],"msg":"Input should be a valid integer","input":{}},` +
				`{"type":"bool_type","loc":["body","store"],"msg":"Input should be a valid boolean","input":[]}]}`},
		{"model", `{"input":"x","model":1}`,
			`{"detail":[{"type":"string_type","loc":["body","model"],"msg":"Input should be a valid string","input":1}]}`},
		{"no object", `[1]`,
			`{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[1]}]}`},
		{"empty", ``,
			`{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
		{"blank", " \r\n",
			`{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
		{"broken", `{`,
			`{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"unexpected EOF after offset 1"}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := responses.ParseCreateParams([]byte(tt.in))
			var fields responses.FieldErrors
			if !errors.As(err, &fields) {
				t.Fatalf("error %v is no FieldErrors", err)
			}
			b, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(b)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
	_, err := responses.ParseCreateParams([]byte(`{"input":`))
	if err == nil || !strings.Contains(err.Error(), "JSON decode error (") {
		t.Errorf("error %v, want the reason in it", err)
	}
}

func TestFieldErrors(t *testing.T) {
	_, err := responses.ParseCreateParams([]byte(`{"input":[1],"seed":"secret"}`))
	var fields responses.FieldErrors
	if !errors.As(err, &fields) {
		t.Fatal(err)
	}
	const want = "cannot accept body: body.input.0: Input should be a valid dictionary; body.seed: Extra inputs are not permitted"
	if fields.Error() != want {
		t.Errorf("got %s\nwant %s", fields, want)
	}
	under := fields.Under("responses_create_params")
	if diff := cmp.Diff([]any{"body", "responses_create_params", "input", 0}, under[0].Loc); diff != "" {
		t.Errorf("place (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"body", "input", 0}, fields[0].Loc); diff != "" {
		t.Errorf("Under has changed its receiver (-want +got):\n%s", diff)
	}
	b, err := json.Marshal(responses.FieldErrors{})
	if err != nil || string(b) != `{"detail":[]}` {
		t.Errorf("no errors: %s, %v", b, err)
	}
}

func TestCreateParams_Input(t *testing.T) {
	p, err := responses.ParseCreateParams([]byte(`{"temperature":1.0,"input":"hi \u00e9","metadata":{"x":"1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	items, err := p.Input()
	if err != nil || len(items) != 1 || items[0].Role() != "user" || items[0].Text() != "hi é" {
		t.Fatalf("input is %v, %v; want one user message", items, err)
	}
	p.SetInput(append(items, responses.FunctionCallOutput("c", "o")))
	const want = `{"temperature":1.0,"input":[{"role":"user","content":"hi é"},{"type":"function_call_output","call_id":"c","output":"o"}],"metadata":{"x":"1"}}`
	if got := string(p.AppendTo(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.SetInput(nil)
	if items, err := p.Input(); err != nil || len(items) != 0 {
		t.Errorf("input is %v, %v; want none", items, err)
	}
	var fields responses.FieldErrors
	if _, err := (responses.CreateParams{}).Input(); !errors.As(err, &fields) {
		t.Errorf("error %v, want FieldErrors", err)
	}
}

// Items of any type and shape come through with their bytes.
func TestCreateParams_keeps_items(t *testing.T) {
	for _, name := range []string{
		"llm-unknown-input-items.request.json", "llm-chat-shaped-input.request.json",
		"llm-reasoning-replay.request.json",
	} {
		b := golden.Read(t, "testdata", name)
		p, err := responses.ParseCreateParams(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before, _ := p.Get("input")
		items, err := p.Input()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		p.SetInput(items)
		after, _ := p.Get("input")
		if diff := cmp.Diff(compact(t, before), compact(t, after)); diff != "" {
			t.Errorf("%s: input (-before +after):\n%s", name, diff)
		}
	}
}

func TestCreateParams_Tools(t *testing.T) {
	p, err := responses.ParseCreateParams([]byte(`{"input":"x","tools":[{"type":"function","name":"get_weather","description":"d","parameters":{"type":"object"}},{"type":"web_search"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := p.Tools()
	if err != nil || len(tools) != 2 {
		t.Fatalf("tools are %v, %v", tools, err)
	}
	if f := tools[0]; f.Type() != "function" || f.Name() != "get_weather" || f.Description() != "d" || f.Parameters().Len() != 1 {
		t.Errorf("tool is %s", f.AppendTo(nil))
	}
	if tools[1].Parameters().Len() != 0 {
		t.Error("a hosted tool has parameters")
	}
	for _, in := range []string{`{"input":"x"}`, `{"input":"x","tools":null}`, `{"input":"x","tools":[]}`} {
		p, err := responses.ParseCreateParams([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if tools, err := p.Tools(); err != nil || len(tools) != 0 {
			t.Errorf("%s: tools are %v, %v; want none", in, tools, err)
		}
	}
}
