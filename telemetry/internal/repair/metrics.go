package repair

import (
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Metrics repairs data in its place: a collection is written anew for each export.
func Metrics(data *metricdata.ResourceMetrics) {
	if data.Resource != nil {
		data.Resource = Resource(data.Resource)
	}
	var f fixer
	for i := range data.ScopeMetrics {
		s := &data.ScopeMetrics[i]
		s.Scope = f.scope(s.Scope)
		for j := range s.Metrics {
			m := &s.Metrics[j]
			m.Name, m.Description, m.Unit = f.text(m.Name), f.text(m.Description), f.text(m.Unit)
			f.data(m.Data)
		}
	}
}

func (f *fixer) data(a metricdata.Aggregation) {
	switch d := a.(type) {
	case metricdata.Gauge[int64]:
		numbers(f, d.DataPoints)
	case metricdata.Gauge[float64]:
		numbers(f, d.DataPoints)
	case metricdata.Sum[int64]:
		numbers(f, d.DataPoints)
	case metricdata.Sum[float64]:
		numbers(f, d.DataPoints)
	case metricdata.Histogram[int64]:
		histograms(f, d.DataPoints)
	case metricdata.Histogram[float64]:
		histograms(f, d.DataPoints)
	case metricdata.ExponentialHistogram[int64]:
		exponentials(f, d.DataPoints)
	case metricdata.ExponentialHistogram[float64]:
		exponentials(f, d.DataPoints)
	case metricdata.Summary:
		for i := range d.DataPoints {
			d.DataPoints[i].Attributes = f.set(d.DataPoints[i].Attributes)
		}
	}
}

func numbers[N int64 | float64](f *fixer, points []metricdata.DataPoint[N]) {
	for i := range points {
		points[i].Attributes = f.set(points[i].Attributes)
		exemplars(f, points[i].Exemplars)
	}
}

func histograms[N int64 | float64](f *fixer, points []metricdata.HistogramDataPoint[N]) {
	for i := range points {
		points[i].Attributes = f.set(points[i].Attributes)
		exemplars(f, points[i].Exemplars)
	}
}

func exponentials[N int64 | float64](f *fixer, points []metricdata.ExponentialHistogramDataPoint[N]) {
	for i := range points {
		points[i].Attributes = f.set(points[i].Attributes)
		exemplars(f, points[i].Exemplars)
	}
}

func exemplars[N int64 | float64](f *fixer, list []metricdata.Exemplar[N]) {
	for i := range list {
		if len(list[i].FilteredAttributes) > 0 {
			list[i].FilteredAttributes = f.attributes(list[i].FilteredAttributes)
		}
	}
}
