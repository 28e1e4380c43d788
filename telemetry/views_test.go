//go:build !lens_off

package telemetry_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

func init() {
	metrics.MustRegister(metrics.Group{Name: "viewed", Metrics: []metrics.Metric{
		{Key: "step", Name: "viewed.step", Kind: metrics.Histogram, Unit: "s", Bounds: []float64{10, 20}},
		{Key: "kept", Name: "viewed.kept"},
		{Key: "gone", Name: "viewed.gone"},
	}})
}

// views changes the buckets of one histogram, drops one of its labels, and drops another metric as a whole.
func views() telemetry.Option {
	return otelopt.WithMetricViews(nil,
		sdkmetric.NewView(sdkmetric.Instrument{Name: "viewed.step"}, sdkmetric.Stream{
			Aggregation:     sdkmetric.AggregationExplicitBucketHistogram{Boundaries: []float64{1, 2}},
			AttributeFilter: attribute.NewDenyKeysFilter("rank")}),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "viewed.gone"}, sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}))
}

// record records two ranks in a span.
func record(t *testing.T) (trace [16]byte) {
	ctx, span := lens.Start(t.Context(), "x")
	defer span.End()
	for rank := range 2 {
		metrics.Record(ctx, "viewed", metrics.Values{"step": 1.5, "kept": 3, "gone": 4}, metrics.Int("rank", rank), metrics.Str("phase", "train"))
	}
	return span.Ref().TraceID
}

// TestMetrics_views: a view holds for all who get metrics; an exemplar has the trace, and what the view dropped.
func TestMetrics_views(t *testing.T) {
	c := newCollector(t)
	h := start(t, config(), views())
	trace := record(t)
	shutdown(t, h)

	points := c.metrics["viewed.step"].GetHistogram().GetDataPoints()
	if len(points) != 1 || !slices.Equal(points[0].ExplicitBounds, []float64{1, 2}) || !slices.Equal(points[0].BucketCounts, []uint64{0, 2, 0}) ||
		!slices.Equal(keys(points[0].Attributes), []string{"phase"}) {
		t.Fatalf("viewed.step: %v", points)
	}
	if e := points[0].Exemplars; len(e) == 0 || string(e[0].TraceId) != string(trace[:]) || !slices.Equal(keys(e[0].FilteredAttributes), []string{"rank"}) {
		t.Errorf("exemplars: %v", points[0].Exemplars)
	}
	if got := c.metrics["viewed.kept"].GetGauge().GetDataPoints(); len(got) != 2 || c.metrics["viewed.gone"] != nil {
		t.Errorf("viewed.kept: %v, viewed.gone: %v", got, c.metrics["viewed.gone"])
	}
}

func keys(attrs []*commonpb.KeyValue) (keys []string) {
	for _, kv := range attrs {
		keys = append(keys, kv.Key)
	}
	return keys
}

func TestMetrics_views_console(t *testing.T) {
	out := stdout(t)
	conf := config()
	conf.Exporter, conf.TracesEnabled = telemetry.ExporterConsole, false
	h := start(t, conf, views())
	record(t)
	shutdown(t, h)
	contains(t, out(), `"name":"viewed.step"`, `"attributes":{"phase":"train"}`, `"bucket_counts":[0,2,0],"explicit_bounds":[1,2]`, `"name":"viewed.kept"`)
	if text := out(); strings.Contains(text, "viewed.gone") {
		t.Errorf("viewed.gone is in %s", text)
	}
}

// stdout takes what the process prints from here on.
func stdout(t *testing.T) (text func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdout
	os.Stdout = file
	t.Cleanup(func() { os.Stdout = before; _ = file.Close() })
	return func() string {
		b, _ := os.ReadFile(file.Name())
		return string(b)
	}
}

// The variables that the SDK and the stock exporter read keep working.
func TestMetrics_variables(t *testing.T) {
	c := newCollector(t)
	setenv(t, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta", "OTEL_METRICS_EXEMPLAR_FILTER=always_off",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=base2_exponential_bucket_histogram")
	h := start(t, config())
	record(t)
	shutdown(t, h)
	points := c.metrics["viewed.step"].GetExponentialHistogram().GetDataPoints()
	if len(points) != 2 || points[0].Count != 1 || len(points[0].Exemplars) > 0 {
		t.Errorf("viewed.step: %v", c.metrics["viewed.step"])
	}
	if got := c.metrics["viewed.step"].GetExponentialHistogram().GetAggregationTemporality(); got != 1 {
		t.Errorf("temporality %v, want delta", got)
	}
}
