//go:build !lens_off

package telemetry_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/lensgo/lens/telemetry"
)

func explain(t *testing.T, c telemetry.Config) *telemetry.Explanation {
	t.Helper()
	x, err := telemetry.Explain(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExplain(t *testing.T) {
	setenv(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://user:word@collector:4318/base?key=hush", "OTEL_EXPORTER_OTLP_HEADERS=X-Tenant=a,authorization=hush",
		"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT=200", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_LOGS_EXPORTER=none", "OTEL_PROPAGATORS=baggage",
		"OTEL_TRACES_SAMPLER=always_off", "XDG_STATE_HOME=/state")
	before := otel.GetTracerProvider()
	c := config()
	c.RunID, c.ServiceName, c.LogsEnabled = "run-7", "trainer", true
	x := explain(t, c)
	if x.RunID != "run-7" || x.Resource["service.name"] != "trainer" || x.Resource["nemo.run.id"] != "run-7" || x.Resource["host.name"] == "" {
		t.Errorf("run %q, resource %v", x.RunID, x.Resource)
	}
	if !slices.Equal(x.Propagators, []string{"baggage"}) || x.Sampled != 0 || x.SpoolDir != filepath.Join("/state", "nemo-lens", "spool") || x.Disabled || x.JobTraceID != "" {
		t.Errorf("%+v", x)
	}
	traces, metrics, logs := x.Route("traces"), x.Route("metrics"), x.Route("logs")
	if !slices.Equal(traces.Exporters, []string{"otlp"}) || traces.Target.URL != "http://xxxxx@collector:4318/base/v1/traces?key=xxxxx" || !traces.Target.Gzip ||
		traces.Target.Protocol != "http/protobuf" || traces.Target.Timeout != 10*time.Second || !slices.Equal(traces.Target.Headers, []string{"authorization", "x-tenant"}) {
		t.Errorf("traces: %+v", traces)
	}
	if metrics.Target.Timeout != 200*time.Millisecond || metrics.Target.From["TIMEOUT"] != "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT" ||
		metrics.Target.From["ENDPOINT"] != "OTEL_EXPORTER_OTLP_ENDPOINT" || metrics.Target.From["PROTOCOL"] != "" {
		t.Errorf("metrics: %+v", metrics)
	}
	if !slices.Equal(logs.Exporters, []string{"none"}) || logs.ExporterFrom != "OTEL_LOGS_EXPORTER" || !logs.On {
		t.Errorf("logs: %+v", logs)
	}
	if text := fmt.Sprintf("%+v", x); strings.Contains(text, "hush") || strings.Contains(text, "word") {
		t.Errorf("a secret is in %s", text)
	}
	if otel.GetTracerProvider() != before || telemetry.Current() != nil {
		t.Error("something was set up")
	}
}

// What Setup would refuse or warn about is said with the signal that it is about.
func TestExplain_faults(t *testing.T) {
	setenv(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=collector:4318", "OTEL_METRICS_EXPORTER=zipkin", "OTEL_METRIC_EXPORT_INTERVAL=often",
		"OTEL_TRACES_SAMPLER=sometimes", "OTEL_PROPAGATORS=b3", "ENABLE_SINGLE_TRACEID=1", "OTEL_SDK_DISABLED=True",
		"OTEL_SPAN_EVENT_COUNT_LIMIT=many", "OTEL_METRIC_EXPORT_TIMEOUT=0", "OTEL_BLRP_MAX_QUEUE_SIZE=-1")
	c := config()
	c.SingleTraceID = true
	x := explain(t, c)
	if err := x.Route("traces").Err; err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=collector:4318") {
		t.Errorf("traces: %v", err)
	}
	contains(t, strings.Join(x.Route("metrics").Warnings, "\n"), "OTEL_METRICS_EXPORTER", "zipkin", "OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT")
	contains(t, strings.Join(x.Route("traces").Warnings, "\n"), "OTEL_SPAN_EVENT_COUNT_LIMIT")
	contains(t, strings.Join(x.Route("logs").Warnings, "\n"), "OTEL_BLRP_MAX_QUEUE_SIZE")
	contains(t, strings.Join(x.Warnings, "\n"), "OTEL_TRACES_SAMPLER", "sometimes", "OTEL_PROPAGATORS", "b3", "ENABLE_SINGLE_TRACEID")
	if x.Sampled != 1 || x.RunID != "" || len(x.JobTraceID) != 32 || !x.Disabled || !slices.Equal(x.Route("metrics").Exporters, []string{"otlp"}) {
		t.Errorf("%+v", x)
	}
	c.Exporter = "jaeger"
	if err := explain(t, c).Route("logs").Err; err == nil || !strings.Contains(err.Error(), "jaeger") {
		t.Errorf("an exporter that there is not: %v", err)
	}
	setenv(t, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=2", "OTEL_SDK_DISABLED=1")
	x = explain(t, c)
	if contains(t, strings.Join(x.Warnings, "\n"), "OTEL_TRACES_SAMPLER_ARG", "from 0 to 1", "OTEL_SDK_DISABLED is neither true nor false"); x.Disabled {
		t.Error("1 disables")
	}
}

// Metrics may go two ways, and where Prometheus fetches them is said.
func TestExplain_prometheus(t *testing.T) {
	setenv(t, "OTEL_METRICS_EXPORTER=otlp,prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST=::1", "OTEL_TRACES_EXPORTER=console")
	x := explain(t, config())
	if r := x.Route("metrics"); !slices.Equal(r.Exporters, []string{"otlp", "prometheus"}) || r.Scrape != "[::1]:9464" || r.Target.Protocol == "" {
		t.Errorf("%+v", r)
	}
	if r := x.Route("traces"); !slices.Equal(r.Exporters, []string{"console"}) || r.Scrape != "" || r.Target.Protocol != "" {
		t.Errorf("%+v", r)
	}
}

// probed is a collector that answers as a test says, and keeps what came.
type probed struct {
	*httptest.Server

	mu     sync.Mutex
	paths  []string
	bodies []string
}

func newProbed(t *testing.T, answer http.HandlerFunc) *probed {
	t.Helper()
	p := &probed{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.paths, p.bodies = append(p.paths, r.URL.Path), append(p.bodies, string(body))
		p.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", p.URL)
	return p
}

// A probe is one item of its signal, under the program's resource.
func TestProbe(t *testing.T) {
	server := newProbed(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Server", "fake") })
	c := config()
	c.ServiceName = "trainer"
	x := explain(t, c)
	if len(server.paths) > 0 {
		t.Errorf("an explanation has sent %q", server.paths)
	}
	for i, signal := range []string{"traces", "metrics", "logs"} {
		out := x.Probe(t.Context(), signal)
		if out.Err != nil || out.Rejected != 0 || out.Reply == nil || out.Reply.Server != "fake" || out.Reply.Date.IsZero() || (len(out.TraceID) == 32) != (signal == "traces") {
			t.Errorf("%s: %+v", signal, out)
		}
		if len(server.paths) != i+1 || server.paths[i] != "/v1/"+signal || !strings.Contains(server.bodies[i], "trainer") {
			t.Errorf("%s: %q came", signal, server.paths)
		}
	}
	if out := x.Probe(t.Context(), "profiles"); out.Err == nil {
		t.Error("a signal that there is not was sent")
	}
}

// A probe tries once, whatever the answer asks for, and says what it was.
func TestProbe_fails(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer hush-hush")
	server := newProbed(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.Header().Set("WWW-Authenticate", "Bearer realm=x")
		http.Error(w, "no entry with "+r.Header.Get("Authorization"), http.StatusServiceUnavailable)
	})
	x := explain(t, config())
	for i, signal := range []string{"traces", "metrics", "logs"} {
		out := x.Probe(t.Context(), signal)
		if out.Err == nil || out.Reply == nil || out.Reply.Status != 503 || out.Reply.Challenge != "Bearer" || out.Reply.Text != "no entry with xxxxx" {
			t.Errorf("%s: %+v, %+v", signal, out, out.Reply)
		}
		if strings.Contains(fmt.Sprint(out.Err), "hush") {
			t.Errorf("a secret is in %v", out.Err)
		}
		if len(server.paths) != i+1 {
			t.Errorf("%s: %d requests", signal, len(server.paths)-i)
		}
	}
}

func TestProbe_partial_success(t *testing.T) {
	newProbed(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = io.WriteString(w, "\x0a\x0a\x08\x01\x12\x06no way")
	})
	x := explain(t, config())
	for _, signal := range []string{"traces", "metrics", "logs"} {
		if out := x.Probe(t.Context(), signal); out.Err != nil || out.Rejected != 1 || out.Message != "no way" {
			t.Errorf("%s: %+v", signal, out)
		}
	}
}

// What does not answer costs the caller's time and no more.
func TestProbe_ends_with_its_context(t *testing.T) {
	newProbed(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	x := explain(t, config())
	for _, signal := range []string{"traces", "metrics", "logs"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		out := x.Probe(ctx, signal)
		cancel()
		if out.Err == nil || out.Reply != nil {
			t.Errorf("%s: %+v", signal, out)
		}
	}
}
