//go:build !lens_off

package metrics_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/metrics"
)

func TestMain(m *testing.M) {
	metrics.SetPatience(time.Hour) // a machine that is slow makes no callback late, where nobody asks for one that is
	goleak.VerifyTestMain(m)
}

// meter is a provider that stands behind package metrics until the test ends.
type meter struct{ reader *sdkmetric.ManualReader }

func newMeter(t *testing.T) meter {
	t.Helper()
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	seam.SetMeterProvider(provider)
	seam.MetersChanged()
	t.Cleanup(func() {
		seam.SetMeterProvider(nil)
		seam.MetersChanged()
		if err := provider.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return meter{reader}
}

// point is one series: its attributes as text, the value, and of a histogram the count and the bounds.
type point struct {
	attributes string
	value      float64
	count      uint64
	bounds     []float64
	exemplars  int
}

// found is a metric as it was exported.
type found struct {
	unit, kind, scope, about string
	points                   []point
}

// value is the value of the series with these attributes, and whether there is one.
func (f found) value(attributes string) (float64, bool) {
	for _, p := range f.points {
		if p.attributes == attributes {
			return p.value, true
		}
	}
	return 0, false
}

func (m meter) collect(t *testing.T) map[string]found {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &data); err != nil {
		t.Fatal(err)
	}
	out := map[string]found{}
	for _, scope := range data.ScopeMetrics {
		for _, metric := range scope.Metrics {
			f := found{unit: metric.Unit, scope: scope.Scope.Name, about: metric.Description}
			f.kind, f.points = points(t, metric.Data)
			slices.SortFunc(f.points, func(a, b point) int { return slices.Compare([]string{a.attributes}, []string{b.attributes}) })
			out[metric.Name] = f
		}
	}
	return out
}

func points(t *testing.T, data metricdata.Aggregation) (kind string, out []point) {
	t.Helper()
	switch d := data.(type) {
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			out = append(out, point{encode(p.Attributes), p.Sum, p.Count, p.Bounds, len(p.Exemplars)})
		}
		return "histogram", out
	case metricdata.Sum[int64]:
		kind = "counter"
		if !d.IsMonotonic {
			kind = "updown"
		}
		return kind, numbers(d.DataPoints)
	case metricdata.Sum[float64]:
		kind = "counter"
		if !d.IsMonotonic {
			kind = "updown"
		}
		return kind, numbers(d.DataPoints)
	case metricdata.Gauge[int64]:
		return "gauge", numbers(d.DataPoints)
	case metricdata.Gauge[float64]:
		return "gauge", numbers(d.DataPoints)
	}
	t.Fatalf("unexpected data %T", data)
	return "", nil
}

func numbers[N int64 | float64](points []metricdata.DataPoint[N]) (out []point) {
	for _, p := range points {
		out = append(out, point{attributes: encode(p.Attributes), value: float64(p.Value)})
	}
	return out
}

func encode(s attribute.Set) string { return s.Encoded(attribute.DefaultEncoder()) }
