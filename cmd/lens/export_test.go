package main_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is\n%s\nwant (or run the test with -update)\n%s", path, got, want)
	}
}

func TestExport_help(t *testing.T) {
	code, out, errs := lens(t, "export", "--help")
	if code != 0 || errs != "" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	golden(t, "help_export.txt", out)
}

const oneTrace = "8c350816c8be54322ed2ff6b91c68d00"

// What a user sees for a command line, all of it.
func TestExport_golden(t *testing.T) {
	for name, args := range map[string][]string{
		"export_rollouts.txt": {demo, "env:example_multi_step", "--format", "csv", "--table", "rollouts"},
		"export_traces.txt":   {demo, "--format", "csv", "--table", "traces", "--limit", "3"},
		"export_spans.txt":    {demo, "--format", "csv", "--trace", oneTrace},
		"export_none.txt":     {demo, "name=nothing-is-called-that", "--format", "csv"},
		"export_format.txt":   {demo, "--format", "xml"},
		"export_mistakes.txt": {demo, "dru>2s", "--data", "x", "--table", "rows", "--signal", "spans", "--trace", "xyz"},
		"export_no_data.txt":  {"--data", "no-such-folder"},
		"export_no_trace.txt": {demo, "--trace", strings.Repeat("0a", 16)},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lens(t, append([]string{"export"}, args...)...)
			golden(t, name, fmt.Sprintf("exit code %d\n--- standard output\n%s--- standard error\n%s", code, out, errs))
		})
	}
}

// export runs the command, which must succeed, and returns standard output.
func export(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := lens(t, append([]string{"export"}, args...)...)
	if code != 0 {
		t.Fatalf("lens export %q: exit code %d\n%s", args, code, errs)
	}
	return out
}

// What was exported loads again, through any of the compressions.
func TestExport_roundTrip(t *testing.T) {
	dir := t.TempDir()
	want := export(t, demo)
	for _, name := range []string{"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"} {
		path := filepath.Join(dir, name)
		if out := export(t, demo, "--output", path); out != "" {
			t.Errorf("standard output is for the export alone, it has %q", out)
		}
		if got := export(t, path); sorted(got) != sorted(want) {
			t.Errorf("%s gives %d bytes, want %d", name, len(got), len(want))
		}
	}
}

// sorted puts lines in order: those of an export are in the order in which traces became complete.
func sorted(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestExport_file(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "spans.csv")
	code, out, errs := lens(t, "export", demo, "-o", path)
	if code != 0 || out != "" || errs != path+": 10 traces, 165 spans\n" {
		t.Errorf("exit code %d, %q and %q", code, out, errs)
	}
	first, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(first, []byte("trace_id,span_id,")) {
		t.Fatalf("the name says CSV, the file is %.60q, %v", first, err)
	}
	if code, _, errs = lens(t, "export", demo, "-o", path); code != 1 || !strings.Contains(errs, "it is there already; --force replaces it") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, _, _ = lens(t, "export", demo, "-o", path, "--force", "--format", "chrome"); code != 0 {
		t.Errorf("exit code %d with --force", code)
	}
	if again, err := os.ReadFile(path); err != nil || !json.Valid(again) {
		t.Errorf("the file was not replaced: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("it left %v, %v", entries, err)
	}
}

// A folder with nothing in it is no mistake, but perhaps the one above the right one.
func TestExport_folderAbove(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "viewer"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, _, errs := lens(t, "export", "--data", dir)
	if want := "There is no trace in " + dir + ". Perhaps you mean --data " + filepath.Join(dir, "viewer") + ".\n"; code != 0 || errs != want {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// Writing over what is read would lose it.
func TestExport_overItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	if err := os.WriteFile(path, []byte(export(t, demo)), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := lens(t, "export", path, "--output", path, "--force")
	if code != 1 || !strings.Contains(errs, "it is what is exported") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// gymDemo runs the real demo, and returns its folder.
func gymDemo(t *testing.T) string {
	t.Helper()
	if tags != "" {
		t.Skip("built with " + tags + ", a demo records nothing")
	}
	dir := t.TempDir()
	if err := blackbox.Build(dir, "", "../gym"); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "demo")
	if text, err := exec.Command(filepath.Join(dir, "gym"), "demo", "--output-dir", out).CombinedOutput(); err != nil {
		t.Fatalf("gym demo: %v\n%s", err, text)
	}
	return out
}

// The 120 rollouts of the demo, in each format, with and without a viewer that runs over the folder.
func TestExport_demo(t *testing.T) {
	data := filepath.Join(gymDemo(t), "viewer")
	ended := exportDemo(t, data)
	view := startView(t, "--data", data)
	view.Says(t, "Page ")
	running := exportDemo(t, data)
	for what, want := range ended {
		if running[what] != want {
			t.Errorf("%s: with a viewer over the folder it is something else: %d bytes, without %d", what, len(running[what]), len(want))
		}
	}
	view.Signal(t, syscall.SIGTERM)
	if code := view.Ends(t); code != 0 {
		t.Errorf("the viewer ended with %d\n%s", code, view.Output())
	}
}

// exportDemo checks the exports of the demo's folder, and returns what can be compared.
func exportDemo(t *testing.T, data string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range []string{"spans", "rollouts", "traces"} {
		out[table] = export(t, "--data", data, "--format", "csv", "--table", table)
	}
	out["otlp"], out["chrome"] = export(t, "--data", data), export(t, "--data", data, "--format", "perfetto")
	rollouts, err := csv.NewReader(strings.NewReader(out["rollouts"])).ReadAll()
	if err != nil || len(rollouts) != 121 {
		t.Fatalf("%d records of rollouts, want a header and 120; %v", len(rollouts), err)
	}
	spans, err := csv.NewReader(strings.NewReader(out["spans"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Phase string `json:"ph"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(out["chrome"]), &trace); err != nil {
		t.Fatal(err)
	}
	slicesDrawn := 0
	for _, e := range trace.TraceEvents {
		if e.Phase == "X" {
			slicesDrawn++
		}
	}
	if n := strings.Count(out["otlp"], `"spanId":`) - strings.Count(out["otlp"], `"links":[{`); n != len(spans)-1 || slicesDrawn != n {
		t.Errorf("%d spans as OTLP, %d as slices, %d as rows", n, slicesDrawn, len(spans)-1)
	}
	if one := export(t, "--data", data, "env:example_single_tool_call", "attempt:2", "task:0", "--format", "csv", "--table", "rollouts"); strings.Count(one, "\n") != 2 {
		t.Errorf("one attempt of one task is\n%s", one)
	}
	return out
}
