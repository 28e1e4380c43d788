//go:build !lens_off

package main_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	lensgo "github.com/lensgo/lens"
	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/telemetry"
)

// flaky is a collector that takes traces when it is well.
type flaky struct {
	well  atomic.Bool
	taken atomic.Int64
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if !f.well.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	f.taken.Add(1)
}

// leaveSpans is a program whose collector takes nothing.
func leaveSpans(t *testing.T, endpoint, dir string) {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	c := telemetry.Default()
	c.Enabled, c.MetricsEnabled, c.SpanGroups, c.Spool, c.SpoolDir = true, false, "all", true, dir
	h, err := telemetry.Setup(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, span := lensgo.Start(t.Context(), "work")
		span.End()
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := h.Stats(); s.Spooled != 3 {
		t.Fatalf("the program left %+v", s)
	}
}

func TestRecover(t *testing.T) {
	collector := &flaky{}
	server := httptest.NewServer(collector)
	defer server.Close()
	other := httptest.NewServer(collector)
	defer other.Close()
	dir := t.TempDir() + "/spool"
	leaveSpans(t, server.URL, dir)

	recover := func(endpoint string, args ...string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, lensBinary, append([]string{"recover", "--spool-dir", dir}, args...)...)
		cmd.Env = blackbox.Environment("HOME="+t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	code, out := recover(server.URL)
	if code != 1 || !strings.Contains(out, "3 left in "+dir) || !strings.Contains(out, "503") {
		t.Errorf("a collector that takes nothing: exit code %d\n%s", code, out)
	}
	collector.well.Store(true)
	code, out = recover(other.URL)
	if code != 1 || !strings.Contains(out, "3 left") || !strings.Contains(out, "--anywhere") || collector.taken.Load() != 0 {
		t.Errorf("another endpoint: exit code %d, %d requests\n%s", code, collector.taken.Load(), out)
	}
	code, out = recover(server.URL)
	if code != 0 || !strings.Contains(out, "3 items sent") || collector.taken.Load() != 1 {
		t.Errorf("exit code %d, %d requests\n%s", code, collector.taken.Load(), out)
	}
	if code, out = recover(server.URL); code != 0 || !strings.Contains(out, "Nothing is left") {
		t.Errorf("afterwards: exit code %d\n%s", code, out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}

	if code, out = recover(server.URL, "--spool-dir", dir+"s"); code != 0 || !strings.Contains(out, "no folder "+dir+"s") {
		t.Errorf("a folder that is not there: exit code %d\n%s", code, out)
	}
	if code, out = recover(server.URL, "--timeout", "0s"); code != 2 || !strings.Contains(out, "must be above 0") {
		t.Errorf("no time: exit code %d\n%s", code, out)
	}

	collector.well.Store(false)
	leaveSpans(t, other.URL, dir)
	collector.well.Store(true)
	if code, out = recover(server.URL, "--anywhere"); code != 0 || !strings.Contains(out, "3 items sent") {
		t.Errorf("--anywhere: exit code %d\n%s", code, out)
	}
}
