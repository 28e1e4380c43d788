//go:build !lens_off && (linux || darwin)

package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// recordsOf is a set-up with or without start records, whose collector takes everything.
func recordsOf(tb testing.TB, on bool) telemetry.Config {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	tb.Cleanup(server.Close)
	tb.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	c := config()
	c.MetricsEnabled = false
	c.Spool, c.SpoolDir, c.StartRecords = true, tb.TempDir()+"/spool", on
	return c
}

func BenchmarkStartRecords(b *testing.B) {
	for i, name := range []string{"Off", "On"} {
		b.Run(name, func(b *testing.B) {
			h, err := telemetry.Setup(b.Context(), recordsOf(b, i == 1), telemetry.WithLogger(quiet))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = h.Shutdown(context.Background()) }()
			b.ReportAllocs()
			for b.Loop() {
				_, span := job.Start(b.Context(), "step")
				span.Int("iteration", 7).Str("what", "a text of some length").Float("loss", 0.25)
				span.End()
			}
		})
	}
}

// Without start records spans cost nothing more, and nothing is on the disk.
func TestStartRecords_off(t *testing.T) {
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // an export meanwhile would be counted too
	allocations := func(c telemetry.Config) float64 {
		h := start(t, c)
		defer shutdown(t, h)
		return testing.AllocsPerRun(1000, func() {
			_, span := job.Start(t.Context(), "step")
			span.Int("iteration", 7)
			span.End()
		})
	}
	off := recordsOf(t, false)
	without := off
	without.Spool = false
	if a, b := allocations(without), allocations(off); b > a {
		t.Errorf("%v allocations, and %v without a spool", b, a)
	}
	if _, err := os.Stat(off.SpoolDir); err == nil {
		t.Error("there is a spool")
	}
	on := off
	on.StartRecords = true
	h := start(t, on)
	_, span := lens.Start(t.Context(), "x")
	found, err := filepath.Glob(filepath.Join(on.SpoolDir, "*", "*", "slate"))
	if err != nil || len(found) != 1 {
		t.Errorf("with start records there is no file: %v, %v", found, err)
	}
	span.End()
	shutdown(t, h)
	if left, err := os.ReadDir(on.SpoolDir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
