//go:build unix

package main_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// exampleOf is the data set that comes with an environment.
func exampleOf(t *testing.T, environment string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "gym", "config", "assets", "resources_servers", environment, "data", "example.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// byTask puts a number of each result in the order of the tasks.
func byTask(rows []map[string]any, member string) []float64 {
	slices.SortFunc(rows, func(a, b map[string]any) int {
		return int(a["_ng_task_index"].(float64) - b["_ng_task_index"].(float64))
	})
	var numbers []float64
	for _, row := range rows {
		number, _ := row[member].(float64)
		numbers = append(numbers, number)
	}
	return numbers
}

// TestEnvironmentsByName runs the data sets that come with environments, each by nothing but names.
func TestEnvironmentsByName(t *testing.T) {
	faultless := []string{"++policy_model.responses_api_models.synthetic_model.mistake_rate=0"}
	tests := map[string]struct {
		overrides []string
		rewards   []float64
		says      string // in the aggregates
	}{
		"example_single_tool_call":   {faultless, []float64{1, 1, 1, 1, 1}, `"mean/reward": 1`},
		"example_multi_step":         {faultless, []float64{1, 1, 1, 1, 1}, `"mean/accuracy": 1`},
		"example_session_state_mgmt": {faultless, []float64{1, 1, 1, 1, 1}, `"mean/reward": 1`},
		"mcqa":                       {nil, []float64{0, 0, 0, 0, 1}, `"pass@1/accuracy": 20`},
		"example_tool_call_multireward": {faultless,
			[]float64{3, 3, 3, 3, 3}, `"mean/schema_valid": 1`},
		"equivalence_llm_judge": {[]string{`++equivalence_llm_judge.resources_servers.equivalence_llm_judge.judge_equal_label="No tool had"`},
			[]float64{1, 1, 1, 1, 1}, `"mean/reward": 1`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"eval", "run", "--resources-server", name, "--model-type", "synthetic_model", "-i", exampleOf(t, name), "-o", "out.jsonl",
				"++policy_model.responses_api_models.synthetic_model.latency.distribution=none"}
			gymIn(t, dir, nil, append(args, test.overrides...)...).check(t, 0, "5 rollouts, 5 scored")
			if got := byTask(lines(t, filepath.Join(dir, "out.jsonl")), "reward"); !slices.Equal(got, test.rewards) {
				t.Errorf("the rewards are %v, want %v", got, test.rewards)
			}
			if aggregates := read(t, filepath.Join(dir, "out_aggregate_metrics.json")); !strings.Contains(aggregates, test.says) {
				t.Errorf("the aggregates do not say %s:\n%s", test.says, aggregates)
			}
		})
	}
}

// TestJudgeFailure has a judge that fails: no rollout is scored by it, all are kept with the failures, and another judge scores
// them later.
func TestJudgeFailure(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "judge.yaml"), `judge_model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, failures: {rate: 1, kinds: [500]}, latency: {distribution: none}}
equivalence_llm_judge:
  resources_servers:
    equivalence_llm_judge:
      judge_model_server: {type: responses_api_models, name: judge_model}
      judge_equal_label: No tool had
`)
	source := []string{"--resources-server", "equivalence_llm_judge", "--model-type", "synthetic_model", "--config", "judge.yaml"}
	gymIn(t, dir, nil, slices.Concat([]string{"eval", "run", "-i", exampleOf(t, "equivalence_llm_judge"), "-o", "out.jsonl"}, source)...).
		check(t, 3, "5 failed with judge_failed", "judge_model answered 500", "5 rollouts, 0 scored")
	if n := len(lines(t, filepath.Join(dir, "out.jsonl"))); n != 0 {
		t.Errorf("%d results, want none", n)
	}
	failures := lines(t, filepath.Join(dir, "out_failures.jsonl"))
	for _, row := range failures {
		if text := fmt.Sprint(row["_ng_failure_judge_error"]); row["_ng_failure_class"] != "judge_failed" || !strings.HasPrefix(text, "StatusError: judge_model answered 500 to POST /v1/responses") {
			t.Errorf("a failure is %v: %s", row["_ng_failure_class"], text)
		}
	}
	if len(failures) != 5 {
		t.Errorf("%d failures, want 5", len(failures))
	}
	gymIn(t, dir, nil, slices.Concat([]string{"eval", "reverify", "--judge-failed-only", "--rollouts", "out.jsonl", "-o", "mended.jsonl"}, source,
		[]string{"judge_model.responses_api_models.synthetic_model.failures.rate=0"})...).check(t, 0)
	if got := byTask(lines(t, filepath.Join(dir, "mended.jsonl")), "reward"); !slices.Equal(got, []float64{1, 1, 1, 1, 1}) {
		t.Errorf("the rewards are %v", got)
	}
}

// A row that cannot be scored says so to whoever runs it: which row, which server, what is wrong (GY-23).
func TestRowThatCannotBeScored(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tasks.jsonl"), `{"responses_create_params":{"input":"q"},"options":[{"A":"x"}],"expected_answer":"A"}
{"responses_create_params":{"input":"q"},"expected_answer":"A","template_metadata":{"output_regex":"(?<=boom-42)A"}}
`)
	gymIn(t, dir, nil, "eval", "run", "--resources-server", "mcqa", "--model-type", "synthetic_model", "--agent", "mcqa_simple_agent", "-i", "tasks.jsonl", "-o", "out.jsonl").
		check(t, 3, "rollout 1-0 (row 1, line 2; ", "mcqa answered 422 to POST /verify", "boom-42", "has a lookbehind at offset 0", "2 rollouts, 1 scored")
}

// A server that exposes its tools over MCP does so to whoever has the token of a session, and to nobody else.
func TestServeOverMCP(t *testing.T) {
	port := blackbox.FreePort(t)
	cmd := gymCommand(t.Context(), []string{"NEMO_GYM_CONFIG_PATH=weather", fmt.Sprintf("NEMO_GYM_CONFIG_DICT=weather: {resources_servers: "+
		"{example_tool_call_multireward: {entrypoint: app.py, domain: agent, expose_tools_over_mcp: true, host: 127.0.0.1, port: %d}}}", port)}, "serve")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	post := func(path, token, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("X-NeMo-Gym-Session-Token", token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}
	defer http.DefaultClient.CloseIdleConnections()
	var seeded string
	poll(t, "an answer", func() bool {
		status, text := post("/seed_session", "", "{}")
		seeded = text
		return status == http.StatusOK
	})
	_, token, _ := strings.Cut(seeded, `"X-NeMo-Gym-Session-Token":"`)
	token, _, _ = strings.Cut(token, `"`)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Bern"}}}`
	if status, text := post("/mcp", token, call); status != http.StatusOK || !strings.Contains(text, "It rains in Bern today.") {
		t.Errorf("got %d %s", status, text)
	}
	if status, text := post("/mcp", strings.Repeat("0", len(token)), call); status != http.StatusUnauthorized {
		t.Errorf("another token got %d %s", status, text)
	}
}
