package main

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestReport: the program measures everything that it says, and leaves nothing behind.
func TestReport(t *testing.T) {
	var out bytes.Buffer
	if err := program.Run(t.Context(), []string{"-rounds", "2", "-operations", "20"}, &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Count(s, "\n") != 1+len(subjects) || strings.Contains(s, "missing") {
		t.Errorf("printed is\n%s", s)
	}
}
