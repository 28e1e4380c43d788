package model_test

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/wire"
)

const message = `{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[{"type":"thinking","thinking":"why","signature":"s"},` +
	`{"type":"text","text":"hi","n":12345678901234567890},{"type":"tool_use","id":"call_1","name":"look","input":{"n":9223372036854775807}}],` +
	`"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}`

// newAnthropic is the server of an anthropic_model with further settings, which are JSON members.
func newAnthropic(t *testing.T, url, more string) *wire.Server {
	t.Helper()
	in := &config.Instance{Name: "policy", Type: config.TypeModel, Impl: "anthropic_model",
		Settings: jsontext.Value(`{"anthropic_base_url":"` + url + `","anthropic_api_key":"` + key + `","anthropic_model":"m","max_tokens":77,"max_retries":0` + more + `}`)}
	s, err := model.BuildAnthropic(in, newClient(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnthropicConverts(t *testing.T) {
	e := newEndpoint(t, 200, message)
	r := mustResponse(t, ask(newAnthropic(t, e.URL, ""), `{"input":"q","instructions":"be kind"}`))
	output, _ := r.Output()
	if len(output) != 3 || output[0].Thoughts()[0] != "why" || r.Text() != "hi" || output[2].Arguments() != `{"n":9223372036854775807}` {
		t.Errorf("got %s", r.AppendTo(nil))
	}
	if want := `"max_tokens":77`; !strings.Contains(e.bodies[0], want) || !strings.Contains(e.bodies[0], "be kind") {
		t.Errorf("the endpoint got %s", e.bodies[0])
	}
	h := e.requests[0].Header
	if e.requests[0].URL.Path != "/v1/messages" || h.Get("X-Api-Key") != key || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
		t.Errorf("called %s with %v", e.requests[0].URL, h)
	}

	t.Run("chat", func(t *testing.T) {
		w := post(newAnthropic(t, e.URL, ""), "/v1/chat/completions", `{"messages":[{"role":"user","content":"q"}],"max_tokens":5}`)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"finish_reason":"tool_calls"`) || !strings.Contains(e.bodies[len(e.bodies)-1], `"max_tokens":5`) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

func TestAnthropicPassesMessagesOn(t *testing.T) {
	e := newEndpoint(t, 200, message)
	r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(
		`{"model":"mine","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral"},"n":1.0}]}],"future":1e3}`))
	r.Header.Set("Anthropic-Beta", "b1,b2")
	r.Header.Set("X-Api-Key", "the client's own")
	w := httptest.NewRecorder()
	newAnthropic(t, e.URL+"/v1", `,"thinking_budget_tokens":1024,"default_headers":{"x-team":"blue"}`).ServeHTTP(w, r)
	if w.Code != 200 || w.Body.String() != message {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	want := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral"},"n":1.0}]}],"future":1e3,"thinking":{"type":"enabled","budget_tokens":1024}}`
	if e.bodies[0] != want {
		t.Errorf("the endpoint got %s\nwant %s", e.bodies[0], want)
	}
	h := e.requests[0].Header
	if h.Get("Anthropic-Beta") != "b1,b2" || h.Get("X-Api-Key") != key || h.Get("X-Team") != "blue" || e.requests[0].URL.Path != "/v1/messages" {
		t.Errorf("called %s with %v", e.requests[0].URL, h)
	}
}

func TestAnthropicReadsStreams(t *testing.T) {
	m, err := messages.ParseMessage([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	r := mustResponse(t, ask(newAnthropic(t, streamer(t, string(messages.Replay(m)), 64), `,"stream_upstream":true`), `{"input":"q"}`))
	if output, _ := r.Output(); len(output) != 3 || r.Text() != "hi" {
		t.Errorf("got %s", r.AppendTo(nil))
	}
	overloaded := "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded by " + key + "\"}}\n\n"
	w := ask(newAnthropic(t, streamer(t, overloaded, 0), ""), `{"input":"q"}`)
	if w.Code != 529 || !strings.Contains(w.Body.String(), "Overloaded by [redacted]") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestAnthropicSettings(t *testing.T) {
	_, err := model.BuildAnthropic(&config.Instance{Name: "policy", Settings: jsontext.Value(
		`{"anthropic_base_url":"h","max_tokens":-1,"anthropic_version":"a\nb","thinking":{"type":"x"},"extra_body":{"thinking":1}}`)}, nil, nil)
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for _, want := range []string{"anthropic_base_url", "anthropic_model is missing", "max_tokens is -1", "anthropic_version", "keep one of them"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	_, err = model.BuildAnthropic(&config.Instance{Name: "policy", Settings: jsontext.Value(`{"anthropic_model":"m","thinking":null,"thinking_budget_tokens":null,"extra_body":{}}`)}, nil, nil)
	if err != nil {
		t.Error(err)
	}
}
