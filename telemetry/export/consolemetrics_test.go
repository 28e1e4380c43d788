package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// TestConsoleMetrics: one line an export, with the members that the Python exporter writes.
func TestConsoleMetrics(t *testing.T) {
	var out bytes.Buffer
	reader := sdkmetric.NewPeriodicReader(export.NewConsoleMetrics(&out), sdkmetric.WithInterval(time.Hour))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader),
		sdkmetric.WithResource(sdkresource.NewSchemaless(attribute.String("service.name", "line\nbreak"))))
	ctx := trace.ContextWithSpanContext(t.Context(), context1(2, false))
	m := provider.Meter("scope")
	h, _ := m.Float64Histogram("h", metric.WithUnit("ms"), metric.WithExplicitBucketBoundaries(1, 10))
	h.Record(ctx, 5)
	c, _ := m.Int64Counter("c", metric.WithDescription("d"))
	c.Add(ctx, 2, metric.WithAttributes(attribute.String("k", "v")))
	g, _ := m.Float64Gauge("g")
	g.Record(ctx, 0.5)
	u, _ := m.Int64UpDownCounter("u")
	u.Add(ctx, -1)
	noError(t, provider.ForceFlush(ctx))
	noError(t, provider.Shutdown(ctx))

	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("%d lines, want one for the flush and one for the shutdown: %s", len(lines), &out)
	}
	type point struct {
		Attributes   map[string]any `json:"attributes"`
		Time         int64          `json:"time_unix_nano"`
		Value        json.Number    `json:"value"`
		Count        int            `json:"count"`
		BucketCounts []int          `json:"bucket_counts"`
		Bounds       []float64      `json:"explicit_bounds"`
		Min, Max     float64
		Exemplars    []struct {
			TraceID string `json:"trace_id"`
		}
	}
	var got struct {
		ResourceMetrics []struct {
			Resource     struct{ Attributes map[string]string }
			ScopeMetrics []struct {
				Scope   struct{ Name string }
				Metrics []struct {
					Name, Description, Unit string
					Data                    struct {
						Points      []point `json:"data_points"`
						Temporality int     `json:"aggregation_temporality"`
						Monotonic   bool    `json:"is_monotonic"`
					}
				}
			} `json:"scope_metrics"`
		} `json:"resource_metrics"`
	}
	noError(t, json.Unmarshal(lines[0], &got))
	scope := got.ResourceMetrics[0].ScopeMetrics[0]
	if got.ResourceMetrics[0].Resource.Attributes["service.name"] != "line\nbreak" || scope.Scope.Name != "scope" || len(scope.Metrics) != 4 {
		t.Fatalf("got %s", lines[0])
	}
	for _, m := range scope.Metrics {
		p := m.Data.Points[0]
		ok := p.Time > 0
		switch m.Name {
		case "h":
			ok = ok && m.Unit == "ms" && p.Count == 1 && len(p.BucketCounts) == 3 && p.BucketCounts[1] == 1 && len(p.Bounds) == 2 &&
				p.Min == 5 && p.Max == 5 && m.Data.Temporality == 2 && len(p.Exemplars) == 1 &&
				p.Exemplars[0].TraceID == "0xab000000000000000000000000000001"
		case "c":
			ok = ok && m.Description == "d" && p.Value == "2" && p.Attributes["k"] == "v" && m.Data.Monotonic && m.Data.Temporality == 2
		case "g":
			ok = ok && p.Value == "0.5" && m.Data.Temporality == 0
		case "u":
			ok = ok && p.Value == "-1" && !m.Data.Monotonic
		}
		if !ok {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
}

// TestConsoleMetrics_errors: a writer that fails and a context that is over are errors, and no metrics are no line.
func TestConsoleMetrics_errors(t *testing.T) {
	var out bytes.Buffer
	none := &metricdata.ResourceMetrics{Resource: sdkresource.Empty()}
	noError(t, export.NewConsoleMetrics(&out).Export(t.Context(), none))
	if out.Len() > 0 {
		t.Errorf("printed %q", &out)
	}
	one := &metricdata.ResourceMetrics{Resource: sdkresource.Empty(), ScopeMetrics: []metricdata.ScopeMetrics{{}}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := export.NewConsoleMetrics(&out).Export(over, one); !errors.Is(err, context.Canceled) {
		t.Errorf("Export: %v", err)
	}
	if err := export.NewConsoleMetrics(noWriter{}).Export(t.Context(), one); !errors.Is(err, errNoWriter) {
		t.Errorf("Export: %v", err)
	}
}

var errNoWriter = errors.New("no")

type noWriter struct{}

func (noWriter) Write([]byte) (int, error) { return 0, errNoWriter }

// TestConsoleMetrics_exponential: a view may ask for such a histogram.
func TestConsoleMetrics_exponential(t *testing.T) {
	var out bytes.Buffer
	reader := sdkmetric.NewPeriodicReader(export.NewConsoleMetrics(&out), sdkmetric.WithInterval(time.Hour))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithView(sdkmetric.NewView(
		sdkmetric.Instrument{Kind: sdkmetric.InstrumentKindHistogram},
		sdkmetric.Stream{Aggregation: sdkmetric.AggregationBase2ExponentialHistogram{MaxSize: 4, MaxScale: 0}})))
	h, _ := provider.Meter("scope").Int64Histogram("h")
	for _, n := range []int64{0, 3, 8} {
		h.Record(t.Context(), n)
	}
	noError(t, provider.Shutdown(t.Context()))
	want := `"count":3,"sum":11,"scale":0,"zero_count":1,"positive":{"offset":1,"bucket_counts":[1,1]},"negative":{"offset":0,"bucket_counts":[]},` +
		`"min":0,"max":8,"exemplars":[]}],"aggregation_temporality":2}`
	if !bytes.Contains(out.Bytes(), []byte(want)) || !json.Valid(out.Bytes()) {
		t.Errorf("%s is not in %s", want, &out)
	}
}
