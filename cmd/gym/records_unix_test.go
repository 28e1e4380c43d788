//go:build !lens_off && (linux || darwin)

package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/viewer/ingest"
)

// The driver of a run with start records is killed while its rollouts are open. What it had open comes with lens recover: each
// rollout is there, marked, with its task, and the spans of the servers hang on it.
func TestKillSupervisor_with_start_records(t *testing.T) {
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "traces.jsonl")
	receiver, err := ingest.Start(t.Context(), ln, ingest.Config{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	configs, input := demoFiles(t, "{distribution: constant, constant_ms: 600000}")
	spools := t.TempDir() + "/spool"
	output := filepath.Join(t.TempDir(), "results.jsonl")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.Endpoint())
	r := startRun(t, []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_START_RECORDS=1", "NEMO_GYM_OTEL_SPOOL=1", "NEMO_LENS_SPOOL_DIR=" + spools,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.Endpoint()}, output, evalArgs(configs, input, output)...)
	poll(t, "records of a rollout and of a call of the model", func() bool {
		return recorded(t, spools, semconv.SpanGymRollout) && recorded(t, spools, "POST /v1/responses") && recorded(t, spools, semconv.GymTaskIndex)
	})
	pids := r.children(t)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.end(t)
	checkGone(t, pids)

	all, err := export.Recover(t.Context(), export.OTLPConfig{SpoolDir: spools}, false)
	if err != nil {
		t.Fatal(err)
	}
	truncated := uint64(0)
	for _, r := range all {
		if truncated += r.Truncated; r.Left+r.Lost > 0 || r.Err != nil {
			t.Errorf("%+v", r)
		}
	}
	if err := receiver.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	rollouts, called := 0, 0
	for id, spans := range traces(t, file) {
		seen := map[string]bool{}
		for _, s := range spans {
			if s.orphan {
				t.Errorf("%s %s of %s has no parent", id, s.Name(), s.service)
			}
			if s.Name() != semconv.SpanGymRollout {
				continue
			}
			rollouts++
			mark, _ := s.Attributes().Get(semconv.SpanTruncated)
			if key := s.SpanID().String(); !mark.Bool() || seen[key] {
				t.Errorf("a rollout is not marked, or has come twice: %v", s.Attributes().AsRaw())
			} else {
				seen[key] = true
			}
			if len(s.kids) > 0 { // one that had only just begun has none
				called++
			}
		}
	}
	if called == 0 || truncated == 0 {
		t.Errorf("%d rollouts, %d with spans of servers, and %d spans were found open", rollouts, called, truncated)
	}
}

// recorded reports whether a text is in a start record of a process.
func recorded(t *testing.T, spools, what string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(spools, "*", "*", "slate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(what)) {
			return true
		}
	}
	return false
}
