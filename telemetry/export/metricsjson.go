package export

import (
	"encoding/hex"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// appendMetrics appends data as a JSON object.
func appendMetrics(b []byte, data *metricdata.ResourceMetrics) []byte {
	b = appendResource(append(b, `{"resource_metrics":[{"resource":`...), data.Resource)
	b = appendList(append(b, `,"scope_metrics":`...), data.ScopeMetrics, func(b []byte, s metricdata.ScopeMetrics) []byte {
		b = appendScope(append(b, `{"scope":`...), s.Scope)
		b = appendList(append(b, `,"metrics":`...), s.Metrics, appendMetric)
		return append(appendString(append(b, `,"schema_url":`...), s.Scope.SchemaURL), '}')
	})
	b = appendString(append(b, `,"schema_url":`...), data.Resource.SchemaURL())
	return append(b, `}]}`...)
}

func appendMetric(b []byte, m metricdata.Metrics) []byte {
	b = appendString(append(b, `{"name":`...), m.Name)
	b = appendString(append(b, `,"description":`...), m.Description)
	b = appendString(append(b, `,"unit":`...), m.Unit)
	return append(appendData(append(b, `,"data":`...), m.Data), '}')
}

func appendData(b []byte, data metricdata.Aggregation) []byte {
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		return appendSum(b, d, appendInt)
	case metricdata.Sum[float64]:
		return appendSum(b, d, appendFloat)
	case metricdata.Gauge[int64]:
		return append(appendNumbers(append(b, `{"data_points":`...), d.DataPoints, appendInt), '}')
	case metricdata.Gauge[float64]:
		return append(appendNumbers(append(b, `{"data_points":`...), d.DataPoints, appendFloat), '}')
	case metricdata.Histogram[int64]:
		return appendHistogram(b, d, appendInt)
	case metricdata.Histogram[float64]:
		return appendHistogram(b, d, appendFloat)
	case metricdata.ExponentialHistogram[int64]:
		return appendExponential(b, d, appendInt)
	case metricdata.ExponentialHistogram[float64]:
		return appendExponential(b, d, appendFloat)
	}
	return append(b, `{"data_points":[]}`...) // a summary, which no instrument makes
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// appendTemporality closes the list of points: 1 is delta, 2 cumulative, as in OTLP.
func appendTemporality(b []byte, t metricdata.Temporality) []byte {
	n := int64(2)
	if t == metricdata.DeltaTemporality {
		n = 1
	}
	return strconv.AppendInt(append(b, `,"aggregation_temporality":`...), n, 10)
}

func appendSum[N int64 | float64](b []byte, s metricdata.Sum[N], number func([]byte, N) []byte) []byte {
	b = appendNumbers(append(b, `{"data_points":`...), s.DataPoints, number)
	b = appendTemporality(b, s.Temporality)
	return append(strconv.AppendBool(append(b, `,"is_monotonic":`...), s.IsMonotonic), '}')
}

func appendNumbers[N int64 | float64](b []byte, points []metricdata.DataPoint[N], number func([]byte, N) []byte) []byte {
	return appendList(b, points, func(b []byte, p metricdata.DataPoint[N]) []byte {
		b = appendPoint(b, p.Attributes, p.StartTime, p.Time)
		b = number(append(b, `,"value":`...), p.Value)
		return append(appendExemplars(b, p.Exemplars, number), '}')
	})
}

func appendHistogram[N int64 | float64](b []byte, h metricdata.Histogram[N], number func([]byte, N) []byte) []byte {
	b = appendList(append(b, `{"data_points":`...), h.DataPoints, func(b []byte, p metricdata.HistogramDataPoint[N]) []byte {
		b = appendPoint(b, p.Attributes, p.StartTime, p.Time)
		b = strconv.AppendUint(append(b, `,"count":`...), p.Count, 10)
		b = number(append(b, `,"sum":`...), p.Sum)
		b = appendList(append(b, `,"bucket_counts":`...), p.BucketCounts, func(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) })
		b = appendList(append(b, `,"explicit_bounds":`...), p.Bounds, appendFloat)
		b = appendExtremes(b, p.Min, p.Max, number)
		return append(appendExemplars(b, p.Exemplars, number), '}')
	})
	return append(appendTemporality(b, h.Temporality), '}')
}

// appendExponential writes the histogram that a view or a variable asks for.
func appendExponential[N int64 | float64](b []byte, h metricdata.ExponentialHistogram[N], number func([]byte, N) []byte) []byte {
	b = appendList(append(b, `{"data_points":`...), h.DataPoints, func(b []byte, p metricdata.ExponentialHistogramDataPoint[N]) []byte {
		b = appendPoint(b, p.Attributes, p.StartTime, p.Time)
		b = strconv.AppendUint(append(b, `,"count":`...), p.Count, 10)
		b = number(append(b, `,"sum":`...), p.Sum)
		b = strconv.AppendInt(append(b, `,"scale":`...), int64(p.Scale), 10)
		b = strconv.AppendUint(append(b, `,"zero_count":`...), p.ZeroCount, 10)
		b = appendBuckets(append(b, `,"positive":`...), p.PositiveBucket)
		b = appendBuckets(append(b, `,"negative":`...), p.NegativeBucket)
		b = appendExtremes(b, p.Min, p.Max, number)
		return append(appendExemplars(b, p.Exemplars, number), '}')
	})
	return append(appendTemporality(b, h.Temporality), '}')
}

func appendBuckets(b []byte, e metricdata.ExponentialBucket) []byte {
	b = strconv.AppendInt(append(b, `{"offset":`...), int64(e.Offset), 10)
	b = appendList(append(b, `,"bucket_counts":`...), e.Counts, func(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) })
	return append(b, '}')
}

// appendExtremes writes what there is of them.
func appendExtremes[N int64 | float64](b []byte, least, most metricdata.Extrema[N], number func([]byte, N) []byte) []byte {
	if v, ok := least.Value(); ok {
		b = number(append(b, `,"min":`...), v)
	}
	if v, ok := most.Value(); ok {
		b = number(append(b, `,"max":`...), v)
	}
	return b
}

// appendPoint begins a point.
func appendPoint(b []byte, attrs attribute.Set, start, at time.Time) []byte {
	b = appendAttributes(append(b, `{"attributes":`...), attrs.ToSlice())
	b = appendNano(append(b, `,"start_time_unix_nano":`...), start)
	return appendNano(append(b, `,"time_unix_nano":`...), at)
}

// appendNano writes nanoseconds; a time that is not known is 0.
func appendNano(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, '0')
	}
	return strconv.AppendInt(b, t.UnixNano(), 10)
}

func appendExemplars[N int64 | float64](b []byte, exemplars []metricdata.Exemplar[N], number func([]byte, N) []byte) []byte {
	return appendList(append(b, `,"exemplars":`...), exemplars, func(b []byte, e metricdata.Exemplar[N]) []byte {
		b = appendAttributes(append(b, `{"filtered_attributes":`...), e.FilteredAttributes)
		b = number(append(b, `,"value":`...), e.Value)
		b = appendNano(append(b, `,"time_unix_nano":`...), e.Time)
		b = append(hex.AppendEncode(append(b, `,"span_id":"0x`...), e.SpanID), '"')
		return append(hex.AppendEncode(append(b, `,"trace_id":"0x`...), e.TraceID), `"}`...)
	})
}
