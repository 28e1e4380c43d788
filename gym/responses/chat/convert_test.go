package chat_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

// numbered makes ids that golden files can hold.
func numbered() func(prefix string) string {
	n := 0
	return func(prefix string) string {
		n++
		return fmt.Sprintf("%s%d", prefix, n)
	}
}

func object(t testing.TB, text string) responses.Object {
	t.Helper()
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func params(t testing.TB, text string) responses.CreateParams {
	t.Helper()
	p, err := responses.ParseCreateParams([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// requestOptions are the settings under which a request is converted, by the name of its files.
func requestOptions(t *testing.T, name string) chat.Options {
	switch name {
	case "reasoning_parser":
		return chat.Options{ReasoningParser: true}
	case "interleaved":
		return chat.Options{ReasoningParser: true, InterleavedReasoning: true}
	case "tokens":
		return chat.Options{TokenIDs: true}
	case "settings":
		return chat.Options{
			Model: "ours", ReplaceDeveloperRole: true,
			ChatTemplateKwargs: object(t, `{"enable_thinking":true,"x":1.0}`),
			ExtraBody:          object(t, `{"top_k":1,"min_p":0.10}`),
			SamplingOverrides:  object(t, `{"temperature":0.70}`),
		}
	}
	return chat.Options{}
}

func TestFromParams(t *testing.T) {
	const dir = "testdata/from_params"
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			r, err := chat.FromParams(params(t, string(golden.Read(t, dir, name+".in.json"))), requestOptions(t, name))
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), r.AppendTo(nil))
			if _, err := chat.ParseRequest(r.AppendTo(nil)); err != nil {
				t.Errorf("the request is refused: %v", err)
			}
		})
	}
}

func TestToParams(t *testing.T) {
	const dir = "testdata/to_params"
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			r, err := chat.ParseRequest(golden.Read(t, dir, name+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := chat.ToParams(r)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), p.AppendTo(nil))
		})
	}
}

func TestToResponse(t *testing.T) {
	const dir = "testdata/to_response"
	p := params(t, `{"input":"q","model":"asked","temperature":0.70,"tools":null,"metadata":{"a":"b"},"truncation":null}`)
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			c, err := chat.ParseCompletion(golden.Read(t, dir, name+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			o := chat.Options{NewID: numbered(), ReasoningParser: name != "no_parser", TokenIDs: name == "tokens"}
			r, err := chat.ToResponse(c, p, o)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), r.AppendTo(nil))
			if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
				t.Errorf("the response is refused: %v", err)
			}
		})
	}
}

func TestFromResponse(t *testing.T) {
	const dir = "testdata/from_response"
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			r, err := responses.ParseResponse(golden.Read(t, dir, name+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := chat.FromResponse(r)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), c.AppendTo(nil))
			if _, err := chat.ParseCompletion(c.AppendTo(nil)); err != nil {
				t.Errorf("the completion is refused: %v", err)
			}
			golden.Text(t, filepath.Join(dir, name+".sse"), chat.Replay(c, true))
		})
	}
}

// Tokens of the turn before must not be on the one that has none.
func TestFromParams_tokens_stay_with_their_turn(t *testing.T) {
	const dir = "testdata/from_params"
	r, err := chat.FromParams(params(t, string(golden.Read(t, dir, "tokens.in.json"))), chat.Options{TokenIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	messages, _ := r.Array("messages")
	for i, want := range []bool{false, true, false, false, false, true, false} {
		m, _ := responses.View(messages[i])
		if responses.HasTokens(m) != want {
			t.Errorf("message %d has tokens: %v, want %v", i, !want, want)
		}
	}
}

func TestFromParams_errors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"unknown item", string(golden.Read(t, "testdata/llm-unknown-input-items.request.json")), `"compaction"`},
		{"output with an image", `{"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"u"}]}]}`, `body.input.0.output.0`},
		{"empty URL", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":""}]}]}`, "the URL must not be empty"},
		{"empty URL of a video", `{"input":[{"role":"user","content":[{"type":"input_video","video":{"url":""}}]}]}`, "body.input.0.content.0.video: Value error"},
		{"image by id", `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`, "file_id"},
		{"file", `{"input":[{"role":"user","content":[{"type":"input_file","file_data":"secret"}]}]}`, `"input_file"`},
		{"required without tools", `{"input":"q","tool_choice":"required"}`, "requires at least one tool"},
		{"named tool without tools", `{"input":"q","tools":[],"tool_choice":{"type":"function","name":"t"}}`, "requires at least one tool"},
		{"hosted tool", `{"input":"q","tools":[{"type":"web_search"}]}`, `"web_search"`},
		{"choice of a hosted tool", `{"input":"q","tools":[{"type":"function","name":"t"}],"tool_choice":{"type":"file_search"}}`, `"file_search"`},
		{"earlier response", `{"input":"q","previous_response_id":"resp_1"}`, "previous_response_id"},
		{"conversation", `{"input":"q","conversation":"conv_1"}`, "conversation"},
		{"in the background", `{"input":"q","background":true}`, "background"},
		{"role", `{"input":[{"role":"critic","content":"x"}]}`, `"critic"`},
		{"no content", `{"input":[{"role":"user"}]}`, "body.input.0.content: Field required"},
		{"no type", `{"input":[{"x":1}]}`, "body.input.0.type: Field required"},
		{"no call id", `{"input":[{"type":"function_call","name":"t","arguments":"{}"}]}`, "body.input.0.call_id: Field required"},
		{"no output", `{"input":[{"type":"function_call_output","call_id":"c"}]}`, "body.input.0.output: Field required"},
		{"no name", `{"input":"q","tools":[{"type":"function"}]}`, "body.tools.0.name: Field required"},
		{"extra_body", `{"input":"q","metadata":{"extra_body":"{"}}`, "body.metadata.extra_body"},
		{"chat_template_kwargs", `{"input":"q","metadata":{"chat_template_kwargs":7}}`, "body.metadata.chat_template_kwargs"},
		{"content of a wrong kind", `{"input":[{"role":"user","content":7}]}`, "body.input.0.content"},
		{"image of the model", `{"input":[{"role":"assistant","content":[{"type":"output_image"}]}]}`, `"output_image"`},
		{"namespace", `{"input":[{"type":"function_call","call_id":"c","name":"t","arguments":"","namespace":"n"}]}`, "namespace"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := chat.FromParams(params(t, tt.in), chat.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one with %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "AAAA") || strings.Contains(err.Error(), "secret") {
				t.Errorf("the error holds content: %v", err)
			}
			_, unsupported := errors.AsType[*responses.UnsupportedError](err)
			if _, wrong := errors.AsType[responses.FieldErrors](err); wrong == unsupported {
				t.Errorf("error is %T, want FieldErrors or UnsupportedError", err)
			}
		})
	}
}

func TestParseRequest_errors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`[]`, "body:"}, {`{}`, "body.messages: Field required"}, {`{"messages":{}}`, "body.messages: Input should be a valid list"},
		{`{"messages":[1]}`, "body.messages.0"}, {`{"messages":[{}]}`, "body.messages.0.role: Field required"},
		{`{"messages":[{"role":7}]}`, "body.messages.0.role"}, {`{"messages":[],"stream":1}`, "body.stream"},
		{`{"messages":[{"role":"assistant","content":"a","prompt_token_ids":[1],"generation_token_ids":[2]}]}`, "body.messages.0.generation_log_probs: Field required"},
	} {
		_, err := chat.ParseRequest([]byte(tt.in))
		if _, ok := errors.AsType[responses.FieldErrors](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want FieldErrors with %s", tt.in, err, tt.want)
		}
	}
}

func TestToParams_errors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"messages":[{"role":"critic","content":"x"}]}`, `"critic"`},
		{`{"messages":[{"role":"tool","content":"x"}]}`, "body.messages.0.tool_call_id: Field required"},
		{`{"messages":[{"role":"user","content":[{"type":"file","file":{}}]}]}`, `"file"`},
		{`{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{}}]}]}`, `"custom"`},
		{`{"messages":[{"role":"assistant","tool_calls":[{"id":"c"}]}]}`, "function.name: Field required"},
		{`{"messages":[],"tools":[{"type":"custom"}]}`, `"custom"`},
		{`{"messages":[],"tools":7}`, "body.tools"},
		{`{"messages":[],"tool_choice":{"type":"x"}}`, `"x"`},
	} {
		r, err := chat.ParseRequest([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if _, err := chat.ToParams(r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %s", tt.in, err, tt.want)
		}
	}
}

func TestParseCompletion_errors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no choices", string(golden.Read(t, "testdata/llm-empty-choices.chat.json")), "its list of choices is empty"},
		{"not finite", string(golden.Read(t, "testdata/llm-logprobs-nonfinite.chat.json")), "bare -Infinity, which JSON does not have"},
		{"no list", `{"choices":null}`, "no list of choices"},
		{"no message", `{"choices":[{"text":"old"}]}`, "no message"},
		{"no object", `[]`, "an array"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := chat.ParseCompletion([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if _, ok := errors.AsType[responses.FieldErrors](err); ok {
				t.Error("the error blames the caller's request")
			}
		})
	}
	_, err := chat.ParseCompletion([]byte(`{"error":{"message":"slow down","type":"rate_limit_error","code":null}}`))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 429 || e.Message != "slow down" {
		t.Errorf("error %#v, want the endpoint's", err)
	}
}

func TestFromResponse_errors(t *testing.T) {
	reply := func(more string) responses.Response {
		r, err := responses.ParseResponse([]byte(`{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[],` + more + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	_, err := chat.FromResponse(reply(`"output":[],"status":"failed","error":{"code":"server_error","message":"out of memory"}`))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 500 || e.Message != "out of memory" {
		t.Errorf("error %v, want the endpoint's", err)
	}
	_, err = chat.FromResponse(reply(`"output":[{"type":"web_search_call","query":"secret"}]`))
	if _, ok := errors.AsType[*responses.UnsupportedError](err); !ok || !strings.Contains(err.Error(), `"web_search_call"`) || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v, want one that names web_search_call", err)
	}
	_, err = chat.FromResponse(reply(`"output":[{"type":"function_call"}]`))
	if _, ok := errors.AsType[responses.FieldErrors](err); ok || err == nil || !strings.Contains(err.Error(), "call_id") {
		t.Errorf("error %v, want one about the response", err)
	}
}

func TestPrepare(t *testing.T) {
	const in = `{"model":"theirs","messages":[{"role":"developer","content":"d"},{"role":"user","content":"<think>mine</think> \u0041 1.0"},` +
		`{"role":"assistant","content":"<think>a</think>b<think>c</think>"},{"role":"assistant","content":[{"type":"text","text":"<think>x</think>y"}],"prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":[-1]}],` +
		`"tools":[{"type":"function","function":{"name":"t","strict":true,"x":1.0}}],"stream":true,"stream_options":{},"seed":9007199254740993,"top_logprobs":null,` +
		`"chat_template_kwargs":{"own":1},"metadata":{"chat_template_kwargs":"{\"row\":1}"}}`
	r, err := chat.ParseRequest([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		o    chat.Options
		want string
	}{
		{"nothing set", chat.Options{TokenIDs: false}, `{"model":"theirs","messages":[{"role":"developer","content":"d"},{"role":"user","content":"<think>mine</think> \u0041 1.0"},` +
			`{"role":"assistant","content":"<think>a</think>b<think>c</think>"},{"role":"assistant","content":[{"type":"text","text":"<think>x</think>y"}]}],` +
			`"tools":[{"type":"function","function":{"name":"t","x":1.0}}],"seed":9007199254740993,"chat_template_kwargs":{"own":1,"row":1}}`},
		{"all", chat.Options{
			Model: "ours", ReasoningParser: true, InterleavedReasoning: true, TokenIDs: true, ReplaceDeveloperRole: true,
			ChatTemplateKwargs: object(t, `{"row":0,"config":1}`),
		}, `{"model":"ours","messages":[{"role":"system","content":"d"},{"role":"user","content":"<think>mine</think> \u0041 1.0"},` +
			`{"role":"assistant","content":"b","reasoning_content":"a\nc","reasoning":"a\nc"},{"role":"assistant","content":[{"type":"text","text":"y"}],"prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":[-1],"reasoning_content":"x","reasoning":"x"}],` +
			`"tools":[{"type":"function","function":{"name":"t","x":1.0}}],"seed":9007199254740993,"top_logprobs":0,"chat_template_kwargs":{"row":1,"config":1,"own":1},"logprobs":true,"return_tokens_as_token_ids":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.o.Prepare(r)
			if err != nil {
				t.Fatal(err)
			}
			if s := string(got.AppendTo(nil)); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
			if s := string(r.AppendTo(nil)); s != in {
				t.Errorf("the request has changed to %s", s)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	if !chat.IsOverflow(400, []byte(`{"message":"maximum context length is 10"}`)) || chat.IsOverflow(500, []byte("context length")) || chat.IsOverflow(400, []byte("no")) {
		t.Error("IsOverflow is wrong")
	}
	r, err := chat.FromParams(params(t, `{"input":"q","model":"m"}`), chat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := chat.Options{NewID: numbered(), TokenIDs: true}
	c := chat.Overflow(r, o)
	if c.HasTokens() {
		t.Error("an answer that is none has tokens")
	}
	got, err := chat.ToResponse(c, params(t, `{"input":"q"}`), o)
	if err != nil || got.IncompleteReason() != "max_output_tokens" || got.Text() != "" {
		t.Errorf("got %s, %v", got.AppendTo(nil), err)
	}
}

func TestWithTokens(t *testing.T) {
	const in = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop","token_ids":[7],"logprobs":{"content":[` +
		`{"token":"token_id:7","logprob":-0.10,"bytes":null},{"token":"token_id:9","logprob":-1e-3}]}}],"prompt_token_ids":[1,2]}`
	parse := func(s string) chat.Completion {
		c, err := chat.ParseCompletion([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := parse(in)
	if !c.HasTokens() || !c.HasPromptTokenIDs() {
		t.Error("the tokens are not seen")
	}
	got, err := c.WithTokens(nil)
	const want = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a","prompt_token_ids":[1,2],"generation_token_ids":[7,9],"generation_log_probs":[-0.10,-1e-3]},"finish_reason":"stop"}]}`
	if s := string(got.AppendTo(nil)); err != nil || s != want {
		t.Errorf("got  %s, %v\nwant %s", s, err, want)
	}
	again, err := got.WithTokens([]byte(`[5]`))
	if s := string(again.AppendTo(nil)); err != nil || s != want {
		t.Errorf("a second time: %s, %v", s, err)
	}
	for name, tt := range map[string]struct{ in, prompt, want string }{
		"no prompt":   {strings.Replace(in, `,"prompt_token_ids":[1,2]`, "", 1), "", "which tokens the prompt had"},
		"no logprobs": {`{"choices":[{"message":{"content":"a"}}]}`, "[1]", "return_tokens_as_token_ids"},
		"words":       {strings.Replace(in, "token_id:9", "word", 1), "[1]", `token 1 of its log probabilities is "word"`},
		"no number":   {strings.Replace(in, "-1e-3", "null", 1), "[1]", "token 1 of its log probabilities has no logprob"},
		"half":        {`{"choices":[{"message":{"content":"a","prompt_token_ids":[1]}}]}`, "", "generation_log_probs"},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(tt.in)
			var prompt []byte
			if tt.prompt != "" {
				prompt = []byte(tt.prompt)
			}
			if _, err := c.WithTokens(prompt); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// Members that nobody knows are carried in linear time: a request with 100,000 of them took a core for half an hour.
func TestManyUnknownMembers(t *testing.T) {
	var more strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&more, `,"m%d":%d`, i, i)
	}
	r, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"x"}]` + more.String() + `}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := chat.ToParams(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := chat.FromParams(p, chat.Options{})
	if v, _ := back.Int("m99999"); err != nil || v != 99999 {
		t.Errorf("the last member is %d on the way back, %v", v, err)
	}
	c, err := chat.ParseCompletion([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x"}` +
		more.String() + `}]` + more.String() + `}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := chat.ToResponse(c, p, chat.Options{})
	if v, _ := answer.Int("m99999"); err != nil || v != 99999 {
		t.Errorf("the last member of the answer is %d, %v", v, err)
	}
}
