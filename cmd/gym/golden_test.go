package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/<name>.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, path); got != want {
		t.Errorf("%s says\n%s\nwant (or run the test with -update)\n%s", name, got, want)
	}
}

func TestHelp(t *testing.T) {
	for name, args := range map[string][]string{
		"help":          {"--help"},
		"help_demo":     {"demo", "--help"},
		"help_eval":     {"eval"},
		"help_eval_run": {"eval", "run", "--help"},

		"help_eval_aggregate": {"eval", "aggregate", "--help"},
		"help_eval_profile":   {"eval", "profile", "--help"},
		"help_eval_reverify":  {"eval", "reverify", "--help"},
		"help_eval_compare":   {"eval", "compare", "--help"},
		"help_eval_show":      {"eval", "show", "--help"},

		"help_env":          {"env"},
		"help_env_start":    {"env", "start", "--help"},
		"help_env_status":   {"env", "status", "--help"},
		"help_env_stop":     {"env", "stop", "--help"},
		"help_env_resolve":  {"env", "resolve", "--help"},
		"help_env_validate": {"env", "validate", "--help"},
		"help_env_init":     {"env", "init", "--help"},
		"help_list":         {"list", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			out := gym(t, nil, args...)
			out.check(t, 0)
			golden(t, name, out.stdout)
		})
	}
}

// stable takes from a summary what differs between runs: the folder, durations, and the widths that follow from them;
// and the number of spans, which is for other tests.
func stable(f *fixture, text string) string {
	text = strings.ReplaceAll(text, f.dir+"/", "")
	text = regexp.MustCompile(`\d+ ms|\d+\.\d+ s`).ReplaceAllString(text, "TIME")
	text = regexp.MustCompile(`("p50_ms|"p95_ms|"spans)": [\d.]+`).ReplaceAllString(text, `$1": 0`)
	return regexp.MustCompile(`[ \t]+(TIME|p95)`).ReplaceAllString(text, "  $1")
}

func TestSummary(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	rows := f.rows()
	rows[1] = regexp.MustCompile(`"initial_count":\d+`).ReplaceAllString(rows[1], `"initial_count":"x"`)
	f.tasks(strings.Join(rows, "\n") + "\n")
	for name, more := range map[string][]string{
		"summary_text": nil,
		"summary_json": {"--json"},
	} {
		t.Run(name, func(t *testing.T) {
			out := f.run(nil, append(more, "--limit", "4", "--num-repeats", "2", "--concurrency", "1", "--traces", f.file("traces.jsonl"))...)
			out.check(t, 3)
			golden(t, name, stable(f, out.stdout))
		})
	}
}
