//go:build unix

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Interrupted, it leaves nothing.
func TestExport_interrupted(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "traces.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(lensBinary, "export", pipe, "--output", filepath.Join(out, "trace.json"), "--format", "chrome")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
	// It reads lines for as long as they come; the first ones say that it is at it.
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	line := []byte(strings.SplitN(export(t, demo), "\n", 2)[0] + "\n")
	if _, err := w.Write(line); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
		t.Fatalf("while it works the folder has %v, %v", entries, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for err == nil { // until it has closed its end
		_, err = w.Write(line)
	}
	cmd.Wait() //nolint:errcheck // the code says all
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(errs.String(), "trace.json was not written") {
		t.Errorf("exit code %d\n%s", code, &errs)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
}
