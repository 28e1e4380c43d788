//go:build !lens_off

package prometheus_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/export/prometheus"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// on asks for an endpoint with a port of its own.
func on(more ...string) []string {
	return append(more, "OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT=0", "OTEL_SERVICE_NAME=demo")
}

// record records once, in a span.
func record(t *testing.T, attrs ...metrics.Label) (traceID string) {
	t.Helper()
	ctx, span := lens.Start(t.Context(), "x")
	defer span.End()
	metrics.Record(ctx, "demo", metrics.Values{"step": 3, "tokens": 7, "loss": 0.5}, append(attrs, metrics.Str("phase", "train"))...)
	id := span.Ref().TraceID
	return hex.EncodeToString(id[:])
}

// Names, units and the resource are as the rules say, for who reads text and for who reads OpenMetrics, which has exemplars too.
func TestEndpoint(t *testing.T) {
	h, log := start(t, on(), telemetry.WithRuntimeMetrics())
	trace := record(t)
	text := scrape(t, h, plain)
	contains(t, text, "# TYPE demo_step_duration_seconds histogram\n",
		`demo_step_duration_seconds_bucket{otel_scope_name="demo",otel_scope_schema_url="",otel_scope_version="",phase="train",le="10"} 1`,
		`demo_tokens_total{`, "} 7\n", "# TYPE demo_tokens_total counter", "# TYPE demo_loss gauge", `service_name="demo"`, "target_info{",
		"go_goroutine_count{", "go_gc_pause_duration_seconds_bucket{", "otel_sdk_processor_span_processed_total{")
	contains(t, scrape(t, h, openMetrics), "# EOF", `le="10.0"} 1 # {`, `trace_id="`+trace+`"`, `span_id="`)
	if strings.Contains(text, trace) {
		t.Error("an exemplar is in a format that has none")
	}
	contains(t, log.String(), "http://"+h.PrometheusAddr()+"/metrics")

	if status, _ := get(t, "http://"+h.PrometheusAddr()+"/", plain); status != http.StatusNotFound {
		t.Errorf("another path has status %d", status)
	}
	addr := h.PrometheusAddr()
	if host, _, _ := net.SplitHostPort(addr); !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s", addr)
	}
	shutdown(t, h)
	if conn, err := net.Dial("tcp", addr); err == nil {
		_ = conn.Close()
		t.Error("the port is open after the shutdown")
	}
}

// A list has both, and each scrape is what there is at its time.
func TestEndpoint_beside_OTLP(t *testing.T) {
	posts := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- string(body)
	}))
	defer collector.Close()
	h, _ := start(t, append(on(), "OTEL_METRICS_EXPORTER= otlp , prometheus", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT="+collector.URL))
	record(t)
	contains(t, scrape(t, h, plain), `_count{otel_scope_name="demo",otel_scope_schema_url="",otel_scope_version="",phase="train"} 1`)
	record(t)
	contains(t, scrape(t, h, plain), `_count{otel_scope_name="demo",otel_scope_schema_url="",otel_scope_version="",phase="train"} 2`,
		"otel_sdk_exporter_metric_data_point_exported_total")
	shutdown(t, h)
	contains(t, <-posts, "demo.step.duration")
}

// Another process has the port: one warning that says what to do, and everything else works.
func TestEndpoint_port_taken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	h, log := start(t, append(on(), "OTEL_EXPORTER_PROMETHEUS_PORT="+port, "OTEL_EXPORTER_PROMETHEUS_HOST=127.0.0.1"))
	record(t)
	if h.PrometheusAddr() != "" {
		t.Errorf("it listens on %s", h.PrometheusAddr())
	}
	shutdown(t, h)
	contains(t, log.String(), "OTEL_EXPORTER_PROMETHEUS_PORT", "NEMO_LENS_PROMETHEUS_TARGETS", port)
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings: %s", n, log)
	}
}

// With a folder of targets every process has a port of its own, and Prometheus is told which.
func TestEndpoint_targets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "targets")
	h, _ := start(t, []string{"OTEL_METRICS_EXPORTER=prometheus", "OTEL_SERVICE_NAME=demo/\xffone", "NEMO_LENS_RUN_ID=r7", "NEMO_LENS_PROMETHEUS_TARGETS=" + dir})
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || filepath.Ext(files[0]) != ".json" {
		t.Fatalf("files %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`[{"targets":["%s"],"labels":{"nemo_run_id":"r7","service_name":"demo/%s"}}]`, h.PrometheusAddr(), "\ufffdone")
	if strings.TrimSpace(string(text)) != want || !json.Valid(text) {
		t.Errorf("got %s, want %s", text, want)
	}
	scrape(t, h, plain)
	shutdown(t, h)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestEndpoint_targets_that_cannot_be(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, log := start(t, append(on(), "NEMO_LENS_PROMETHEUS_TARGETS="+file))
	scrape(t, h, plain)
	contains(t, log.String(), "level=WARN", "NEMO_LENS_PROMETHEUS_TARGETS", file)
}

// A view holds here too, and what it drops is on the exemplar when there is room.
func TestEndpoint_views(t *testing.T) {
	h, _ := start(t, on(), otelopt.WithMetricViews(
		sdkmetric.NewView(sdkmetric.Instrument{Name: "demo.step.duration"}, sdkmetric.Stream{
			Aggregation:     sdkmetric.AggregationExplicitBucketHistogram{Boundaries: []float64{2, 4}},
			AttributeFilter: attribute.NewDenyKeysFilter("rank")}),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "demo.loss"}, sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}})))
	record(t, metrics.Str("rank", "r1"))
	text := scrape(t, h, openMetrics)
	contains(t, text, `phase="train",le="4.0"} 1 # {`, `rank="r1"`)
	if strings.Contains(text, "demo_loss") || strings.Contains(text, `rank="r1",le=`) {
		t.Errorf("the views do not hold: %s", text)
	}
}

// One bad byte, or two series that are the same to Prometheus, cost nothing else.
func TestEndpoint_wrong_series(t *testing.T) {
	h, log := start(t, on())
	record(t)
	meter := otel.Meter("theirs")
	c, _ := meter.Int64Counter("bad.text", metric.WithDescription("d\xff"))
	c.Add(t.Context(), 1, metric.WithAttributes(attribute.String("k", "a\xffb"), attribute.StringSlice("l", []string{"\xff"})))
	g, _ := meter.Int64Gauge("twice")
	for _, text := range []string{"\xfe", "\xff"} { // the same when repaired
		g.Record(t.Context(), 5, metric.WithAttributes(attribute.String("k", text)))
	}
	for range 2 {
		contains(t, scrape(t, h, plain), "demo_loss{", "# HELP bad_text_total d\ufffd", `k="a`+"\ufffd"+`b"`, "target_info{", `twice{k="`+"\ufffd")
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings: %s", n, log)
	}
}

// What a view has dropped may be too long for an exemplar, which keeps its ids then.
func TestEndpoint_long_exemplar(t *testing.T) {
	var failed []error
	var mu sync.Mutex
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { mu.Lock(); failed = append(failed, err); mu.Unlock() }))
	t.Cleanup(func() { otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Print(err) })) })
	h, _ := start(t, on(), otelopt.WithMetricViews(sdkmetric.NewView(sdkmetric.Instrument{Name: "demo.*"},
		sdkmetric.Stream{AttributeFilter: attribute.NewDenyKeysFilter("note")})))
	trace := record(t, metrics.Str("note", strings.Repeat("é", 70)))
	contains(t, scrape(t, h, openMetrics), trace)
	mu.Lock()
	defer mu.Unlock()
	if len(failed) > 0 {
		t.Errorf("the exporter complains: %v", failed)
	}
}

// Many may come at once. Who is too many is told so.
func TestEndpoint_at_once(t *testing.T) {
	h, _ := start(t, on(), telemetry.WithRuntimeMetrics())
	record(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				status, text := get(t, "http://"+h.PrometheusAddr()+"/metrics", plain)
				if status == http.StatusOK && !strings.Contains(text, "demo_loss{") || status != http.StatusOK && status != http.StatusServiceUnavailable {
					t.Errorf("status %d: %s", status, text)
				}
			}
		})
	}
	wg.Wait()
}

// A callback that hangs keeps the one who asked, and not the end of the program.
func TestEndpoint_hanging_callback(t *testing.T) {
	h, _ := start(t, on())
	entered, release, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	_, err := otel.Meter("theirs").Int64ObservableGauge("hangs", metric.WithInt64Callback(func(context.Context, metric.Int64Observer) error {
		once.Do(func() { close(entered) })
		<-release
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(answered)
		response, err := http.Get("http://" + h.PrometheusAddr() + "/metrics") //nolint:noctx // the shutdown ends it
		if err == nil {
			_ = response.Body.Close()
		}
	}()
	<-entered
	shutdown(t, h)
	<-answered // before the callback has gone on
	close(release)
	http.DefaultClient.CloseIdleConnections()
}

// A program may serve the page on its own mux; then nothing listens for it.
func TestHandler(t *testing.T) {
	page := prometheus.NewHandler()
	if status, text := serve(page); status != http.StatusServiceUnavailable || !strings.Contains(text, "not set up") {
		t.Errorf("before the set-up: %d %s", status, text)
	}
	for range 2 {
		h, log := start(t, on("OTEL_METRICS_EXPORTER=none"), page.Option())
		record(t)
		status, text := serve(page)
		if status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		contains(t, text, "demo_step_duration_seconds_bucket{", "target_info{")
		if h.PrometheusAddr() != "" || strings.Contains(log.String(), "http://") {
			t.Errorf("it listens: %s", log)
		}
		shutdown(t, h)
		if status, _ := serve(page); status != http.StatusServiceUnavailable {
			t.Errorf("after the shutdown: %d", status)
		}
	}
}
