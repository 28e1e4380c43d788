//go:build lens_off && unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// tags are those that the program is built with.
const tags = "lens_off"

// A run that is built without telemetry scores its rollouts like any other, and says once what it has not got.
func TestOffDemo(t *testing.T) {
	out := gym(t, nil, "demo", "--output-dir", filepath.Join(t.TempDir(), "demo"), "--json")
	out.check(t, 0)
	if n := strings.Count(out.stderr, "compiled out"); n != 1 {
		t.Errorf("it says %d times that telemetry is compiled out:\n%s", n, out.stderr)
	}
	var summary struct {
		Rollouts, Scored int
		Traces           struct{ Spans int }
	}
	if err := json.Unmarshal([]byte(out.stdout), &summary); err != nil {
		t.Fatalf("%v in %s", err, out.stdout)
	}
	if summary.Rollouts == 0 || summary.Scored != summary.Rollouts || summary.Traces.Spans != 0 {
		t.Errorf("%+v", summary)
	}
}

func TestOffEval(t *testing.T) {
	f := newFixture(t)
	f.run(nil, "--limit", "4").check(t, 0)
	if n := len(lines(t, f.output)); n != 4 {
		t.Errorf("%d results", n)
	}
	asked := f.run([]string{"NEMO_GYM_OTEL_ENABLED=1"}, "--limit", "4")
	asked.check(t, 0, "telemetry is off", "(build tag lens_off)")
}

// heard keeps the headers that a server gets, by path.
type heard struct {
	mu     sync.Mutex
	byPath map[string]http.Header
}

func (h *heard) serve(t *testing.T, answers map[string]string) (port int) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.byPath[r.URL.Path] = r.Header
		h.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().(*net.TCPAddr).Port
}

// An agent without telemetry stands between a driver, a model and an environment that have it. What the driver sends in
// the headers of W3C reaches both as it came, and their trace stays one.
func TestOffAgentPassesTracesOn(t *testing.T) {
	h := &heard{byPath: map[string]http.Header{}}
	resources := h.serve(t, map[string]string{"/seed_session": `{}`, "/verify": `{"response":{},"reward":1}`})
	model := h.serve(t, map[string]string{"/v1/responses": `{"id":"r","created_at":1,"model":"m","object":"response","output":[{"type":"message",` +
		`"id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}],` +
		`"parallel_tool_calls":false,"tool_choice":"auto","tools":[]}`})
	port := blackbox.FreePort(t)
	dict := fmt.Sprintf(`model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, host: 127.0.0.1, port: %d}
counter:
  resources_servers:
    example_session_state_mgmt: {entrypoint: app.py, domain: agent, host: 127.0.0.1, port: %d}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      host: 127.0.0.1
      port: %d
      resources_server: {type: resources_servers, name: counter}
      model_server: {type: responses_api_models, name: model}
`, model, resources, port)
	cmd := gymCommand(context.Background(), []string{"NEMO_GYM_CONFIG_DICT=" + dict, "NEMO_GYM_CONFIG_PATH=agent"}, "serve")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()

	sent := http.Header{
		"Content-Type": {"application/json"},
		"Traceparent":  {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"},
		"Tracestate":   {"foo@=1,lens=r"},
		"Baggage":      {"nemo.gym.rollout.id=7-2;p=1,tenant=blue"},
	}
	var resp *http.Response
	poll(t, "an answer", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+strconv.Itoa(port)+"/run",
			strings.NewReader(`{"responses_create_params":{"input":"hello"}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = sent
		resp, err = http.DefaultClient.Do(r)
		return err == nil
	})
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d\n%s", resp.StatusCode, &stderr)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, path := range []string{"/seed_session", "/v1/responses", "/verify"} {
		for _, key := range []string{"Traceparent", "Tracestate", "Baggage"} {
			if got := h.byPath[path].Get(key); got != sent.Get(key) {
				t.Errorf("%s of %s is %q, want %q", key, path, got, sent.Get(key))
			}
		}
	}
}
