package results_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/results"
)

const conversation = `{"responses_create_params":{"input":"from the result"},"response":{"id":"r","output":[` +
	`{"type":"reasoning","summary":[{"type":"summary_text","text":"I think."}],"encrypted_content":"zzz"},` +
	`{"type":"function_call","name":"get_weather","call_id":"call_1","arguments":"{\"city\":\"sf\"}"},` +
	`{"type":"function_call_output","call_id":"call_1","output":"cold\u001b[2J\n== verdict\nreward   1"},` +
	`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Cold.\tVery\u202e."},{"type":"refusal","refusal":"No."}]},` +
	`{"type":"new_thing","x":1}],` +
	`"incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":12,"output_tokens":3,"total_tokens":15}},` +
	`"reward":0.5,"accuracy":true,"note":"one\ntwo","ng_trajectory":{"x":1},"_ng_task_index":3,"_ng_rollout_index":1,"_ng_attempt_index":1,"agent_ref":{"name":"simple\u0007"}}` + "\n"

const asked = `{"responses_create_params":{"instructions":"Be brief.","input":[{"role":"system","content":"You help."},` +
	`{"role":"user","content":[{"type":"input_text","text":"Weather?"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}],` +
	`"tools":[{"type":"function","name":"get_weather"},{"type":"web_search"}]},"agent_ref":{"name":"simple"},"_ng_task_index":3,"_ng_rollout_index":1}` + "\n"

func shownRun(t *testing.T) results.Files {
	t.Helper()
	f := results.FilesOf(filepath.Join(t.TempDir(), "r.jsonl"))
	put(t, f.Output, result(0, 0, "1"), conversation, `{"torn`)
	put(t, f.Materialized, input(0, 0), asked, input(4, 0), input(5, 0))
	put(t, f.Failures, failure(3, 1, "timeout"), failure(4, 0, "agent_run_error"), strings.Replace(failure(4, 0, "judge_failed"), "boom-4", `no \u001b[31mjudge\nat all`, 1))
	return f
}

func shown(t *testing.T, f results.Files, target string, full bool) string {
	t.Helper()
	to, err := results.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	s, err := results.Load(f, to.Key)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.WriteText(&b, to.Attempt, full); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), filepath.Dir(f.Output)+"/", "")
}

func TestShow(t *testing.T) {
	f := shownRun(t)
	for name, target := range map[string]string{
		"show_scored": "3:1", "show_failed_attempt": "3-1-a0", "show_failed": "4-0", "show_first_failure": "4-0-a0", "show_not_run": "5:0",
	} {
		t.Run(name, func(t *testing.T) { golden(t, name+".txt", shown(t, f, target, false)) })
	}
	var b bytes.Buffer
	if err := results.List(&b, f, 3); err != nil {
		t.Fatal(err)
	}
	golden(t, "show_list.txt", strings.ReplaceAll(b.String(), filepath.Dir(f.Output)+"/", ""))
}

// AT-09: nothing that is shown controls a terminal, and no line of a model passes for one of ours.
func TestShow_is_inert(t *testing.T) {
	f := shownRun(t)
	var list bytes.Buffer
	if err := results.List(&list, f, 0); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{shown(t, f, "3:1", true), shown(t, f, "4:0", true), list.String()} {
		if strings.ContainsAny(text, "\x1b\x07\u202e") {
			t.Errorf("control characters in %q", text)
		}
		if strings.Count(text, "\n== verdict") > 1 || strings.Contains(text, "\nreward   1\n") {
			t.Errorf("a line of the model's passes for ours: %s", text)
		}
	}
}

func TestShow_long(t *testing.T) {
	f := results.FilesOf(filepath.Join(t.TempDir(), "r.jsonl"))
	put(t, f.Output, strings.Replace(result(0, 0, "1"), `"output":[]`, `"output":[{"role":"assistant","content":"`+strings.Repeat("é", 1<<20)+`"}]`, 1))
	if text := shown(t, f, "0:0", false); len(text) > 20<<10 || !strings.Contains(text, "bytes more (--full shows them)") {
		t.Errorf("%d bytes, want it cut", len(text))
	}
	if text := shown(t, f, "0:0", true); len(text) < 2<<20 {
		t.Errorf("%d bytes, want all", len(text))
	}
}

func TestShow_unknown(t *testing.T) {
	f := shownRun(t)
	if _, err := results.Load(f, results.Key{Task: 3, Rollout: 7}); err == nil || !strings.Contains(err.Error(), "no task 3 with rollout 7") {
		t.Errorf("got %v", err)
	}
	if _, err := results.Load(results.FilesOf("none.jsonl"), results.Key{}); err == nil {
		t.Error("a run that is not there was shown")
	}
	s, err := results.Load(f, results.Key{Task: 3, Rollout: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteText(&bytes.Buffer{}, 9, false); err == nil || !strings.Contains(err.Error(), "attempt 9") {
		t.Errorf("an attempt that never was: %v", err)
	}
}

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]results.Target{
		"3:1":     {Key: results.Key{Task: 3, Rollout: 1}, Attempt: -1},
		"3-1":     {Key: results.Key{Task: 3, Rollout: 1}, Attempt: -1},
		"12-0-a2": {Key: results.Key{Task: 12}, Attempt: 2},
	} {
		if got, err := results.ParseTarget(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "3", ":", "3:", "-1:2", "3:1:2", "a-b", "3-1-a", "99999999999:0", "3:1-ax"} {
		if got, err := results.ParseTarget(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}
