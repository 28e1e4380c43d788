package backends_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// buildGym makes the command gym as a user gets it.
func buildGym(t *testing.T) string {
	t.Helper()
	gym := filepath.Join(t.TempDir(), "gym")
	cmd := exec.Command("go", "build", "-o", gym, "./gym")
	cmd.Dir = filepath.Join(root, "cmd")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build gym: %v: %s", err, out)
	}
	return gym
}

// gymRun is a `gym eval run` whose telemetry goes to url. It must end with one of the exit codes.
func gymRun(t *testing.T, gym, url, runID string, codes []int, files map[string]string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), gym, append([]string{"eval", "run", "--input", "tasks.jsonl", "--output", "results.jsonl"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_LOGS_ENABLED=1", "NEMO_GYM_OTEL_SPAN_GROUPS=all",
		"NEMO_GYM_OTEL_RUN_ID="+runID, "NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED=1", "NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS=0.1",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+url, "OTEL_METRIC_EXPORT_INTERVAL=100", "OTEL_BSP_SCHEDULE_DELAY=100")
	out, err := cmd.CombinedOutput()
	for _, code := range codes {
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == code {
			return
		}
	}
	t.Fatalf("gym %s: %v, want exit code %v\n%s", strings.Join(cmd.Args[1:], " "), err, codes, out)
}

// toolRun has rollouts that a model calls a tool in, some of which fail. A model call takes 100 ms and a rollout two of them, so
// that with three at a time there is half a second at least, and metrics leave several times.
func toolRun(t *testing.T, gym, url, runID string) {
	t.Helper()
	const config = `model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, mistake_rate: 0, latency: {distribution: constant, constant_ms: 100}, failures: {rate: 0.2, kinds: [500]}}
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`
	const row = `{"responses_create_params":{"input":"What is the weather like in 'Oslo', for the %d. time?","tools":[{"type":"function","name":"get_weather",` +
		`"strict":true,"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}}` + "\n"
	var tasks strings.Builder
	for i := range 24 {
		fmt.Fprintf(&tasks, row, i)
	}
	gymRun(t, gym, url, runID, []int{3}, map[string]string{"config.yaml": config, "tasks.jsonl": tasks.String()},
		"--config", "config.yaml", "--agent", "agent", "--concurrency", "3")
}

// codeRun has rollouts whose code runs in a sandbox, and a model that streams.
func codeRun(t *testing.T, gym, url, runID string) {
	t.Helper()
	endpoint := httptest.NewServer(http.HandlerFunc(streamProgram))
	defer endpoint.Close()
	tasks := strings.Repeat(`{"responses_create_params":{"input":"Write the sum."},"verifier_metadata":{"unit_tests":{"inputs":["1 2\n"],"outputs":["3\n"]}}}`+"\n", 6)
	gymRun(t, gym, url, runID, []int{0}, map[string]string{"tasks.jsonl": tasks},
		"--resources-server", "code_exec", "--model-type", "openai_model", "--agent", "code_exec_simple_agent", "--concurrency", "2",
		"+policy_base_url="+endpoint.URL+"/v1", "+policy_api_key=none", "+policy_model_name=m", "+policy_model.responses_api_models.openai_model.stream_upstream=true",
		"code_exec.resources_servers.code_exec.language=sh", "code_exec.resources_servers.code_exec.case_timeout_s=60",
		"+sandbox.local.allow_unsafe=true")
}

// streamProgram is an endpoint of the Responses API that streams a program for the shell, and takes its time.
func streamProgram(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	const text = "```sh\\nread a b; echo $((a + b))\\n```"
	item := `{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":"` + text + `"}]}`
	response := func(status, output string) string {
		return `{"id":"r","created_at":1,"model":"m","object":"response","status":"` + status + `","parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[` + output + `],` +
			`"usage":{"input_tokens":7,"output_tokens":9,"total_tokens":16,"input_tokens_details":{"cached_tokens":0},"output_tokens_details":{"reasoning_tokens":2}}}`
	}
	var b bytes.Buffer
	event := func(name, body string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, body)
	}
	event("response.created", `"sequence_number":0,"response":`+response("in_progress", ""))
	event("response.output_text.delta", `"sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"x"`)
	event("response.output_item.done", `"sequence_number":2,"output_index":0,"item":`+item)
	event("response.completed", `"sequence_number":3,"response":`+response("completed", item))
	ctx, cancel := context.WithTimeout(r.Context(), 150*time.Millisecond) // as a model does
	defer cancel()
	<-ctx.Done()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(b.Bytes())
}
