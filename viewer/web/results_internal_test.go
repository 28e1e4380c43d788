package web

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestLineScan(t *testing.T) {
	tests := []struct {
		name, line string
		want       resultKey
		ok         bool
	}{
		{"at the end", `{"a":{"_ng_task_index":9,"_ng_rollout_index":9},"_ng_task_index":3,"_ng_rollout_index":1}`, resultKey{3, 1, 0}, true},
		{"with a retry", `{"_ng_attempt_index":2,"_ng_task_index":3,"_ng_rollout_index":1}`, resultKey{3, 1, 2}, true},
		{"with blanks", "{ \"_ng_task_index\" : 12 ,\t\"_ng_rollout_index\" : 0 }\r", resultKey{12, 0, 0}, true},
		{"the last one counts", `{"_ng_task_index":1,"_ng_task_index":2,"_ng_rollout_index":0}`, resultKey{2, 0, 0}, true},
		{"names in texts", `{"x":"\"_ng_task_index\":7","_ng_task_index":1,"_ng_rollout_index":0}`, resultKey{1, 0, 0}, true},
		{"texts in lists", `{"x":["_ng_task_index",{"y":"_ng_rollout_index"}],"_ng_task_index":1,"_ng_rollout_index":0}`, resultKey{1, 0, 0}, true},
		{"backslashes", `{"x":"a\\","_ng_task_index":1,"_ng_rollout_index":0}`, resultKey{1, 0, 0}, true},
		{"a text is no index", `{"_ng_task_index":"1","_ng_rollout_index":0}`, resultKey{}, false},
		{"a fraction is no index", `{"_ng_task_index":1.5,"_ng_rollout_index":0}`, resultKey{}, false},
		{"an object is no index", `{"_ng_task_index":{},"_ng_rollout_index":0}`, resultKey{}, false},
		{"nothing of a rollout", `{"reward":1}`, resultKey{}, false},
		{"torn", `{"_ng_task_index":1,"_ng_rollout_index":0,"x":"`, resultKey{}, false},
		{"a list", `[1,2]`, resultKey{}, false},
		{"empty", ``, resultKey{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := scanned(tt.line)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("got %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func scanned(line string) (resultKey, bool) {
	var l lineScan
	for _, c := range []byte(line) {
		l.next(c)
	}
	return l.key()
}

// FuzzLineScan holds the scanner against a parser: of a valid object both see the same indices.
func FuzzLineScan(f *testing.F) {
	f.Add(`{"a":[{"b":"\"}"}],"_ng_task_index":3,"_ng_rollout_index":1}`)
	f.Add(`{"_ng_task_index":-3,"_ng_rollout_index":1e3}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, ok := scanned(line)
		v := jsontext.Value(line)
		if !v.IsValid() || v.Kind() != '{' || strings.Contains(line, `\u`) {
			return // garbage may give anything but a panic
		}
		var want lineScan
		eachMember(v, func(name string, value jsontext.Value) {
			switch name {
			case "_ng_task_index", "_ng_rollout_index", "_ng_attempt_index":
				want.member, want.isValue, want.depth = name, true, 1
				if want.text = nil; value.Kind() == '0' || value.Kind() == '"' {
					want.text = value[:min(len(value), 32)]
				}
				want.end()
			}
		})
		want.depth = 0
		if key, wantOK := want.key(); ok != wantOK || ok && got != key {
			t.Errorf("%s: got %v, %v, want %v, %v", line, got, ok, key, wantOK)
		}
	})
}

func line(task, index, pad string) string {
	return `{"x":"` + pad + `","_ng_task_index":` + task + `,"_ng_rollout_index":` + index + "}\n"
}

// TestResults follows a file through its life: not there, growing, with a torn end, replaced.
func TestResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	x := newResults(path)
	ctx := context.Background()
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	has := func(key resultKey, want string) {
		t.Helper()
		line, err := x.row(key)
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("row %v: got %q, %v, want that it is not there", key, line, err)
			}
			return
		}
		if err != nil || string(line) != want {
			t.Errorf("row %v: got %q, %v, want %q", key, line, err, want)
		}
	}
	x.refresh(ctx)
	if s := x.status(); s.Problem == nil || !strings.Contains(*s.Problem, "cannot read results") {
		t.Errorf("status without a file: %+v", s)
	}
	write(line("0", "0", "a") + "no JSON\n" + line("1", "0", strings.Repeat("b", 200_000)) + `{"_ng_task_index":2,`)
	x.refresh(ctx)
	has(resultKey{0, 0, 0}, line("0", "0", "a"))
	has(resultKey{1, 0, 0}, line("1", "0", strings.Repeat("b", 200_000)))
	has(resultKey{2, 0, 0}, "")
	if s := x.status(); s.Problem != nil || s.Rows != 2 || s.Reading {
		t.Errorf("status: %+v", s)
	}
	write(`"_ng_rollout_index":0}` + "\n" + line("0", "0", "again"))
	x.refresh(ctx)
	has(resultKey{2, 0, 0}, `{"_ng_task_index":2,"_ng_rollout_index":0}`+"\n")
	has(resultKey{0, 0, 0}, line("0", "0", "again"))

	if err := os.WriteFile(path, []byte(line("7", "0", "new")), 0o600); err != nil { // shorter: another run
		t.Fatal(err)
	}
	has(resultKey{1, 0, 0}, "") // before anybody noticed
	x.refresh(ctx)
	has(resultKey{7, 0, 0}, line("7", "0", "new"))
	has(resultKey{0, 0, 0}, "")
}

func TestResultsOfFailures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	os.WriteFile(path, []byte(line("0", "0", "scored")), 0o600)
	os.WriteFile(filepath.Join(dir, "out_failures.jsonl"), []byte(line("0", "1", "failed")+line("0", "0", "first try")), 0o600)
	x := newResults(path)
	x.refresh(context.Background())
	if line, err := x.row(resultKey{0, 1, 0}); err != nil || !strings.Contains(string(line), "failed") {
		t.Errorf("got %s, %v", line, err)
	}
	if line, err := x.row(resultKey{0, 0, 0}); err != nil || !strings.Contains(string(line), "scored") {
		t.Errorf("the scored row must win: got %s, %v", line, err)
	}
}

func TestParseResult(t *testing.T) {
	tests := []struct{ name, file, line, want string }{
		{"responses", "", `{"responses_create_params":{"input":"Hi","instructions":"Be brief."},"response":{"output":[` +
			`{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"function_call","name":"f","call_id":"c","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"c","output":"ok"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done"}]},` +
			`{"type":"web_search_call","id":"w"}]},"reward":0.5,"accuracy":true}`,
			"system text: Be brief.|user text: Hi|assistant reasoning 1: hm|assistant call f c 1: {}|tool output f c 1: ok|assistant text 2: Done|" +
				`assistant other web_search_call 2: {"type":"web_search_call","id":"w"}|verify verify: `},
		{"chat shaped", "", `{"responses_create_params":{"input":[{"role":"user","content":"call a tool"},{"role":"assistant","tool_calls":[{"id":"call_1",` +
			`"type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"x\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"sunny"}]}}`,
			`user text: call a tool|assistant call get_weather call_1: {"city": "x"}|tool output get_weather call_1: sunny`},
		{"two calls in a turn", "", `{"response":{"output":[{"type":"function_call","name":"f","call_id":"1","arguments":"1"},{"type":"function_call","name":"f",` +
			`"call_id":"2","arguments":"2"},{"type":"function_call_output","call_id":"1","output":"a"},{"type":"function_call_output","call_id":"2","output":{"b":1}}]}}`,
			`assistant call f 1 1: 1|assistant call f 2 1: 2|tool output f 1 1: a|tool output f 2 1: {"b":1}`},
		{"odd types everywhere", "", `{"responses_create_params":7,"response":{"output":{"a":1}},"reward":"x"}`, `other other: {"a":1}`},
		{"items that are none", "", `{"responses_create_params":{"input":[1,null,"x"]}}`, `other other: 1|other other: null|other other: "x"`},
		{"a failure", "", `{"_ng_failure_class":"timeout","_ng_failure_error":"no answer"}`, `verify verify: `},
		{"empty", "", `{}`, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parseResult([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if got := transcriptText(c.rows); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	for _, bad := range []string{``, `[]`, `{"a":`, `nonsense`} {
		if _, err := parseResult([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func transcriptText(rows []Message) string {
	var lines []string
	for _, m := range rows {
		parts := []string{m.Role, m.Type}
		for _, s := range []string{m.Name, m.Call} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		if m.Turn != nil {
			parts = append(parts, string(rune('0'+*m.Turn)))
		}
		lines = append(lines, strings.Join(parts, " ")+": "+m.Text)
	}
	return strings.Join(lines, "|")
}

func FuzzParseResult(f *testing.F) {
	f.Add([]byte(`{"responses_create_params":{"input":[{"role":"user","content":[{"text":"x"}]}]},"response":{"output":[{"type":"function_call"}]},"reward":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := parseResult(line)
		if err == nil && c == nil {
			t.Error("nothing and no error")
		}
	})
}
