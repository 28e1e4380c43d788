package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the process that the program starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childLoop {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestProgram measures next to nothing, and sees that each number is there and that nothing is left behind.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if err := start(t.Context(), []string{"-json", "-dir", dir, "-rounds", "1", "-spans", "12000", "-gone", "20ms"}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.Case)
		if row.CPU.N != 1 || row.Time.N != 1 || row.Loop.Median <= 0 || row.P99.Median <= 0 {
			t.Errorf("%+v", row)
		}
	}
	if got, want := strings.Join(names, "; "), "telemetry off; healthy, no spool; healthy, spool; hostile, spool; gone, spool; gone, no spool"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil || !strings.Contains(text.String(), "loop CPU / healthy") {
		t.Errorf("printed, %v:\n%s", err, &text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// What cannot be measured is refused.
func TestProgram_refuses(t *testing.T) {
	for want, args := range map[string][]string{
		"no size":           {"-size", "huge"},
		"at least 100":      {"-spans", "1"},
		"not [\"a\" \"b\"]": {childLoop, "a", "b"},
	} {
		var out, errs bytes.Buffer
		if err := start(t.Context(), args, &out, &errs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
}

// A span that is not where the counts say is an error.
func TestAccount(t *testing.T) {
	r := &run{size: size{spans: 10}}
	m := looped{}
	m.Finished.Ended, m.Finished.Exported, m.Finished.Dropped, m.Finished.Repeated = 10, 8, 2, 1
	healthy := setup{"", healthy, true}
	if err := r.account(healthy, m, 8, 1); err != nil {
		t.Errorf("all is well: %v", err)
	}
	for name, test := range map[string]struct {
		setup          setup
		arrived, again int
	}{
		"one is missing":     {healthy, 7, 0},
		"one is too many":    {healthy, 11, 0},
		"two came twice":     {healthy, 8, 2},
		"something was sent": {setup{"", gone, true}, 8, 0},
		"telemetry is off":   {setup{"", off, false}, 0, 0},
	} {
		if r.account(test.setup, m, test.arrived, test.again) == nil {
			t.Errorf("%s, and nothing is said", name)
		}
	}
	m.Finished.Dropped, m.Finished.Spooled = 1, 1
	if r.account(healthy, m, 8, 0) == nil {
		t.Error("one has stayed on disk, and nothing is said")
	}
	m.Finished.Spooled = 0
	if r.account(healthy, m, 8, 0) == nil {
		t.Error("the counts have lost one, and nothing is said")
	}
}
