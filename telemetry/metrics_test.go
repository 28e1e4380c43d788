//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	colmetricpb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// collector is an OTLP/HTTP receiver of traces and metrics.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	status  map[string]int // by path, instead of 200
	posts   map[string]int // by path
	metrics map[string]*metricpb.Metric
	sources map[string]string // by signal: service.instance.id
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{status: map[string]int{}, posts: map[string]int{}, metrics: map[string]*metricpb.Metric{}, sources: map[string]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.posts[r.URL.Path]++
	if status := c.status[r.URL.Path]; status != 0 {
		w.WriteHeader(status)
		return
	}
	if r.URL.Path == "/v1/traces" {
		var request coltracepb.ExportTraceServiceRequest
		if proto.Unmarshal(body, &request) == nil {
			c.sources["traces"] = instance(request.ResourceSpans[0].Resource.Attributes)
		}
		return
	}
	var request colmetricpb.ExportMetricsServiceRequest
	if proto.Unmarshal(body, &request) != nil {
		return
	}
	for _, rm := range request.ResourceMetrics {
		c.sources["metrics"] = instance(rm.Resource.Attributes)
		for _, sm := range rm.ScopeMetrics {
			for _, m := range sm.Metrics {
				c.metrics[m.Name] = m
			}
		}
	}
}

func instance(attrs []*commonpb.KeyValue) string {
	for _, kv := range attrs {
		if kv.Key == semconv.ServiceInstanceID {
			return kv.Value.GetStringValue()
		}
	}
	return ""
}

func start(t *testing.T, c telemetry.Config, opts ...telemetry.Option) *telemetry.Handle {
	t.Helper()
	h, err := telemetry.Setup(t.Context(), c, append(opts, telemetry.WithLogger(quiet))...)
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	return h
}

// TestMetrics: from a call of package metrics to the collector, with the runtime's own, under the Resource of the spans.
func TestMetrics(t *testing.T) {
	c := newCollector(t)
	h := start(t, config(), telemetry.WithRuntimeMetrics())
	_, span := lens.Start(t.Context(), "x")
	span.End()
	metrics.Gym.ServersActive(t.Context(), 3)
	metrics.Gym.RolloutRan(t.Context(), time.Second)
	if err := h.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	metrics.Gym.RolloutRan(t.Context(), time.Second)
	shutdown(t, h)

	if got := c.metrics[semconv.MetricServersActive].GetGauge().GetDataPoints(); len(got) != 1 || got[0].GetAsInt() != 3 {
		t.Errorf("%s: %v", semconv.MetricServersActive, got)
	}
	// What came after the flush left with the shutdown, though nothing is recorded any more then.
	if got := c.metrics[semconv.MetricRolloutDuration].GetHistogram().GetDataPoints(); len(got) != 1 || got[0].Count != 2 {
		t.Errorf("%s: %v", semconv.MetricRolloutDuration, got)
	}
	if c.sources["traces"] == "" || c.sources["traces"] != c.sources["metrics"] {
		t.Errorf("the signals come from different instances: %v", c.sources)
	}
	names := []string{"go.memory.used", "go.memory.allocated", "go.memory.allocations", "go.memory.gc.goal", "go.gc.cycles",
		"go.goroutine.count", "go.processor.limit", "go.schedule.duration", "go.gc.pause.duration"}
	if runtime.GOOS == "linux" {
		names = append(names, "process.cpu.time", "process.memory.usage", "process.thread.count", "process.open_file_descriptor.count")
	}
	for _, name := range names {
		if m := c.metrics[name]; m == nil || m.Description == "" {
			t.Errorf("%s is not there, or nobody says what it is", name)
		}
	}
	if p := c.metrics["go.goroutine.count"].GetSum().GetDataPoints(); len(p) != 1 || p[0].GetAsInt() < 1 {
		t.Errorf("go.goroutine.count: %v", p)
	}
	if p := c.metrics["go.schedule.duration"].GetHistogram().GetDataPoints(); len(p) != 1 || p[0].Count == 0 || p[0].GetSum() <= 0 ||
		len(p[0].BucketCounts) != len(p[0].ExplicitBounds)+1 {
		t.Errorf("go.schedule.duration: %v", p)
	}
}

// TestMetrics_alone: metrics need neither traces nor a span group.
func TestMetrics_alone(t *testing.T) {
	c := newCollector(t)
	config := config()
	config.TracesEnabled, config.SpanGroups = false, ""
	h := start(t, config)
	if !h.Exporting() || h.Tracing() {
		t.Errorf("Exporting %v, Tracing %v", h.Exporting(), h.Tracing())
	}
	metrics.Gym.Verified(t.Context(), time.Millisecond, true)
	shutdown(t, h)
	if c.metrics[semconv.MetricVerifyDuration] == nil || c.posts["/v1/traces"] > 0 {
		t.Errorf("posts %v, metrics %v", c.posts, c.metrics)
	}
	if c.metrics["go.goroutine.count"] != nil {
		t.Error("the runtime's metrics come unasked")
	}
}

// TestMetrics_off: switched off, or beside a caller's own exporter of spans, none leave and the global provider stays.
func TestMetrics_off(t *testing.T) {
	for name, set := range map[string]func(*telemetry.Config) []telemetry.Option{
		"switched off": func(c *telemetry.Config) []telemetry.Option { c.MetricsEnabled = false; return nil },
		"own exporter": func(*telemetry.Config) []telemetry.Option {
			return []telemetry.Option{otelopt.WithSpanExporter(&spans{})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollector(t)
			before := otel.GetMeterProvider()
			config := config()
			opts := set(&config)
			h := start(t, config, opts...)
			if !h.Tracing() || otel.GetMeterProvider() != before {
				t.Errorf("Tracing %v, or the global provider has changed", h.Tracing())
			}
			metrics.Gym.ServersActive(t.Context(), 3)
			shutdown(t, h)
			if c.posts["/v1/metrics"] > 0 {
				t.Error("metrics left")
			}
		})
	}
}

// TestMetrics_reader: a reader of the caller's own collects instead, for each set-up anew.
func TestMetrics_reader(t *testing.T) {
	for range 2 {
		reader := sdkmetric.NewManualReader()
		h := start(t, config(), otelopt.WithSpanExporter(&spans{}), otelopt.WithMetricReader(reader))
		metrics.Gym.ServersActive(t.Context(), 3)
		var data metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		if len(data.ScopeMetrics) != 1 || data.Resource.Len() == 0 {
			t.Errorf("collected %v", data)
		}
		shutdown(t, h)
	}
}

// TestMetrics_refused: a collector that takes traces only is one warning. It costs no span and fails no program at its end.
func TestMetrics_refused(t *testing.T) {
	c := newCollector(t)
	c.status["/v1/metrics"] = http.StatusNotFound
	var log bytes.Buffer
	h, err := telemetry.Setup(t.Context(), config(), telemetry.WithLogger(textLogger(&log)))
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	_, span := lens.Start(t.Context(), "x")
	span.End()
	for range 3 {
		metrics.Gym.ServersActive(t.Context(), 3)
		if err := h.ForceFlush(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot export metrics") {
			t.Errorf("a flush that reached nobody: %v", err)
		}
	}
	shutdown(t, h)
	if n := strings.Count(log.String(), "cannot export metrics"); n != 1 {
		t.Errorf("warned %d times: %s", n, &log)
	}
	if h.Stats().Exported != 1 {
		t.Errorf("Stats %+v", h.Stats())
	}
}

// TestMetrics_settings: what cannot work for metrics is an error of Setup, and nothing is left running.
func TestMetrics_settings(t *testing.T) {
	for _, kv := range []string{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=collector:4318",
		"OTEL_EXPORTER_OTLP_METRICS_HEADERS=api-key:pass"} {
		t.Run(kv, func(t *testing.T) {
			k, v, _ := strings.Cut(kv, "=")
			t.Setenv(k, v)
			if _, err := telemetry.Setup(t.Context(), config()); err == nil || !strings.Contains(err.Error(), k) {
				t.Errorf("Setup: %v", err)
			}
			c := config()
			c.MetricsEnabled = false
			shutdown(t, start(t, c)) // nobody looks at them
		})
	}
}
