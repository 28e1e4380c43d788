//go:build !lens_off

package prometheus

import (
	"unicode/utf8"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// mostRunes is what the labels of an exemplar may have together, by the rules of OpenMetrics, and idRunes what those with the ids
// of trace and span take.
const (
	mostRunes = 128
	idRunes   = len("trace_id") + 32 + len("span_id") + 16
)

// fitExemplars leaves attributes that views have dropped out of exemplars which would be refused with them.
func fitExemplars(a metricdata.Aggregation) {
	switch d := a.(type) {
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	case metricdata.Sum[float64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	case metricdata.Histogram[int64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	case metricdata.ExponentialHistogram[int64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	case metricdata.ExponentialHistogram[float64]:
		for _, p := range d.DataPoints {
			fit(p.Exemplars)
		}
	}
}

func fit[N int64 | float64](exemplars []metricdata.Exemplar[N]) {
	for i, e := range exemplars {
		n := idRunes
		for _, kv := range e.FilteredAttributes {
			n += len(kv.Key) + utf8.RuneCountInString(kv.Value.String())
		}
		if n > mostRunes {
			exemplars[i].FilteredAttributes = nil
		}
	}
}
