package messages_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
	"github.com/lensgo/lens/gym/responses/messages"
)

// numbered makes ids that golden files can hold.
func numbered() func(prefix string) string {
	n := 0
	return func(prefix string) string {
		n++
		return fmt.Sprintf("%s%d", prefix, n)
	}
}

func params(t testing.TB, text string) responses.CreateParams {
	t.Helper()
	p, err := responses.ParseCreateParams([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func request(t testing.TB, text string) messages.Request {
	t.Helper()
	r, err := messages.ParseRequest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reply(t testing.TB, more string) responses.Response {
	t.Helper()
	r, err := responses.ParseResponse([]byte(`{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[],` + more + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestToParams(t *testing.T) {
	const dir = "testdata/to_params"
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			p, err := messages.ToParams(request(t, string(golden.Read(t, dir, name+".in.json"))))
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), p.AppendTo(nil))
		})
	}
}

func TestFromParams(t *testing.T) {
	const dir = "testdata/from_params"
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			var o messages.Options
			if name == "settings" {
				extra, err := responses.ParseObject([]byte(`{"top_k":1,"thinking":{"type":"enabled","budget_tokens":1024}}`))
				if err != nil {
					t.Fatal(err)
				}
				o = messages.Options{Model: "ours", MaxTokens: 99, ExtraBody: extra}
			}
			r, err := messages.FromParams(params(t, string(golden.Read(t, dir, name+".in.json"))), o)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), r.AppendTo(nil))
			request(t, string(r.AppendTo(nil)))
		})
	}
}

func TestToResponse(t *testing.T) {
	const dir = "testdata/to_response"
	p := params(t, `{"input":"q","model":"asked","temperature":0.70}`)
	for _, name := range golden.Inputs(t, dir) {
		t.Run(name, func(t *testing.T) {
			m, err := messages.ParseMessage(golden.Read(t, dir, name+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := messages.ToResponse(m, p, messages.Options{NewID: numbered()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
				t.Errorf("the response is refused: %v", err)
			}
			if at, _ := r.Int("created_at"); at < 1_700_000_000 {
				t.Errorf("created at %d", at)
			}
			r.SetInt("created_at", 1)
			golden.JSON(t, filepath.Join(dir, name+".out.json"), r.AppendTo(nil))
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
			m, err := messages.FromResponse(r)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join(dir, name+".out.json"), m.AppendTo(nil))
			golden.Text(t, filepath.Join(dir, name+".sse"), messages.Replay(m))
		})
	}
}

// The order of a stream, and the reasons to stop: LL-25.
func TestReplay_order(t *testing.T) {
	for name, stop := range map[string]string{"turn": "tool_use", "max_output_tokens": "max_tokens", "content_filter": "refusal", "text": "end_turn"} {
		r, err := responses.ParseResponse(golden.Read(t, "testdata/from_response", name+".in.json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := messages.FromResponse(r)
		if err != nil {
			t.Fatal(err)
		}
		blocks, _ := m.Array("content")
		want := []string{"message_start"}
		for i, v := range blocks {
			block, _ := responses.View(v)
			want = append(want, fmt.Sprintf("content_block_start %d", i))
			if kind, _ := block.String("type"); kind != "redacted_thinking" {
				want = append(want, fmt.Sprintf("content_block_delta %d", i))
			}
			want = append(want, fmt.Sprintf("content_block_stop %d", i))
		}
		want = append(want, "message_delta "+stop, "message_stop")
		s := stream(messages.Replay(m))
		for _, w := range want {
			e, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			o, _ := responses.View(jsontext.Value(e.Data))
			kind, _ := o.String("type")
			got := kind
			if index, ok := o.Int("index"); ok {
				got = fmt.Sprintf("%s %d", kind, index)
			}
			if delta, _ := o.Sub("delta"); kind == "message_delta" {
				reason, _ := delta.String("stop_reason")
				got += " " + reason
			}
			if got != w || e.Name != kind {
				t.Errorf("%s: event %q named %q, want %q", name, got, e.Name, w)
			}
		}
	}
}

// A conversation with members of tomorrow and numbers that no float holds comes back as it went, byte by byte.
func TestRoundTrip_request(t *testing.T) {
	r := request(t, string(golden.Read(t, "testdata/to_params/unknown.in.json")))
	p, err := messages.ToParams(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := messages.FromParams(p, messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model", "max_tokens", "messages", "tools"} {
		was, _ := r.Get(name)
		is, _ := again.Get(name)
		if string(was) != string(is) {
			t.Errorf("%s was\n%s\nis\n%s", name, was, is)
		}
	}
}

func TestRoundTrip_message(t *testing.T) {
	const in = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"why","signature":"c2ln","x_thought":1.0},` +
		`{"type":"redacted_thinking","data":"AAAA"},{"type":"text","text":"\u0041","x_text":9007199254740993},{"type":"tool_use","id":"toolu_1","name":"t","input":{"n":9223372036854775807, "x":1.0},"x_use":{"b":1,"a":2}}],` +
		`"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":4,"x_usage":0.10},"x_top":[1e3]}`
	m, err := messages.ParseMessage([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	r, err := messages.ToResponse(m, params(t, `{"input":"q"}`), messages.Options{NewID: func(prefix string) string { return prefix + "1" }})
	if err != nil {
		t.Fatal(err)
	}
	again, err := messages.FromResponse(r)
	const text = `"text":"\u0041"`
	want := strings.Replace(in, text, `"text":"A"`, 1) // what is joined is written anew
	if got := string(again.AppendTo(nil)); err != nil || got != want {
		t.Errorf("%v\n is %s\nwas %s", err, got, want)
	}
}

func TestToParams_errors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"messages":[{"role":"user","content":[{"type":"document","source":{"data":"secret"}}]}]}`, `"document"`},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"t"},{"type":"image","source":{"type":"file","file_id":"secret"}}]}]}`, `body.messages.0.content.2 to Responses, which has no counterpart for a block of type "image from file"`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"search_result"}]}]}]}`, `"search_result"`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]}`, "body.messages.0.content.0.tool_use_id: Field required"},
		{`{"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"t"}]}]}`, "body.messages.0.content.0.id: Field required"},
		{`{"messages":[{"role":"assistant","content":[{"type":"thinking"}]}]}`, "body.messages.0.content.0.thinking: Field required"},
		{`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`, "body.messages.0.content.0.text: Field required"},
		{`{"messages":[{"role":"critic","content":"x"}]}`, `"critic"`},
		{`{"messages":[],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, `"web_search_20250305"`},
		{`{"messages":[],"tools":[{}]}`, "body.tools.0.name: Field required"},
		{`{"messages":[],"tool_choice":{"type":"x"}}`, `"x"`},
		{`{"messages":[],"system":[{"type":"image"}]}`, `"image"`},
		{`{"messages":[],"system":7}`, "body.system"},
	} {
		_, err := messages.ToParams(request(t, tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want one with %s", tt.in, err, tt.want)
		}
		_, unsupported := errors.AsType[*responses.UnsupportedError](err)
		if _, wrong := errors.AsType[responses.FieldErrors](err); wrong == unsupported {
			t.Errorf("%s: error is %T, want FieldErrors or UnsupportedError", tt.in, err)
		}
	}
}

func TestParseRequest_errors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, "body: Field required"}, {`{}`, "body.messages: Field required"}, {`{"messages":"x"}`, "body.messages: Input should be a valid list"},
		{`{"messages":[7]}`, "body.messages.0"}, {`{"messages":[{"content":"x"}]}`, "body.messages.0.role: Field required"},
		{`{"messages":[{"role":"user"}]}`, "body.messages.0.content: Field required"}, {`{"messages":[{"role":1,"content":"x"}]}`, "body.messages.0.role"},
		{`{"messages":[{"role":"user","content":7}]}`, "body.messages.0.content"}, {`{"messages":[{"role":"user","content":["x"]}]}`, "body.messages.0.content.0"},
	} {
		_, err := messages.ParseRequest([]byte(tt.in))
		if _, ok := errors.AsType[responses.FieldErrors](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want FieldErrors with %s", tt.in, err, tt.want)
		}
	}
}

func TestFromParams_errors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{string(golden.Read(t, "testdata/llm-unknown-input-items.request.json")), `"compaction"`},
		{`{"input":[{"role":"user","content":[{"type":"input_image","image_url":""}]}]}`, "must not be empty"},
		{`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/tiff;base64,AA=="}]}]}`, "JPEG, PNG, GIF or WebP"},
		{`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png,AA"}]}]}`, "base64"},
		{`{"input":[{"role":"user","content":[{"type":"input_video","video_url":"u"}]}]}`, `"input_video"`},
		{`{"input":[{"role":"system","content":[{"type":"input_image","image_url":"u"}]}]}`, "in a system message"},
		{`{"input":[{"role":"tool","content":"x"}]}`, `"tool"`},
		{`{"input":[{"role":"user","content":null}]}`, "body.input.0.content"},
		{`{"input":[{"x":1}]}`, "body.input.0.type: Field required"},
		{`{"input":[{"type":"function_call","call_id":"c","name":"t"}]}`, "body.input.0.arguments: Field required"},
		{`{"input":[{"type":"function_call_output","call_id":"c","output":7}]}`, "body.input.0.output"},
		{`{"input":"q","tools":[{"type":"web_search"}]}`, `"web_search"`},
		{`{"input":"q","tool_choice":"required"}`, "requires at least one tool"},
		{`{"input":"q","tools":[{"type":"function","name":"t"}],"tool_choice":{"type":"mcp"}}`, `"mcp"`},
		{`{"input":"q","prompt":{"id":"p"}}`, "prompt"},
		{`{"input":"q","metadata":{"extra_body":"["}}`, "body.metadata.extra_body"},
	} {
		_, err := messages.FromParams(params(t, tt.in), messages.Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: error %v, want one with %s", tt.in, err, tt.want)
		}
	}
}

// The endpoint refuses empty texts and messages without a block.
func TestFromParams_empty_texts(t *testing.T) {
	r, err := messages.FromParams(params(t, `{"input":[{"role":"user","content":"a"},{"role":"assistant","content":"","x":1},{"role":"user","content":[{"type":"input_text","text":""},{"type":"input_text","text":"b"}]}]}`), messages.Options{})
	const want = `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`
	if got, _ := r.Get("messages"); err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestParseMessage_errors(t *testing.T) {
	_, err := messages.ParseMessage([]byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 529 || e.Message != "Overloaded" {
		t.Errorf("error %v, want the endpoint's", err)
	}
	for _, in := range []string{`{}`, `{"content":"x"}`, `{"content":[7]}`, `[]`, `{"content":[NaN]}`} {
		if _, err := messages.ParseMessage([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), "cannot parse message: ") {
			t.Errorf("%s: error %v", in, err)
		}
	}
	m, err := messages.ParseMessage([]byte(`{"content":[{"type":"server_tool_use","input":"secret"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = messages.ToResponse(m, params(t, `{"input":"q"}`), messages.Options{})
	if _, ok := errors.AsType[*responses.UnsupportedError](err); !ok || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v, want one that names server_tool_use", err)
	}
}

func TestFromResponse_errors(t *testing.T) {
	_, err := messages.FromResponse(reply(t, `"output":[],"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}`))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 429 {
		t.Errorf("error %v, want the endpoint's", err)
	}
	for _, item := range []string{
		`{"type":"web_search_call"}`, `{"type":"function_call_output","call_id":"c","output":"x"}`, `{"type":"message","role":"user","content":"x"}`, `{"type":"function_call"}`,
	} {
		_, err := messages.FromResponse(reply(t, `"output":[`+item+`]`))
		if _, blames := errors.AsType[responses.FieldErrors](err); err == nil || blames {
			t.Errorf("%s: error %v", item, err)
		}
	}
}

func TestPrepare(t *testing.T) {
	extra, err := responses.ParseObject([]byte(`{"top_k":1,"x":1.0}`))
	if err != nil {
		t.Fatal(err)
	}
	const in = `{"messages":[ {"role":"user","content":"\u0041"} ],"top_k":5,"stream":true,"y":9007199254740993}`
	r, err := messages.Options{Model: "ours", ExtraBody: extra}.Prepare(request(t, in))
	const want = `{"messages":[ {"role":"user","content":"\u0041"} ],"top_k":5,"y":9007199254740993,"model":"ours","max_tokens":32000,"x":1.0}`
	if got := string(r.AppendTo(nil)); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if !request(t, in).Stream() || request(t, `{"messages":[],"stream":"true"}`).Stream() {
		t.Error("Stream is wrong")
	}
}
