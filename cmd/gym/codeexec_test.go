//go:build linux

package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCodeExec has a model write programs for the shell, which is on every machine, and runs them in a sandbox of the run's
// own. The trace has the sandbox; what was run is not in it.
func TestCodeExec(t *testing.T) {
	programs := map[string]string{
		"the sum":     "read a b; echo $((a + b)) # needle",
		"the product": "read a b; echo $((a * b + a - a)) && [ $a != 3 ] # needle",
		"the moon":    "curl -s http://127.0.0.1:1/ || cat /etc/shadow # needle",
	}
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := "I do not know."
		for task, program := range programs {
			if strings.Contains(string(body), task) {
				text = "```sh\n" + program + "\n```"
			}
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"r","created_at":1,"model":"m","object":"response","status":"completed","parallel_tool_calls":false,"tool_choice":"auto",
			"tools":[],"output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":%q}]}]}`, text)
	}))
	defer endpoint.Close()
	dir := t.TempDir()
	var tasks strings.Builder
	for _, task := range []string{"the sum", "the product", "the moon", "nothing"} {
		outputs := `["3\n","7\n"]`
		if task == "the product" {
			outputs = `["2\n","12\n"]`
		}
		fmt.Fprintf(&tasks, `{"responses_create_params":{"input":"Write %s."},"verifier_metadata":{"unit_tests":{"inputs":["1 2\n","3 4\n"],"outputs":%s}}}`+"\n", task, outputs)
	}
	write(t, filepath.Join(dir, "tasks.jsonl"), tasks.String())
	gymIn(t, dir, []string{"NEMO_LENS_SPAN_GROUPS=all"}, "eval", "run", "--resources-server", "code_exec", "--model-type", "openai_model",
		"--agent", "code_exec_simple_agent", "-i", "tasks.jsonl", "-o", "out.jsonl", "--traces", "traces.jsonl",
		"+policy_base_url="+endpoint.URL+"/v1", "+policy_api_key=none", "+policy_model_name=m",
		"code_exec.resources_servers.code_exec.language=sh", "code_exec.resources_servers.code_exec.case_timeout_s=60",
		"+sandbox.local.allow_unsafe=true").check(t, 0, "expected 4, scored 4, missing 0")
	if got := byTask(lines(t, filepath.Join(dir, "out.jsonl")), "reward"); !slices.Equal(got, []float64{1, 0.5, 0, 0}) {
		t.Errorf("the rewards are %v", got)
	}
	if tags != "" {
		return // without telemetry there is no trace of it
	}
	traces := read(t, filepath.Join(dir, "traces.jsonl"))
	for name, want := range map[string]int{"gym.sandbox.start": 7, "gym.sandbox.exec": 7, "gym.sandbox.stop": 7} { // two cases of three programs, and the try at the start
		if n := strings.Count(traces, `"`+name+`"`); n != want && n != want-1 { // the try may come before telemetry is on
			t.Errorf("%d spans %s, want %d", n, name, want)
		}
	}
	if strings.Contains(traces, "needle") {
		t.Error("a program is in the traces")
	}
}
