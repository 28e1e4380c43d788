package model_test

import (
	"bytes"

	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/wire"
)

const completed = `{"id":"c1","object":"chat.completion","created":7,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"<think>why</think>hi","n":12345678901234567890},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`

// newVLLM is the server of a vllm_model with further settings, which are JSON members.
func newVLLM(t *testing.T, url, more string) *wire.Server {
	t.Helper()
	in := &config.Instance{Name: "policy", Type: config.TypeModel, Impl: "vllm_model",
		Settings: jsontext.Value(`{"base_url":"` + url + `/v1","api_key":"` + key + `","model":"m","max_retries":0` + more + `}`)}
	s, err := model.BuildVLLM(in, newClient(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func post(s http.Handler, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	return w
}

func mustResponse(t *testing.T, w *httptest.ResponseRecorder) responses.Response {
	t.Helper()
	if w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	r, err := responses.ParseResponse(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestVLLMConverts(t *testing.T) {
	e := newEndpoint(t, 200, completed)
	s := newVLLM(t, e.URL, `,"uses_reasoning_parser":true,"chat_template_kwargs":{"a":1},"extra_body":{"seed":3},"sampling_overrides":{"temperature":0.25}`)
	r := mustResponse(t, ask(s, `{"input":"q","max_output_tokens":9,"temperature":1}`))
	output, _ := r.Output()
	if len(output) != 2 || output[0].Type() != "reasoning" || output[0].Thoughts()[0] != "why" || r.Text() != "hi" {
		t.Errorf("got %s", r.AppendTo(nil))
	}
	if usage, _ := r.Usage(); usage.InputTokens() != 3 || usage.OutputTokens() != 2 || usage.TotalTokens() != 5 {
		t.Errorf("usage is %v", usage)
	}
	body, err := responses.ParseObject([]byte(e.bodies[0]))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"model": `"m"`, "max_tokens": "9", "temperature": "0.25", "seed": "3", "chat_template_kwargs": `{"a":1}`} {
		if v, _ := body.Get(name); string(v) != want {
			t.Errorf("%s is %s, want %s", name, v, want)
		}
	}
	if e.requests[0].URL.Path != "/v1/chat/completions" || e.requests[0].Header.Get("Authorization") != "Bearer "+key {
		t.Errorf("called %s with %v", e.requests[0].URL, e.requests[0].Header)
	}
}

func TestVLLMPassesChatOn(t *testing.T) {
	e := newEndpoint(t, 200, completed)
	s := newVLLM(t, e.URL, "")
	w := post(s, "/v1/chat/completions", `{"messages":[{"role":"user","content":"q","n":12345678901234567890}],"seed":1.0,"future":{"x":1e3}}`)
	if w.Code != 200 || w.Body.String() != completed {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if want := `{"messages":[{"role":"user","content":"q","n":12345678901234567890}],"seed":1.0,"future":{"x":1e3},"model":"m"}`; e.bodies[0] != want {
		t.Errorf("the endpoint got %s\nwant %s", e.bodies[0], want)
	}
}

// Cases LL-03, LL-05, LL-09, LL-11, LL-13, LL-23.
func TestVLLMCases(t *testing.T) {
	finished := func(reason string) string { return strings.Replace(completed, `"stop"`, `"`+reason+`"`, 1) }
	t.Run("no_choice", func(t *testing.T) {
		e := newEndpoint(t, 200, testdata(t, "llm-empty-choices.chat.json"))
		if w := ask(newVLLM(t, e.URL, ""), `{"input":"q"}`); w.Code != 502 || !strings.Contains(w.Body.String(), "choices is empty") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("numbers_that_json_lacks", func(t *testing.T) {
		e := newEndpoint(t, 200, testdata(t, "llm-logprobs-nonfinite.chat.json"))
		if w := ask(newVLLM(t, e.URL, ""), `{"input":"q"}`); w.Code != 502 || !strings.Contains(w.Body.String(), "bare -Infinity") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("turns_of_the_other_dialect", func(t *testing.T) {
		e := newEndpoint(t, 200, completed)
		mustResponse(t, ask(newVLLM(t, e.URL, ""), testdata(t, "llm-chat-shaped-input.request.json")))
		r, err := chat.ParseRequest([]byte(e.bodies[0]))
		if err != nil {
			t.Fatal(err)
		}
		list, _ := r.Array("messages")
		var roles []string
		for _, v := range list {
			m, _ := responses.View(v)
			role, _ := m.String("role")
			roles = append(roles, role)
		}
		said, _ := responses.View(list[1])
		calls, _ := said.Array("tool_calls")
		if fmt.Sprint(roles) != "[user assistant tool]" || !said.Null("content") || len(calls) != 1 {
			t.Errorf("the endpoint got %s", e.bodies[0])
		}
	})
	for reason, want := range map[string]string{"length": "incomplete max_output_tokens", "content_filter": "incomplete content_filter", "stop": "completed "} {
		t.Run("finish_reason_"+reason, func(t *testing.T) {
			e := newEndpoint(t, 200, finished(reason))
			r := mustResponse(t, ask(newVLLM(t, e.URL, ""), `{"input":"q"}`))
			if status, _ := r.String("status"); status+" "+r.IncompleteReason() != want {
				t.Errorf("got %s %s, want %s", status, r.IncompleteReason(), want)
			}
		})
	}
	t.Run("items_without_counterpart", func(t *testing.T) {
		e := newEndpoint(t, 200, completed)
		w := ask(newVLLM(t, e.URL, ""), testdata(t, "llm-unknown-input-items.request.json"))
		if w.Code != 501 || !strings.Contains(w.Body.String(), "compaction") || strings.Contains(w.Body.String(), "AAAA") || len(e.bodies) != 0 {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("part_of_the_tokens", func(t *testing.T) {
		e := newEndpoint(t, 200, completed)
		for _, s := range []*wire.Server{newVLLM(t, e.URL, ""), newOpenAI(t, e.URL, "")} {
			w := ask(s, testdata(t, "llm-token-bundle-partial.request.json"))
			if w.Code != 422 || !strings.Contains(w.Body.String(), "generation_log_probs") || len(e.bodies) != 0 {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		}
	})
	t.Run("tokens_of_one_turn_only", func(t *testing.T) {
		e := newEndpoint(t, 200, completed)
		mustResponse(t, ask(newVLLM(t, e.URL, `,"return_token_id_information":true`), `{"input":[
			{"role":"assistant","content":"a","prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":[-0.5]},
			{"role":"user","content":"q"},
			{"role":"assistant","content":"b","prompt_token_ids":[],"generation_token_ids":[],"generation_log_probs":[]},
			{"role":"user","content":"q"},
			{"role":"assistant","content":"c"}]}`))
		r, err := chat.ParseRequest([]byte(e.bodies[0]))
		if err != nil {
			t.Fatal(err)
		}
		list, _ := r.Array("messages")
		last, _ := responses.View(list[len(list)-1])
		if last.Has("prompt_token_ids") || !bytes.Contains(list[0], []byte(`"generation_log_probs":[-0.5]`)) {
			t.Errorf("the endpoint got %s", e.bodies[0])
		}
	})
}

func TestVLLMOverflow(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   int
	}{
		"context_length": {400, `{"message":"This model's maximum context length is 8 tokens."}`, 200},
		"max_tokens":     {400, `{"message":"max_tokens is too large"}`, 200},
		"in_a_stream":    {200, `{"error":{"code":400,"message":"maximum context length is 8"}}`, 200},
		"another_400":    {400, `{"message":"no such role"}`, 400},
		"another_status": {413, `context length`, 413},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t, test.status, test.body)
			for _, more := range []string{``, `,"is_responses_native":true`, `,"return_token_id_information":true`} {
				w := ask(newVLLM(t, e.URL, more), `{"input":"q"}`)
				if w.Code != test.want {
					t.Fatalf("got %d %s", w.Code, w.Body)
				}
				if test.want != 200 {
					continue
				}
				if r := mustResponse(t, w); r.IncompleteReason() != "max_output_tokens" || r.Text() != "" {
					t.Errorf("got %s", w.Body)
				}
			}
		})
	}
}

func TestVLLMTokens(t *testing.T) {
	const probed = `{"id":"c1","created":7,"model":"up",%s"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop",` +
		`"logprobs":{"content":[{"token":"token_id:17","logprob":-0.250},{"token":"token_id:18","logprob":-1e-3}]}}]}`
	for name, test := range map[string]struct {
		prompt string // in the answer
		asks   int
	}{"asked_for": {``, 2}, "told": {`"prompt_token_ids":[4,5],`, 1}} {
		t.Run(name, func(t *testing.T) {
			var paths, bodies []string
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				paths, bodies = append(paths, r.URL.Path), append(bodies, string(b))
				if r.URL.Path == "/tokenize" {
					fmt.Fprint(w, `{"count":2,"tokens":[4,5]}`)
					return
				}
				fmt.Fprintf(w, probed, test.prompt)
			}))
			t.Cleanup(up.Close)
			s := newVLLM(t, up.URL, `,"return_token_id_information":true`)
			r := mustResponse(t, ask(s, `{"input":"q","tools":[{"type":"function","name":"f","parameters":{}}]}`))
			output, _ := r.Output()
			for member, want := range map[string]string{"prompt_token_ids": "[4,5]", "generation_token_ids": "[17,18]", "generation_log_probs": "[-0.250,-1e-3]"} {
				if v, _ := output[len(output)-1].Get(member); compact(t, string(v)) != want {
					t.Errorf("%s is %s, want %s", member, v, want)
				}
			}
			if len(paths) != test.asks || !strings.Contains(bodies[0], `"return_tokens_as_token_ids":true`) {
				t.Errorf("asked %v with %s", paths, bodies[0])
			}
			if test.asks == 2 && (paths[1] != "/tokenize" || !strings.Contains(bodies[1], `"tools":[`) || strings.Contains(bodies[1], "logprobs")) {
				t.Errorf("asked %s with %s", paths[1], bodies[1])
			}
		})
	}
}

// streamer streams bodies in pieces of n bytes; 0 is all at once.
func streamer(t *testing.T, body string, n int) string {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		rest := body
		for n > 0 && len(rest) > n {
			_, _ = io.WriteString(w, rest[:n])
			_ = http.NewResponseController(w).Flush()
			rest = rest[n:]
		}
		_, _ = io.WriteString(w, rest)
	}))
	t.Cleanup(up.Close)
	return up.URL
}

// Cases LL-17 and LL-29: endpoints that stream.
func TestVLLMReadsStreams(t *testing.T) {
	for _, file := range []string{"sse-lf", "sse-crlf", "sse-comments-keepalive", "sse-missing-done"} {
		for _, piece := range []int{0, 1} {
			t.Run(fmt.Sprint(file, "_", piece), func(t *testing.T) {
				s := newVLLM(t, streamer(t, testdata(t, file+".txt"), piece), `,"stream_upstream":true`)
				r := mustResponse(t, ask(s, `{"input":"q"}`))
				usage, _ := r.Usage()
				if status, _ := r.String("status"); r.Text() != "héllo 😀" || status != "completed" || usage.InputTokens() != 3 || usage.OutputTokens() != 2 || usage.TotalTokens() != 5 {
					t.Errorf("got %s", r.AppendTo(nil))
				}
			})
		}
	}
	t.Run("error_event", func(t *testing.T) {
		w := ask(newVLLM(t, streamer(t, testdata(t, "sse-error-event.txt"), 0), ""), `{"input":"q"}`)
		if w.Code != 503 || !strings.Contains(w.Body.String(), "upstream overloaded") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("torn", func(t *testing.T) {
		whole := testdata(t, "sse-lf.txt")
		w := ask(newVLLM(t, streamer(t, whole[:strings.Index(whole, `"finish_reason":"stop"`)-60], 0), ""), `{"input":"q"}`)
		if w.Code != 502 || !strings.Contains(w.Body.String(), "stream") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("asked_for", func(t *testing.T) {
		e := newEndpoint(t, 200, completed)
		mustResponse(t, ask(newVLLM(t, e.URL, `,"stream_upstream":true`), `{"input":"q"}`))
		if !strings.Contains(e.bodies[0], `"stream":true,"stream_options":{"include_usage":true}`) {
			t.Errorf("the endpoint got %s", e.bodies[0])
		}
	})
}

// Case LL-19: long lines are fine, endless ones are not.
func TestVLLMReadsLongLines(t *testing.T) {
	for _, size := range []int{70_000, 2 << 20, 16 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			text := strings.Repeat("x", size)
			body := `data: {"id":"c1","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
			r := mustResponse(t, ask(newVLLM(t, streamer(t, body, 1<<20), ""), `{"input":"q"}`))
			if r.Text() != text {
				t.Errorf("got %d bytes of text, want %d", len(r.Text()), size)
			}
		})
	}
	t.Run("endless", func(t *testing.T) {
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			piece := "data: " + strings.Repeat("x", 1<<16)
			for {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		}))
		t.Cleanup(up.Close)
		client := wire.NewClient(wire.ClientOptions{MaxBody: 1 << 20})
		t.Cleanup(client.Close)
		m, err := model.NewVLLM(model.VLLMSettings{BaseURL: model.URLs{up.URL}, Model: "m"}, client)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Respond(t.Context(), request(t)); err == nil || !strings.Contains(err.Error(), "larger than the bound of 1048576 bytes") {
			t.Errorf("got %v", err)
		}
	})
}

func TestVLLMResponsesNative(t *testing.T) {
	e := newEndpoint(t, 200, answered)
	w := ask(newVLLM(t, e.URL, `,"is_responses_native":true,"sampling_overrides":{"temperature":0.5}`), `{"input":"q","temperature":1}`)
	if w.Code != 200 || w.Body.String() != answered || e.requests[0].URL.Path != "/v1/responses" || e.bodies[0] != `{"input":"q","temperature":0.5,"model":"m"}` {
		t.Errorf("got %d %s; the endpoint got %s", w.Code, w.Body, e.bodies[0])
	}
}

func TestVLLMSettings(t *testing.T) {
	for settings, wants := range map[string][]string{
		`{}`: {"base_url is missing", "model is missing"},
		`{"base_url":["http://h","ftp://h"],"model":"m","api_key":"k\n","default_headers":{"a b":"c"}}`: {"base_url must be a URL", "api_key holds", `"a b"`},
		`{"base_url":{"a":"b"}}`: {"URL or a list of URLs"},
		`{"base_url":[1]}`:       {"URL or a list of URLs"},
	} {
		_, err := model.BuildVLLM(&config.Instance{Name: "policy", Settings: jsontext.Value(settings)}, nil, nil)
		if err == nil {
			t.Errorf("%s was taken", settings)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %v", settings, want, err)
			}
		}
	}
	_, err := model.BuildVLLM(&config.Instance{Name: "policy", Settings: jsontext.Value(`{"base_url":"http://h/v1","model":"m","chat_template_kwargs":null,"extra_body":null,"default_headers":{}}`)},
		nil, nil)
	if err != nil {
		t.Error(err)
	}
}
