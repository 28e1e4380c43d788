//go:build !lens_off && (linux || darwin)

package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/viewer/ingest"
)

// Two programs with start records are killed while a span of the one is open in a span of the other. Both come, marked, once, and in
// one trace.
func TestRecover_after_SIGKILL(t *testing.T) {
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	traces := filepath.Join(t.TempDir(), "traces.jsonl")
	receiver, err := ingest.Start(t.Context(), ln, ingest.Config{Path: traces})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/spool"
	env := blackbox.Environment("HOME="+t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.Endpoint(), "NEMO_LENS_START_RECORDS=1",
		"NEMO_LENS_SPOOL=1", "NEMO_LENS_SPOOL_DIR="+dir)

	cmd := exec.Command(lensBinary, "exec", "--name", "outer", "--", lensBinary, "exec", "--name", "inner", "--", "cat")
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil { // cat waits for it
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	t.Cleanup(kill)
	waitForRecords(t, dir, "outer", "inner")
	kill()
	_ = cmd.Wait()
	waitForEnd(t, dir)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	recover := exec.CommandContext(ctx, lensBinary, "recover", "--spool-dir", dir)
	recover.Env = env
	out, err := recover.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "2 items sent (2 spans open when its process ended: marked as truncated)") {
		t.Errorf("%v: %s", err, out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
	if err := receiver.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := map[string]ptrace.Span{}
	err = ingest.ReadFile(traces, func(td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if truncated, _ := s.Attributes().Get(semconv.SpanTruncated); !truncated.Bool() {
						t.Errorf("%s is not marked", s.Name())
					}
					spans[s.Name()] = s
				}
			}
		}
		return nil
	})
	outer, inner := spans["outer"], spans["inner"]
	if err != nil || len(spans) != 2 || inner.TraceID() != outer.TraceID() || inner.ParentSpanID() != outer.SpanID() {
		t.Errorf("%v, %v", spans, err)
	}
}

// waitForRecords waits until there are start records of spans with these names.
func waitForRecords(t *testing.T, dir string, names ...string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*", "slate"))
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, path := range paths {
			b, _ := os.ReadFile(path)
			all = append(all, b...)
		}
		missing := ""
		for _, name := range names {
			if !bytes.Contains(all, []byte(name)) {
				missing = name
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("there is no record of %s", missing)
		}
	}
}

// waitForEnd waits until no process keeps anything in the spool: the inner program dies beside the outer, which is the only one
// that can be waited for, and until then what it leaves is its own.
func waitForEnd(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		all, err := telemetry.LookIntoSpool(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(w telemetry.Waiting) bool { return w.Living > 0 }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a minute after the kill somebody lives: %+v", all)
		}
	}
}
