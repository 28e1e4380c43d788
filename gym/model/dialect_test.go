package model_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/responses/sse"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
)

// said is an answer with reasoning, text and a call.
const said = `{"id":"resp_1","created_at":1,"model":"up","object":"response","status":"completed","output":[` +
	`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"why"}]},` +
	`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]},` +
	`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{\"n\":9223372036854775807}","status":"completed"}],` +
	`"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`

// newServer is the server of a responder that answers body.
func newServer(t *testing.T, body string) *wire.Server {
	t.Helper()
	return serverOf(t, model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) {
		return &wire.Reply{Body: []byte(body)}, nil
	}))
}

func serverOf(t testing.TB, r model.Responder) *wire.Server {
	t.Helper()
	s, err := model.NewServer(&config.Instance{Name: "policy"}, r, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConvertedDialects(t *testing.T) {
	s := newServer(t, said)
	w := post(s, "/v1/chat/completions", `{"messages":[{"role":"user","content":"q"}]}`)
	c, err := chat.ParseCompletion(w.Body.Bytes())
	if err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	choices, _ := c.Array("choices")
	for _, want := range []string{`"reasoning_content":"why"`, `"content":"hi"`, `"id":"call_1"`, `9223372036854775807`, `"finish_reason":"tool_calls"`} {
		if !bytes.Contains(choices[0], []byte(want)) {
			t.Errorf("%s is not in %s", want, choices[0])
		}
	}
	w = post(s, "/v1/messages", `{"model":"x","max_tokens":5,"messages":[{"role":"user","content":"q"}]}`)
	m, err := messages.ParseMessage(w.Body.Bytes())
	if err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for _, want := range []string{`"thinking":"why"`, `"text":"hi"`, `"type":"tool_use"`, `9223372036854775807`, `"stop_reason":"tool_use"`} {
		if !bytes.Contains(m.AppendTo(nil), []byte(want)) {
			t.Errorf("%s is not in %s", want, w.Body)
		}
	}
}

func TestDialectsCheckRequests(t *testing.T) {
	s := newServer(t, said)
	for _, test := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/chat/completions", `{}`, 422, `["body","messages"]`},
		{"/v1/chat/completions", `[]`, 422, `"body"`},
		{"/v1/messages", `{"messages":[{"role":"user"}]}`, 422, `["body","messages",0,"content"]`},
		{"/v1/messages", `{"messages":[{"role":"user","content":[{"type":"document"}]}]}`, 501, `document`},
		{"/v1/responses", `{"input":"q","stream":1}`, 422, `"stream"`},
	} {
		w := post(s, test.path, test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: got %d %s", test.path, test.body, w.Code, w.Body)
		}
	}
}

// Case LL-25, and the same of the other dialects: every route streams.
func TestReplays(t *testing.T) {
	incomplete := func(reason string) string {
		return strings.Replace(said[:strings.Index(said, `,{"type":"function_call"`)]+said[strings.Index(said, `],"parallel`):],
			`"status":"completed","output"`, `"status":"incomplete","incomplete_details":{"reason":"`+reason+`"},"output"`, 1)
	}
	for body, reason := range map[string]string{said: "tool_use", incomplete("max_output_tokens"): "max_tokens", incomplete("content_filter"): "refusal"} {
		w := post(newServer(t, body), "/v1/messages", `{"max_tokens":5,"messages":[{"role":"user","content":"q"}],"stream":true}`)
		if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
			t.Fatalf("got %s: %s", kind, w.Body)
		}
		m, err := messages.Collect(sse.NewReader(bytes.NewReader(w.Body.Bytes()), sse.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := m.String("stop_reason"); got != reason {
			t.Errorf("stop reason is %s, want %s", got, reason)
		}
		checkOrder(t, w.Body.Bytes())
	}
	w := post(newServer(t, said), "/v1/chat/completions", `{"messages":[{"role":"user","content":"q"}],"stream":true,"stream_options":{"include_usage":true}}`)
	c, err := chat.Collect(sse.NewReader(bytes.NewReader(w.Body.Bytes()), sse.Options{}))
	if err != nil || !strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n") || !c.Has("usage") {
		t.Errorf("%v: %s", err, w.Body)
	}
	w = post(newServer(t, said), "/v1/responses", `{"input":"q","stream":true,"future":1}`)
	r, err := responses.Collect(sse.NewReader(bytes.NewReader(w.Body.Bytes()), sse.Options{}))
	if err != nil || r.Text() != "hi" {
		t.Errorf("%v: %s", err, w.Body)
	}
}

// checkOrder checks that the events of a message come in the order of the dialect.
func checkOrder(t *testing.T, stream []byte) {
	t.Helper()
	var names []string
	reader := sse.NewReader(bytes.NewReader(stream), sse.Options{})
	index := -1
	for {
		e, err := reader.Next()
		if err != nil {
			break
		}
		names = append(names, e.Name)
		o, err := responses.ParseObject(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := o.Int("index"); ok && e.Name == "content_block_start" {
			if int(n) != index+1 {
				t.Errorf("block %d follows block %d", n, index)
			}
			index = int(n)
		}
	}
	text := strings.Join(names, " ")
	block := "content_block_start content_block_delta content_block_stop "
	if text != "message_start "+strings.Repeat(block, index+1)+"message_delta message_stop" {
		t.Errorf("the events are %s", text)
	}
}

func TestStreamSaysThatThereIsNoAnswer(t *testing.T) {
	s := serverOf(t, model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) { return nil, errors.New("boom") }))
	w := post(s, "/v1/responses", `{"input":"q","stream":true}`)
	_, err := responses.Collect(sse.NewReader(bytes.NewReader(w.Body.Bytes()), sse.Options{}))
	if up, ok := errors.AsType[*responses.UpstreamError](err); w.Code != 200 || !ok || !strings.Contains(up.Message, "boom") || up.Code != "server_error" {
		t.Errorf("got %d %v: %s", w.Code, err, w.Body)
	}
	for path, body := range map[string]string{"/v1/chat/completions": `{"messages":[],"stream":true}`, "/v1/messages": `{"messages":[],"stream":true}`} {
		if w := post(s, path, body); w.Code != 500 {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
}

func TestStreamsAreCleanedUp(t *testing.T) {
	e := newEndpoint(t, 200, strings.Replace(answered, `{"type":"web_search_call","id":"w","n":12345678901234567890}`,
		`{"type":"function_call","id":"f","call_id":"c","name":"files__open","arguments":"{}"}`, 1))
	w := ask(newOpenAI(t, e.URL, ""), `{"input":"q","stream":true,"client_metadata":{"a":1},"tools":[{"type":"namespace","name":"files","tools":[{"name":"open"}]}]}`)
	r, err := responses.Collect(sse.NewReader(bytes.NewReader(w.Body.Bytes()), sse.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	output, _ := r.Output()
	if space, _ := output[0].String("namespace"); space != "files" || output[0].Name() != "open" {
		t.Errorf("got %s", w.Body)
	}
	if strings.Contains(e.bodies[0], "client_metadata") || strings.Contains(e.bodies[0], "stream") || !strings.Contains(e.bodies[0], `"files__open"`) {
		t.Errorf("the endpoint got %s", e.bodies[0])
	}
}

func TestOpenAIChat(t *testing.T) {
	e := newEndpoint(t, 200, completed)
	w := post(newOpenAI(t, e.URL, `,"extra_body":{"seed":7}`), "/v1/chat/completions",
		`{"model":"mine","messages":[{"role":"user","content":"q","n":1.0}],"tools":[{"type":"function","function":{"name":"f","strict":true}}],"stream":true,"stream_options":{}}`)
	if w.Code != 200 || !strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n") || e.requests[0].URL.Path != "/v1/chat/completions" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if want := `{"model":"gpt-x","messages":[{"role":"user","content":"q","n":1.0}],"tools":[{"type":"function","function":{"name":"f","strict":true}}],"seed":7}`; e.bodies[0] != want {
		t.Errorf("the endpoint got %s\nwant %s", e.bodies[0], want)
	}
}

// Case LL-15.
func TestOpenAIReasoningReplay(t *testing.T) {
	e := newEndpoint(t, 200, answered)
	ask(newOpenAI(t, e.URL, ""), testdata(t, "llm-reasoning-replay.request.json"))
	want := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}`
	if got := compact(t, e.bodies[0]); !strings.Contains(got, want) {
		t.Errorf("the endpoint got %s\nwant %s in it", got, want)
	}
}

func TestOpenAIReadsStreams(t *testing.T) {
	r, err := responses.ParseResponse([]byte(said))
	if err != nil {
		t.Fatal(err)
	}
	w := ask(newOpenAI(t, streamer(t, string(responses.Replay(r)), 100), `,"stream_upstream":true`), `{"input":"q"}`)
	if mustResponse(t, w).Text() != "hi" {
		t.Errorf("got %s", w.Body)
	}
}

func TestSyntheticSpeaksAllDialects(t *testing.T) {
	s, err := model.BuildSynthetic(&config.Instance{Name: "policy", Settings: jsontext.Value(`{"mistake_rate":0,"latency":{"distribution":"none"}}`)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := post(s, "/v1/chat/completions", `{"messages":[{"role":"user","content":"find 'a'"}],"seed":4,"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}}}]}`)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"finish_reason":"tool_calls"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	w = post(s, "/v1/messages", `{"max_tokens":9,"messages":[{"role":"user","content":"find 'a'"}],"tools":[{"name":"look","input_schema":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}}]}`)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"stop_reason":"tool_use"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestModelSpans(t *testing.T) {
	spans := lenstest.Default(t)
	lens.SetSpec("model_call")
	s := newServer(t, said)
	failing := serverOf(t, model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) { return nil, errors.New("boom") }))
	const chatBody = `{"messages":[{"role":"user","content":"q"}]}`
	for _, request := range [][2]string{{"/v1/responses", `{"input":"q"}`}, {"/v1/chat/completions", chatBody}, {"/v1/messages", chatBody}} {
		post(s, "/ng-rollout/3-1"+request[0], request[1])
		post(s, request[0], `{}`) // a request that is wrong is no call of a model
		post(failing, request[0], request[1])
	}
	attributes := []string{semconv.GymServerName, semconv.GymRolloutID, semconv.GenAIUsageInputTokens, semconv.GenAIUsageOutputTokens}
	spans.AssertTree(t, `
		gym.model.responses nemo.gym.server.name=policy nemo.gym.rollout.id=3-1 gen_ai.usage.input_tokens=3 gen_ai.usage.output_tokens=2
		gym.model.responses nemo.gym.server.name=policy Error "boom"
		gym.model.chat_completions nemo.gym.server.name=policy nemo.gym.rollout.id=3-1 gen_ai.usage.input_tokens=3 gen_ai.usage.output_tokens=2
		gym.model.chat_completions nemo.gym.server.name=policy Error "boom"
		gym.model.messages nemo.gym.server.name=policy nemo.gym.rollout.id=3-1 gen_ai.usage.input_tokens=3 gen_ai.usage.output_tokens=2
		gym.model.messages nemo.gym.server.name=policy Error "boom"
	`, attributes...)
}
