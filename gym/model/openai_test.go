package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

const (
	key      = "sk-very-secret-0123456789"
	answered = `{"id":"r", "created_at":1,"model":"up","object":"response","output":[{"type":"web_search_call","id":"w","n":12345678901234567890}],` +
		`"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"future":{"x":1e3}}`
)

// endpoint is a stand-in for the model's endpoint that keeps what it was sent.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

// newEndpoint answers with status and body.
func newEndpoint(t *testing.T, status int, body string) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.requests, e.bodies = append(e.requests, r), append(e.bodies, string(b))
		e.mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "up", Value: "1"})
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(e.Close)
	return e
}

// newOpenAI is the server of an openai_model with further settings, which are JSON members.
func newOpenAI(t *testing.T, url, more string) *wire.Server {
	t.Helper()
	client := wire.NewClient(wire.ClientOptions{})
	t.Cleanup(client.Close)
	in := &config.Instance{Name: "policy", Type: config.TypeModel, Impl: "openai_model",
		Settings: jsontext.Value(`{"openai_base_url":"` + url + `/v1","openai_api_key":"` + key + `","openai_model":"gpt-x"` + more + `}`)}
	s, err := model.BuildOpenAI(in, client, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(s http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/v1/responses", strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestOpenAIPassesOn(t *testing.T) {
	unknown, err := os.ReadFile("testdata/llm-unknown-input-items.request.json") // case LL-11
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		settings, body, want string
	}{
		"bytes_are_kept":             {``, `{"input":[{"role":"user","content":"q","ids":[12345678901234567890,1e3, 1.0]}],"temperature":0.10,"top_p":null}`, `{"input":[{"role":"user","content":"q","ids":[12345678901234567890,1e3, 1.0]}],"temperature":0.10,"top_p":null,"model":"gpt-x"}`},
		"the_model_keeps_its_place":  {``, `{"model":"mine","input":"q"}`, `{"model":"gpt-x","input":"q"}`},
		"unknown_items":              {``, string(unknown), strings.TrimSuffix(strings.TrimSpace(string(unknown)), "}") + `,"model":"gpt-x"}`},
		"extra_body_fills_up":        {`,"extra_body":{"seed":7,"temperature":1,"model":"other"}`, `{"input":"q","temperature":null}`, `{"input":"q","temperature":null,"model":"gpt-x","seed":7}`},
		"reasoning_is_kept":          {``, `{"input":[{"type":"reasoning","id":"rs","summary":[]}]}`, `{"input":[{"type":"reasoning","id":"rs","summary":[]}],"model":"gpt-x"}`},
		"reasoning_is_dropped":       {`,"drop_input_reasoning_items":true`, `{"input":[{"type":"reasoning","id":"rs"},{"role":"user","content":"q"},{"type":"reasoning"},{"type":"x","a":1.0}]}`, `{"input":[{"role":"user","content":"q"},{"type":"x","a":1.0}],"model":"gpt-x"}`},
		"text_has_no_reasoning":      {`,"drop_input_reasoning_items":true`, `{"input":"q"}`, `{"input":"q","model":"gpt-x"}`},
		"null_settings_are_defaults": {`,"extra_body":null,"openai_default_headers":null,"max_concurrent_requests":null`, `{"input":"q"}`, `{"input":"q","model":"gpt-x"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t, 200, answered)
			w := ask(newOpenAI(t, e.URL, test.settings), test.body)
			if w.Code != 200 || w.Body.String() != answered {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if len(e.bodies) != 1 || compact(t, e.bodies[0]) != compact(t, test.want) {
				t.Errorf("the endpoint got %s\nwant %s", e.bodies, test.want)
			}
		})
	}
}

// compact takes the blanks between tokens out of a JSON text and leaves the rest as it is.
func compact(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Compact(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(v)
}

func TestOpenAIIsStrict(t *testing.T) {
	e := newEndpoint(t, 200, answered)
	s := newOpenAI(t, e.URL, "")
	for body, place := range map[string]string{`{"input":"q","stop":"x"}`: `["body","stop"]`, `{}`: `["body","input"]`} {
		if w := ask(s, body); w.Code != 422 || !strings.Contains(w.Body.String(), place) || len(e.bodies) != 0 {
			t.Errorf("%s: got %d %s", body, w.Code, w.Body)
		}
	}
}

func TestOpenAIHeaders(t *testing.T) {
	e := newEndpoint(t, 200, answered)
	s := newOpenAI(t, e.URL, `,"openai_default_headers":{"x-team":"blue","authorization-2":"z"}`)
	w := ask(s, `{"input":"q"}`, "Cookie", "Gym___policy=1; a=b", "baggage", "nemo.gym.rollout.id=0-0,other=1",
		"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "X-Mine", "1")
	r := e.requests[0]
	if r.URL.Path != "/v1/responses" || r.Method != "POST" {
		t.Errorf("called %s %s", r.Method, r.URL)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + key, "X-Team": "blue", "Content-Type": "application/json", "Baggage": "other=1",
		"Cookie": "", "X-Mine": "",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(r.Header.Get("Traceparent"), "00-0af7651916cd43dd8448eb211c80319c-") {
		t.Errorf("traceparent is %q", r.Header.Get("Traceparent"))
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || cookies[0].Name != "Gym___policy" {
		t.Errorf("cookies of the reply: %v", cookies)
	}

	t.Run("without_key", func(t *testing.T) {
		e := newEndpoint(t, 200, answered)
		m, err := model.NewOpenAI(model.OpenAISettings{BaseURL: e.URL + "/v1/?api-version=2", Model: "m"}, newClient(t))
		if err != nil {
			t.Fatal(err)
		}
		respondOnce(t, m)
		if r := e.requests[0]; r.Header.Get("Authorization") != "" || r.URL.String() != "/v1/responses?api-version=2" {
			t.Errorf("called %s with %v", r.URL, r.Header)
		}
	})
	t.Run("default_headers_win", func(t *testing.T) {
		e := newEndpoint(t, 200, answered)
		m, err := model.NewOpenAI(model.OpenAISettings{BaseURL: e.URL, Model: "m", APIKey: key, Headers: map[string]model.Secret{"authorization": "Basic x"}}, newClient(t))
		if err != nil {
			t.Fatal(err)
		}
		respondOnce(t, m)
		if got := e.requests[0].Header.Values("Authorization"); len(got) != 1 || got[0] != "Basic x" {
			t.Errorf("got %q", got)
		}
	})
}

func newClient(t *testing.T) *wire.Client {
	c := wire.NewClient(wire.ClientOptions{})
	t.Cleanup(c.Close)
	return c
}

func request(t *testing.T) *model.Request {
	t.Helper()
	p, err := responses.ParseCreateParams(jsontext.Value(`{"input":"q"}`))
	if err != nil {
		t.Fatal(err)
	}
	return &model.Request{Params: p}
}

func respondOnce(t *testing.T, m model.Responder) {
	t.Helper()
	if _, err := m.Respond(t.Context(), request(t)); err != nil {
		t.Fatal(err)
	}
}

func TestOpenAIErrors(t *testing.T) {
	tests := map[string]struct {
		upstream int
		body     string
		status   int
		want     []string
	}{
		"refused":        {429, `{"error":{"message":"slow down"}}`, 429, []string{"answered 429 to POST /v1/responses", `slow down`, "policy cannot answer"}},
		"broken":         {503, `boom`, 503, []string{"503", "boom"}},
		"key_repeated":   {401, `{"error":"no such key: ` + key + `"}`, 401, []string{"401", "no such key: [redacted]"}},
		"redirect":       {302, ``, 502, []string{"302"}},
		"no_json":        {200, `<html>Sign in, ` + key, 502, []string{"something else than an answer: http://127.0.0.1:", `/v1/responses answered 200, which begins with \"<html>Sign in, [redacted]\"`}},
		"no_response":    {200, `{"id":"r"}`, 502, []string{"something else than an answer", "output"}},
		"not_quite_json": {200, `{"id":"r","logprob":-Infinity}`, 502, []string{"something else than an answer", "/v1/responses answered 200: "}},
		"empty":          {200, ``, 502, []string{"something else than an answer"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			e := newEndpoint(t, test.upstream, test.body)
			in := &config.Instance{Name: "policy", Type: config.TypeModel,
				Settings: jsontext.Value(`{"openai_base_url":"` + e.URL + `/v1","openai_api_key":"` + key + `","openai_model":"m","max_retries":0}`)}
			s, err := model.BuildOpenAI(in, newClient(t), slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			w := ask(s, `{"input":"q"}`)
			if w.Code != test.status {
				t.Errorf("got status %d, want %d", w.Code, test.status)
			}
			for _, want := range test.want {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("%q is not in %s", want, w.Body)
				}
			}
			if strings.Contains(w.Body.String()+log.String(), key) {
				t.Error("the key got out")
			}
		})
	}
	t.Run("nobody_listens", func(t *testing.T) {
		refused := errors.New("connection refused")
		m, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "http://127.0.0.1:9/v1", Model: "m", EndpointSettings: model.EndpointSettings{MaxRetries: new(int)}},
			callerFunc(func(context.Context, wire.Call) (*wire.Result, error) { return nil, refused }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Respond(t.Context(), request(t)); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	})
}

// callerFunc is a function that is a Caller.
type callerFunc func(context.Context, wire.Call) (*wire.Result, error)

func (f callerFunc) Do(ctx context.Context, c wire.Call) (*wire.Result, error) { return f(ctx, c) }

func TestOpenAIBound(t *testing.T) {
	var under, most atomic.Int64
	two := 2
	arrived, proceed := make(chan struct{}, 8), make(chan struct{})
	m, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "http://h/v1", Model: "m", EndpointSettings: model.EndpointSettings{MaxConcurrent: &two}},
		callerFunc(func(context.Context, wire.Call) (*wire.Result, error) {
			if n := under.Add(1); n > most.Load() {
				most.Store(n)
			}
			arrived <- struct{}{}
			<-proceed
			under.Add(-1)
			return &wire.Result{Status: 200, Body: []byte(answered)}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { respondOnce(t, m) })
	}
	<-arrived
	<-arrived
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Respond(gone, request(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left got %v", err)
	}
	close(proceed)
	group.Wait()
	if most.Load() != 2 {
		t.Errorf("%d calls were under way at once, bound is 2", most.Load())
	}
}

func TestOpenAISettings(t *testing.T) {
	zero := 0
	_, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "ftp://" + key, APIKey: key + "\n", EndpointSettings: model.EndpointSettings{MaxConcurrent: &zero},
		Headers: map[string]model.Secret{"a b": key, "X-Key": key + "\n"}}, nil)
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for _, want := range []string{"openai_base_url", "openai_model", "openai_api_key", `"a b"`, `"X-Key"`, "max_concurrent_requests is 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("the key is in the error: %v", err)
	}
	if _, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "http://us er:" + key + "@h/\x7f", Model: "m"}, nil); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}

func TestSecret(t *testing.T) {
	var s model.OpenAISettings
	in := &config.Instance{Settings: jsontext.Value(`{"openai_api_key":12345678,"openai_default_headers":{"a":"` + key + `","b":null}}`)}
	if err := in.DecodeSettings(&s); err != nil || s.APIKey != "12345678" || s.Headers["a"] != key || s.Headers["b"] != "" {
		t.Errorf("%v, %q", err, string(s.APIKey))
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s.APIKey)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q", s, s, s.APIKey, s.APIKey), string(b), log.String()} {
		if strings.Contains(text, "12345678") || strings.Contains(text, key) {
			t.Errorf("the key is in %s", text)
		}
	}
	in.Settings = jsontext.Value(`{"openai_api_key":["` + key + `"]}`)
	if err := in.DecodeSettings(&s); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}
