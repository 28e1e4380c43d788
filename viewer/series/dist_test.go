package series_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/series"
)

func marshal(tb testing.TB, md pmetric.Metrics) []byte {
	tb.Helper()
	b, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestHistogram takes the percentiles of what was recorded between two points, not since the start.
func TestHistogram(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.add(histogram("d", 0, 10, 0, 100, 0, 0, 0))  // all from 10 to 20
	f.add(histogram("d", 0, 20, 0, 100, 0, 50, 0)) // then 50 from 50 to 100
	f.add(histogram("d", 0, 30, 0, 100, 0, 50, 4)) // then beyond the last bound
	f.add(histogram("d", 0, 40, 0, 100, 0, 50, 4)) // then nothing
	c := f.chart(series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution})
	l := c.Lines[0]
	same(t, "p50", l.Values[0], []float64{15, 75, 100, nan})
	same(t, "p95", l.Values[1], []float64{19.5, 97.5, 100, nan})
	same(t, "p99", l.Values[2], []float64{19.9, 99.5, 100, nan})
	same(t, "count", l.Count, []uint64{100, 50, 4, 0})
	same(t, "highest bound", c.Top, 100.)

	f.add(histogram("d", 45, 50, 2, 0, 0, 0, 0)) // restarted
	c = f.chart(series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution, From: int64(at(40))})
	same(t, "p50 after a restart", c.Lines[0].Values[0], []float64{5})
	same(t, "resets", c.Problems, series.Problems{Resets: 1})
}

// TestHistogramExtremes does not go beyond what was recorded.
func TestHistogramExtremes(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.add(func(ms pmetric.MetricSlice) {
		histogram("d", 0, 10, 2, 0, 0, 0, 2)(ms)
		p := ms.At(0).Histogram().DataPoints().At(0)
		p.SetMin(8)
		p.SetMax(180)
	})
	l := f.chart(series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution}).Lines[0]
	same(t, "quantiles", []float64{l.Values[0][0], l.Values[1][0]}, []float64{10, 172})
}

// TestHistogramBroken counts what has no meaning instead of drawing it.
func TestHistogramBroken(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.add(histogram("d", 0, 10, 1, 2, 3))
	f.add(func(ms pmetric.MetricSlice) {
		histogram("d", 0, 10, 1, 0, 0, 0, 0)(ms)
		ms.At(0).Histogram().DataPoints().At(0).ExplicitBounds().FromRaw([]float64{10, 5, 50, 100})
	})
	f.add(func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName("d")
		m.SetUnit("ms")
		p := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
		p.SetTimestamp(at(10))
		p.SetScale(math.MaxInt32)
		p.Positive().BucketCounts().FromRaw([]uint64{1})
	})
	f.add(histogram("d", 0, 10, 1, 0, 0, 0, 0))
	c := f.chart(series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution})
	if c.Problems.Broken != 3 || len(c.Lines) != 1 || c.Lines[0].Count[0] != 1 {
		t.Errorf("%+v, %+v", c.Problems, c.Lines)
	}
}

// TestJoined adds up series of one metric where their buckets are alike, and only there.
func TestJoined(t *testing.T) {
	f := newFeed(t, series.Options{})
	point := func(outcome string, buckets ...uint64) func(pmetric.MetricSlice) {
		return func(ms pmetric.MetricSlice) {
			histogram("d", 0, 10, buckets...)(ms)
			p := ms.At(ms.Len() - 1).Histogram().DataPoints().At(0)
			p.Attributes().PutStr("outcome", outcome)
			p.Attributes().PutStr("dialect", "responses")
		}
	}
	f.add(point("ok", 0, 90, 0, 0, 0))
	f.add(point("timeout", 0, 0, 0, 10, 0))
	f.add(func(ms pmetric.MetricSlice) {
		point("other bounds", 5, 5, 0, 0, 0)(ms)
		ms.At(0).Histogram().DataPoints().At(0).ExplicitBounds().FromRaw([]float64{1, 2, 3, 4})
	})
	ask := series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution}
	if c := f.chart(ask); c.Total != 3 || len(c.Lines) != 3 || c.Series != 3 {
		t.Errorf("%d lines of %d series", len(c.Lines), c.Series)
	}
	ask.By = series.Together
	c := f.chart(ask)
	if len(c.Lines) != 2 {
		t.Fatalf("%d lines", len(c.Lines))
	}
	all := c.Lines[0]
	same(t, "count", all.Count, []uint64{100})
	same(t, "quantiles", []float64{all.Values[0][0], all.Values[1][0]}, []float64{10 + 10*50./90, 75})
	same(t, "what they have in common", all.Attributes, []series.Attribute{{Key: "dialect", Value: "responses"}})
	if all.Series != 2 {
		t.Errorf("%d series were joined", all.Series)
	}
	ask.By = "outcome"
	if c := f.chart(ask); len(c.Lines) != 3 {
		t.Errorf("%d lines by outcome", len(c.Lines))
	}
	ask.By, ask.Lines = "outcome", 2
	if c := f.chart(ask); len(c.Lines) != 2 || c.Total != 3 {
		t.Errorf("%d lines of %d", len(c.Lines), c.Total)
	}
}

// exponential counts values as an SDK does.
func exponential(name string, scale int32, start, t float64, cumulative bool, values ...float64) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName(name)
		h := m.SetEmptyExponentialHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		if cumulative {
			h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		}
		p := h.DataPoints().AppendEmpty()
		p.SetStartTimestamp(at(start))
		p.SetTimestamp(at(t))
		p.SetScale(scale)
		p.SetCount(uint64(len(values)))
		put := func(b pmetric.ExponentialHistogramDataPointBuckets, list []float64) {
			if len(list) == 0 {
				return
			}
			index := func(v float64) int { return int(math.Ceil(math.Log2(v)*math.Exp2(float64(scale)))) - 1 }
			low := index(slices.Min(list))
			n := make([]uint64, index(slices.Max(list))-low+1)
			for _, v := range list {
				n[index(v)-low]++
			}
			b.SetOffset(int32(low))
			b.BucketCounts().FromRaw(n)
		}
		var pos, neg []float64
		for _, v := range values {
			switch {
			case v > 0:
				pos = append(pos, v)
			case v < 0:
				neg = append(neg, -v)
			default:
				p.SetZeroCount(p.ZeroCount() + 1)
			}
		}
		put(p.Positive(), pos)
		put(p.Negative(), neg)
	}
}

// TestExponential compares with the values themselves, over all signs and at several scales, joined too.
func TestExponential(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, from float64) (list []float64) {
		for range n {
			list = append(list, from+math.Exp(r.NormFloat64()*1.5))
		}
		return list
	}
	for _, tt := range []struct {
		name   string
		values []float64
	}{{"positive", draw(5000, 0)}, {"below zero too", append(append(draw(3000, 0), make([]float64, 500)...), negated(draw(2000, 0))...)}, {"negative", negated(draw(2000, 1))}, {"one", []float64{7}}} {
		t.Run(tt.name, func(t *testing.T) {
			for _, scale := range []int32{0, 3, 8} {
				f := newFeed(t, series.Options{})
				f.add(exponential("e", scale, 0, 10, false, tt.values...))
				check(t, f, tt.values, scale)

				f = newFeed(t, series.Options{})
				half := len(tt.values) / 2
				f.add(exponential("e", scale+2, 0, 10, true, tt.values[:half]...))
				f.add(exponential("e", scale, 0, 20, true, tt.values...)) // an SDK gets coarser as values spread
				l := f.chart(series.Ask{Name: "e", Shape: series.Distribution}).Lines[0]
				if n := len(l.Count); l.Count[n-1] != uint64(len(tt.values)-half) {
					t.Errorf("the second point has %d values", l.Count[n-1])
				}
			}
		})
	}
}

func negated(list []float64) []float64 {
	for i := range list {
		list[i] = -list[i]
	}
	return list
}

func check(t *testing.T, f *feed, values []float64, scale int32) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(values))
	width := math.Exp2(math.Exp2(-float64(scale)))
	l := f.chart(series.Ask{Name: "e", Shape: series.Distribution}).Lines[0]
	for i, q := range []float64{.5, .95, .99} {
		k := int(q * float64(len(sorted))) // which of two neighbours it is, is rounding
		before, after, got := sorted[max(k-2, 0)], sorted[min(k, len(sorted)-1)], l.Values[i][0]
		if lo, hi := min(before/width, before*width), max(after/width, after*width); got < lo-1e-9 || got > hi+1e-9 {
			t.Errorf("scale %d: quantile %v is %v, want from %v to %v", scale, q, got, lo, hi)
		}
	}
}

// TestSummary shows the quantiles that were sent, and gaps where there are none.
func TestSummary(t *testing.T) {
	f := newFeed(t, series.Options{})
	for i, q := range []float64{5, nan} {
		f.add(func(ms pmetric.MetricSlice) {
			m := ms.AppendEmpty()
			m.SetName("s")
			p := m.SetEmptySummary().DataPoints().AppendEmpty()
			p.SetTimestamp(at(float64(i)))
			p.SetCount(uint64(10 * i))
			for _, x := range []float64{.5, .9} {
				v := p.QuantileValues().AppendEmpty()
				v.SetQuantile(x)
				v.SetValue(q * x)
			}
		})
	}
	l := f.chart(series.Ask{Name: "s", Shape: series.Quantiles}).Lines[0]
	same(t, "quantiles", l.Quantiles, []float64{.5, .9})
	same(t, "values", l.Values, [][]float64{{2.5, nan}, {4.5, nan}})
}
