//go:build !lens_off

package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// asPreferred is a producer whose metrics have the temporality that an exporter prefers for those of the SDK. The SDK passes a
// producer's metrics on as they are, and ours count from the start; a backend that takes deltas only refuses them.
func asPreferred(e sdkmetric.Exporter, p sdkmetric.Producer) sdkmetric.Producer {
	d := &deltas{Producer: p,
		counters:   e.Temporality(sdkmetric.InstrumentKindObservableCounter) == metricdata.DeltaTemporality,
		histograms: e.Temporality(sdkmetric.InstrumentKindHistogram) == metricdata.DeltaTemporality,
		integers:   map[series]metricdata.DataPoint[int64]{}, floats: map[series]metricdata.DataPoint[float64]{},
		buckets: map[series]metricdata.HistogramDataPoint[float64]{}}
	if !d.counters && !d.histograms {
		return p
	}
	return d
}

// deltas makes of what a producer has counted since the start what came since the collection before. A reader makes one call at
// a time.
type deltas struct {
	sdkmetric.Producer

	counters, histograms bool // which of them

	// What the collection before had.
	integers map[series]metricdata.DataPoint[int64]
	floats   map[series]metricdata.DataPoint[float64]
	buckets  map[series]metricdata.HistogramDataPoint[float64]
}

// series is one metric with one set of attributes.
type series struct {
	name  string
	attrs attribute.Distinct
}

// Produce returns the producer's metrics, which are new for each call.
func (d *deltas) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	scopes, err := d.Producer.Produce(ctx)
	for _, s := range scopes {
		for i := range s.Metrics {
			m := &s.Metrics[i]
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				m.Data = sinceLast(d.counters, d.integers, m.Name, data)
			case metricdata.Sum[float64]:
				m.Data = sinceLast(d.counters, d.floats, m.Name, data)
			case metricdata.Histogram[float64]:
				m.Data = d.histogram(m.Name, data)
			}
		}
	}
	return scopes, err
}

// sinceLast leaves sums that may fall as they are, as the SDK does.
func sinceLast[N int64 | float64](wanted bool, last map[series]metricdata.DataPoint[N], name string, sum metricdata.Sum[N]) metricdata.Sum[N] {
	if !wanted || !sum.IsMonotonic {
		return sum
	}
	sum.Temporality = metricdata.DeltaTemporality
	for i := range sum.DataPoints {
		p := &sum.DataPoints[i]
		key := series{name, p.Attributes.Equivalent()}
		before, there := last[key]
		last[key] = *p
		if !there {
			continue
		}
		p.StartTime = before.Time
		if p.Value >= before.Value { // else it began again
			p.Value -= before.Value
		}
	}
	return sum
}

func (d *deltas) histogram(name string, h metricdata.Histogram[float64]) metricdata.Histogram[float64] {
	if !d.histograms {
		return h
	}
	h.Temporality = metricdata.DeltaTemporality
	for i := range h.DataPoints {
		p := &h.DataPoints[i]
		key := series{name, p.Attributes.Equivalent()}
		before, there := d.buckets[key]
		d.buckets[key] = *p
		if there && p.Count >= before.Count && len(p.BucketCounts) == len(before.BucketCounts) {
			*p = between(before, *p)
		}
	}
	return h
}

// between is what came to a histogram from one point to the next.
func between(before, now metricdata.HistogramDataPoint[float64]) metricdata.HistogramDataPoint[float64] {
	d := now
	d.StartTime, d.Count, d.Sum = before.Time, now.Count-before.Count, now.Sum-before.Sum
	d.BucketCounts = make([]uint64, len(now.BucketCounts)) // those of now are the next one's before
	for i, n := range now.BucketCounts {
		d.BucketCounts[i] = n - min(n, before.BucketCounts[i])
	}
	return d
}
