package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// busy is an endpoint of Chat Completions that refuses its first requests, all at once when the last of them is there, and then answers.
type busy struct {
	burst int

	mu   sync.Mutex
	came int
	all  chan struct{} // closed when the burst is there
}

func newBusy(t *testing.T, burst int) *httptest.Server {
	s := httptest.NewServer(&busy{burst: burst, all: make(chan struct{})})
	t.Cleanup(s.Close)
	return s
}

func (b *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the model server has left
	}
	b.mu.Lock()
	b.came++
	refused := b.came <= b.burst
	if b.came == b.burst {
		close(b.all)
	}
	b.mu.Unlock()
	if !refused {
		io.WriteString(w, completion(strings.Contains(string(body), `"role":"tool"`))) //nolint:errcheck // it may have left
		return
	}
	select {
	case <-b.all:
		http.Error(w, `{"error":{"message":"too many at once"}}`, http.StatusTooManyRequests)
	case <-r.Context().Done():
	}
}

// With --concurrency auto, rollouts of which an endpoint refuses more than a model server puts up with are begun again, and scored.
func TestEvalRun_auto_refused(t *testing.T) {
	const rollouts = 20 // all at once: auto begins with more
	f := newFixture(t)
	f.config = write(t, f.file("busy.yaml"), `model:
  responses_api_models:
    vllm_model: {entrypoint: app.py, base_url: `+newBusy(t, rollouts).URL+`/v1, api_key: "", model: m, max_retries: 0}
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`)
	row := `{"responses_create_params":{"input":"Is it cold in Oslo?","tools":[{"type":"function","name":"get_weather","strict":true,` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}}` + "\n"
	f.tasks(strings.Repeat(row, rollouts))
	f.run(nil, "--agent", "agent", "--concurrency", "auto").check(t, 0, fmt.Sprintf("%d rollouts, %[1]d scored", rollouts))
	if n := len(lines(t, f.output)); n != rollouts {
		t.Errorf("%d results, want %d", n, rollouts)
	}
	failures := lines(t, f.file("out/results_failures.jsonl"))
	if len(failures) != rollouts {
		t.Errorf("%d attempts were refused, want %d", len(failures), rollouts)
	}
}
