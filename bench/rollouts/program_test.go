package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestProgram measures next to nothing, and sees that each number is there and that nothing is left behind.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if err := start(t.Context(), []string{"-json", "-dir", dir, "-rounds", "1", "-rollouts", "30", "-concurrency", "8"}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.Layout+" "+row.Telemetry)
		if row.CPU.N != 1 || row.ByOff.N != 1 || row.ByProcesses.N != 1 || row.Rate.Median <= 0 || row.Start.Median <= 0 {
			t.Errorf("%+v", row)
		}
		if least := map[string]float64{off: 0, "default": 13, "all": 18}[row.Telemetry]; row.Spans.Median < least || least == 0 && row.Spans.Median > 0 {
			t.Errorf("%s %s: %v spans a rollout, want %v or more", row.Layout, row.Telemetry, row.Spans.Median, least)
		}
	}
	if got, want := strings.Join(names, ", "), "processes off, processes default, processes all, fused off, fused default, fused all"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil || !strings.Contains(text.String(), "CPU / processes") {
		t.Errorf("printed, %v:\n%s", err, &text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// What cannot be measured is refused, and a program that fails is an error with what it says.
func TestProgram_refuses(t *testing.T) {
	for want, args := range map[string][]string{
		"no size":        {"-size", "huge"},
		"at least 2":     {"-rollouts", "1"},
		"cannot run gym": {"-gym", "/bin/false"},
	} {
		var out, errs bytes.Buffer
		if err := start(t.Context(), append(args, "-dir", t.TempDir()), &out, &errs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
}
