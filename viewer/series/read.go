package series

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/store"
)

// batch is the samples of a request.
type batch struct {
	samples []found
	broken  []brokenIn
}

// found is a sample and whose it is. The identity is only made when its series is new.
type found struct {
	sample
	key        uint64
	of         *stream
	attributes pcommon.Map
	bounds     []float64
}

// stream is what the points of a metric of one source share.
type stream struct {
	head
	sum uint64 // its hash, once that is needed
}

// identify makes the whole identity.
func (f *found) identify() identity {
	return identity{head: f.of.head, attributes: attributesOf(f.attributes), bounds: f.bounds}
}

// brokenIn counts points of a stream that cannot be used.
type brokenIn struct {
	of *stream
	n  int64
}

// Read decodes an ExportMetricsServiceRequest. What cannot be decoded is empty. See [store.Digest].
func (m *Model) Read(req []byte) store.Batch {
	r := pmetricotlp.NewExportRequest()
	if err := r.UnmarshalProto(req); err != nil {
		return store.Batch{}
	}
	b := &batch{samples: make([]found, 0, r.Metrics().DataPointCount())}
	out := store.Batch{Content: b}
	for _, rm := range r.Metrics().ResourceMetrics().All() {
		src := sourceOf(rm.Resource())
		for _, sm := range rm.ScopeMetrics().All() {
			for _, metric := range sm.Metrics().All() {
				b.metric(src, metric)
			}
		}
	}
	out.Items = len(b.samples)
	for i := range b.samples {
		t := uint64(b.samples[i].time)
		if t != 0 && (out.First == 0 || t < out.First) {
			out.First = t
		}
		out.Last = max(out.Last, t)
	}
	return out
}

func (b *batch) metric(src source, metric pmetric.Metric) {
	st := &stream{head: head{source: src, name: clip(metric.Name()), unit: clip(metric.Unit()), description: clip(metric.Description())}}
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		b.numbers(st, metric.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		sum := metric.Sum()
		st.kind, st.monotonic, st.cumulative = Sum, sum.IsMonotonic(), isCumulative(sum.AggregationTemporality())
		b.numbers(st, sum.DataPoints())
	case pmetric.MetricTypeHistogram:
		st.kind, st.cumulative = Histogram, isCumulative(metric.Histogram().AggregationTemporality())
		b.histograms(st, metric.Histogram().DataPoints())
	case pmetric.MetricTypeExponentialHistogram:
		st.kind, st.cumulative = ExponentialHistogram, isCumulative(metric.ExponentialHistogram().AggregationTemporality())
		b.exponentials(st, metric.ExponentialHistogram().DataPoints())
	case pmetric.MetricTypeSummary:
		st.kind = Summary
		b.summaries(st, metric.Summary().DataPoints())
	}
}

// isCumulative takes a temporality that was not said for the one that SDKs use when nobody asks.
func isCumulative(t pmetric.AggregationTemporality) bool {
	return t != pmetric.AggregationTemporalityDelta
}

func (b *batch) add(st *stream, s sample, attributes pcommon.Map, bounds []float64) {
	if st.sum == 0 {
		st.sum = st.head.hash()
	}
	b.samples = append(b.samples, found{sample: s, key: finish(st.sum+hashOf(attributes), bounds), of: st, attributes: attributes, bounds: bounds})
}

// reject counts a point that cannot be used. Those of a stream stand behind each other.
func (b *batch) reject(st *stream) {
	if n := len(b.broken); n == 0 || b.broken[n-1].of != st {
		b.broken = append(b.broken, brokenIn{of: st})
	}
	b.broken[len(b.broken)-1].n++
}

func (b *batch) numbers(st *stream, points pmetric.NumberDataPointSlice) {
	for _, p := range points.All() {
		b.add(st, numberSample(p), p.Attributes(), nil)
	}
}

func (b *batch) histograms(st *stream, points pmetric.HistogramDataPointSlice) {
	var bounds []float64 // as a rule the same for all
	for _, p := range points.All() {
		s, ok := histogramSample(p)
		if !ok {
			b.reject(st)
			continue
		}
		if !alike(p.ExplicitBounds(), bounds) {
			bounds = p.ExplicitBounds().AsRaw()
		}
		b.add(st, s, p.Attributes(), bounds)
	}
}

func alike(a pcommon.Float64Slice, b []float64) bool {
	if a.Len() != len(b) {
		return false
	}
	for i := range b {
		if a.At(i) != b[i] {
			return false
		}
	}
	return true
}

func (b *batch) exponentials(st *stream, points pmetric.ExponentialHistogramDataPointSlice) {
	for _, p := range points.All() {
		s, ok := exponentialSample(p)
		if !ok {
			b.reject(st)
			continue
		}
		b.add(st, s, p.Attributes(), nil)
	}
}

func (b *batch) summaries(st *stream, points pmetric.SummaryDataPointSlice) {
	for _, p := range points.All() {
		s, quantiles := summarySample(p)
		b.add(st, s, p.Attributes(), quantiles)
	}
}
