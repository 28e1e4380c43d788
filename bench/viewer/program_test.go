package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the processes that the program starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == childReceiver || os.Args[1] == childHost) {
		main()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// TestProgram measures next to nothing of everything that needs no browser, and sees that each number is there and that nothing is left
// behind.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", withoutChromium(t))
	var out, errs bytes.Buffer
	err := start(t.Context(), []string{"-json", "-dir", dir, "-rounds", "1", "-slice", "10ms", "-spans", "10000", "-large", "2000", "-repeats", "1", "-rollouts", "600",
		"-lists", "2", "-lookup", "100ms", "-start-bytes", "100000", "-start-copies", "1", "-starts", "1", "-kills", "1", "-soak-spans", "50000", "-soak-retain", "1MB"}, &out, &errs)
	if err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	var names []string
	for _, s := range r.Sections {
		names = append(names, s.Name)
		for _, row := range s.Rows {
			if len(row.Values) != len(s.Columns) {
				t.Errorf("%s, %s: %d values in %d columns", s.Name, row.Case, len(row.Values), len(s.Columns))
			}
		}
	}
	if got, want := strings.Join(names, " "), "ingest memory traces list lookup start kill soak"; got != want {
		t.Errorf("sections %s, want %s", got, want)
	}
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "chromium") {
		t.Errorf("it does not say that the browser is missing: %q", r.Notes)
	}
	if len(r.Targets) < 14 {
		t.Errorf("%d targets", len(r.Targets))
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil || !strings.Contains(text.String(), "gym http/protobuf viewer") {
		t.Errorf("printed, %v:\n%s", err, &text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}

// withoutChromium is a PATH with the go command alone.
func withoutChromium(t *testing.T) string {
	t.Helper()
	t.Setenv("LENS_CHROMIUM", "")
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
			return dir
		}
	}
	t.Fatal("there is no go on PATH")
	return ""
}

// children are the processes whose parent this is.
func children(t *testing.T) (out []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) {
			out = append(out, string(b))
		}
	}
	return out
}

func TestProgram_says_what_is_wrong(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"size":          {[]string{"-size", "huge"}, `no size "huge"`},
		"part":          {[]string{"-only", "ingest,sleep"}, `no part "sleep"`},
		"part to skip":  {[]string{"-skip", "sleep"}, `no part "sleep"`},
		"program":       {[]string{"-only", "kill", "-lens", "/nowhere/lens"}, "/nowhere/lens"},
		"other program": {[]string{"-only", "kill", "-lens", "/bin/false"}, "ended at its start"},
		"receiver":      {[]string{childReceiver, "quick"}, `no receiver "quick"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			err := start(t.Context(), test.args, &out, &errs)
			if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
				t.Errorf("error %v, want %s in it; it printed %q", err, test.want, &out)
			}
		})
	}
}

// A number that could not be made is an error, in a table and as a target.
func TestReport_missing(t *testing.T) {
	r := newReport("x")
	s := r.section("a", "", "ms", "MB")
	s.row("first", one(1), none)
	if err := r.missing(); err != nil {
		t.Error(err)
	}
	s.row("second", one(0), one(nan()))
	r.atMost("third", "ms", nan(), 1)
	err := r.missing()
	if err == nil || !strings.Contains(err.Error(), "a, second: MB is missing") || !strings.Contains(err.Error(), "third is missing") || r.Targets[0].Met {
		t.Errorf("error %v", err)
	}
}

func nan() float64 { var zero float64; return zero / zero }
