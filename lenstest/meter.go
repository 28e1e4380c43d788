package lenstest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/internal/seam"
)

// Meter keeps what package metrics records, in memory. Make it with [Metrics]. It is safe for concurrent use.
type Meter struct {
	t      testing.TB
	reader *sdkmetric.ManualReader
}

// Point is one series of a metric.
type Point struct {
	Attributes string  // "key=value,key=value", in the order of the keys
	Value      float64 // of a counter its total, of a histogram the sum
	Count      uint64  // of a histogram: how many values
}

// Metrics records what package metrics is told until the test ends. There is one such place for the process, so Metrics calls
// t.Setenv, which makes a parallel test panic. In a build with lens_off nothing is recorded.
func Metrics(t testing.TB) *Meter {
	t.Helper()
	forbidParallel(t)
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	before := seam.MeterProvider()
	seam.SetMeterProvider(provider)
	seam.MetersChanged()
	t.Cleanup(func() {
		if before == nil {
			seam.SetMeterProvider(nil)
		} else {
			seam.SetMeterProvider(*before)
		}
		seam.MetersChanged()
		_ = provider.Shutdown(context.Background()) // a manual reader has nothing to fail at
	})
	return &Meter{t: t, reader: reader}
}

// Points returns the series of a metric as they are now, in the order of their attributes, and none for one that was not
// recorded.
func (m *Meter) Points(name string) (points []Point) {
	m.t.Helper()
	m.each(func(metric metricdata.Metrics) {
		if metric.Name == name {
			points = append(points, pointsOf(metric.Data)...)
		}
	})
	slices.SortFunc(points, func(a, b Point) int { return strings.Compare(a.Attributes, b.Attributes) })
	return points
}

// Point returns the one series of a metric with exactly these attributes ("key=value,key=value" in the order of the keys),
// and the zero Point when there is none.
func (m *Meter) Point(name, attributes string) Point {
	m.t.Helper()
	points := m.Points(name)
	if i := slices.IndexFunc(points, func(p Point) bool { return p.Attributes == attributes }); i >= 0 {
		return points[i]
	}
	return Point{}
}

// Names lists what was recorded, sorted.
func (m *Meter) Names() (names []string) {
	m.t.Helper()
	m.each(func(metric metricdata.Metrics) { names = append(names, metric.Name) })
	slices.Sort(names)
	return names
}

func (m *Meter) each(f func(metricdata.Metrics)) {
	m.t.Helper()
	var data metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &data); err != nil {
		m.t.Errorf("cannot collect metrics: %v", err)
	}
	for _, scope := range data.ScopeMetrics {
		for _, metric := range scope.Metrics {
			f(metric)
		}
	}
}

func pointsOf(data metricdata.Aggregation) []Point {
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		return numbers(d.DataPoints)
	case metricdata.Sum[float64]:
		return numbers(d.DataPoints)
	case metricdata.Gauge[int64]:
		return numbers(d.DataPoints)
	case metricdata.Gauge[float64]:
		return numbers(d.DataPoints)
	case metricdata.Histogram[int64]:
		return sums(d.DataPoints)
	case metricdata.Histogram[float64]:
		return sums(d.DataPoints)
	}
	return nil
}

func numbers[N int64 | float64](points []metricdata.DataPoint[N]) (out []Point) {
	for _, p := range points {
		out = append(out, Point{Attributes: encoded(p.Attributes), Value: float64(p.Value)})
	}
	return out
}

func sums[N int64 | float64](points []metricdata.HistogramDataPoint[N]) (out []Point) {
	for _, p := range points {
		out = append(out, Point{Attributes: encoded(p.Attributes), Value: float64(p.Sum), Count: p.Count})
	}
	return out
}

func encoded(s attribute.Set) string {
	var parts []string
	for _, kv := range s.ToSlice() {
		parts = append(parts, string(kv.Key)+"="+kv.Value.String())
	}
	return strings.Join(parts, ",")
}
