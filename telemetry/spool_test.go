//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

// A program whose collector is down leaves its spans on disk and says so; the next one sends them.
func TestSpool(t *testing.T) {
	c := newCollector(t)
	c.status["/v1/traces"] = http.StatusServiceUnavailable
	conf := config()
	conf.Spool, conf.SpoolDir = true, t.TempDir()+"/spool"

	var said bytes.Buffer
	h, err := telemetry.Setup(t.Context(), conf, telemetry.WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	for range 3 {
		_, span := lens.Start(t.Context(), "x")
		span.End()
	}
	shutdown(t, h)
	if s := h.Stats(); s != (telemetry.Stats{Ended: 3, Spooled: 3}) {
		t.Errorf("Stats %+v", s)
	}
	contains(t, said.String(), "what became of the spans", "ended=3", "sent=0", "on_disk=3", "lens recover", conf.SpoolDir)

	c.mu.Lock()
	delete(c.status, "/v1/traces")
	before := c.posts["/v1/traces"]
	c.mu.Unlock()
	h = start(t, conf)
	shutdown(t, h)
	if s := h.Stats(); s != (telemetry.Stats{Recovered: 3}) || c.posts["/v1/traces"] != before+1 {
		t.Errorf("Stats of the next %+v, %d requests", s, c.posts["/v1/traces"]-before)
	}
}

// A program that asks for no spool leaves no file, and one that cannot have it goes on without.
func TestSpool_that_cannot_be(t *testing.T) {
	newCollector(t)
	conf := config()
	conf.Spool, conf.SpoolDir = true, t.TempDir()+"/open"
	if err := os.Mkdir(conf.SpoolDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(conf.SpoolDir, 0o755); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	h, err := telemetry.Setup(t.Context(), conf, telemetry.WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	_, span := lens.Start(t.Context(), "x")
	span.End()
	shutdown(t, h)
	if s := h.Stats(); s != (telemetry.Stats{Ended: 1, Exported: 1}) {
		t.Errorf("Stats %+v", s)
	}
	contains(t, said.String(), "there is no spool", "0700")
}

// What becomes of telemetry is among the metrics.
func TestMetrics_of_the_exporters(t *testing.T) {
	c := newCollector(t)
	c.status["/v1/traces"] = http.StatusBadRequest
	h := start(t, config())
	_, span := lens.Start(t.Context(), "x")
	span.End()
	_ = h.ForceFlush(t.Context()) // the collector refuses the span
	c.mu.Lock()
	delete(c.status, "/v1/traces")
	c.mu.Unlock()
	_, span = lens.Start(t.Context(), "y")
	span.End()
	if err := h.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = h.Shutdown(t.Context()) // the last metrics
	points := map[string]int64{}
	for name, m := range c.metrics {
		for _, p := range m.GetSum().GetDataPoints() {
			for _, kv := range p.Attributes {
				if kv.Key == semconv.ErrorType {
					name += " " + kv.Value.GetStringValue()
				}
			}
			if strings.HasPrefix(name, "otel.sdk.") || strings.HasPrefix(name, "nemo.lens.") {
				points[name] += p.GetAsInt()
			}
		}
	}
	for name, want := range map[string]int64{
		"otel.sdk.exporter.span.exported": 1, "otel.sdk.exporter.span.exported refused": 1,
		"otel.sdk.processor.span.processed": 2, "otel.sdk.processor.span.processed queue_full": 0,
		"otel.sdk.processor.span.queue.size": 0, "otel.sdk.processor.span.queue.capacity": 32768,
		"nemo.lens.spool.items": 0, "nemo.lens.exporter.repeated": 0,
	} {
		if got, there := points[name]; !there || got != want {
			t.Errorf("%s: %d (there: %v), want %d", name, got, there, want)
		}
	}
	if points["otel.sdk.exporter.metric_data_point.exported"] == 0 {
		t.Errorf("no data points are counted: %v", points)
	}
}

// A program that says itself what became of its spans does without our line.
func TestWithoutReport(t *testing.T) {
	for _, reported := range []bool{true, false} {
		var said bytes.Buffer
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
		opts := []telemetry.Option{telemetry.WithLogger(textLogger(&said))}
		if !reported {
			opts = append(opts, telemetry.WithoutReport())
		}
		c := config()
		c.MetricsEnabled = false
		h, err := telemetry.Setup(t.Context(), c, opts...)
		if err != nil {
			t.Fatal(err)
		}
		_, span := lens.Start(t.Context(), "lost")
		span.End()
		if err := h.Shutdown(t.Context()); err == nil || h.Stats().Failed != 1 {
			t.Errorf("%v, %+v", err, h.Stats())
		}
		if got := strings.Contains(said.String(), "what became of the spans"); got != reported {
			t.Errorf("want a report: %t; the log says %s", reported, said.String())
		}
	}
}
