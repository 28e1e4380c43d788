package series

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// sample is a data point as it came.
type sample struct {
	time, start int64 // unix nanoseconds
	nothing     bool  // says that there is no value any more
	v           float64
	n           uint64  // of a distribution or a summary
	lo, hi      float64 // NaN: not sent
	d           *dist
	q           []float64 // of a summary, for the quantiles of its identity
}

const maxTime = math.MaxInt64

// instant is a time of OTLP, as far as an int64 holds it.
func instant(ns uint64) int64 { return int64(min(ns, maxTime)) }

// sampleOf is what the points of every kind say, without a value.
func sampleOf(at, start pcommon.Timestamp, flags pmetric.DataPointFlags) sample {
	return sample{time: instant(uint64(at)), start: instant(uint64(start)), nothing: flags.NoRecordedValue(), lo: math.NaN(), hi: math.NaN()}
}

// known is a number that need not have been sent.
func known(sent bool, v float64) float64 {
	if !sent {
		return math.NaN()
	}
	return v
}

func numberSample(p pmetric.NumberDataPoint) sample {
	s := sampleOf(p.Timestamp(), p.StartTimestamp(), p.Flags())
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		s.v = float64(p.IntValue())
	} else {
		s.v = p.DoubleValue()
	}
	return s
}

// histogramSample reads a point; ok is false when its buckets do not fit its bounds.
func histogramSample(p pmetric.HistogramDataPoint) (s sample, ok bool) {
	s = sampleOf(p.Timestamp(), p.StartTimestamp(), p.Flags())
	s.n, s.d = p.Count(), &dist{}
	s.v, s.lo, s.hi = known(p.HasSum(), p.Sum()), known(p.HasMin(), p.Min()), known(p.HasMax(), p.Max())
	buckets, bounds := p.BucketCounts(), p.ExplicitBounds()
	if n := buckets.Len(); n > 0 && n != bounds.Len()+1 || bounds.Len() >= maxBuckets {
		return s, false
	}
	s.d.pos.n = buckets.AsRaw()
	s.d.pos.trim()
	for i := range bounds.Len() {
		if b := bounds.At(i); math.IsNaN(b) || i > 0 && !(b > bounds.At(i-1)) {
			return s, false
		}
	}
	return s, true
}

func exponentialSample(p pmetric.ExponentialHistogramDataPoint) (s sample, ok bool) {
	s = sampleOf(p.Timestamp(), p.StartTimestamp(), p.Flags())
	s.n, s.d = p.Count(), &dist{scale: p.Scale(), zero: p.ZeroCount()}
	s.v, s.lo, s.hi = known(p.HasSum(), p.Sum()), known(p.HasMin(), p.Min()), known(p.HasMax(), p.Max())
	s.d.pos = counts{p.Positive().Offset(), p.Positive().BucketCounts().AsRaw()}
	s.d.neg = counts{p.Negative().Offset(), p.Negative().BucketCounts().AsRaw()}
	return s, s.d.sound()
}

// sound makes an exponential distribution from outside ready to calculate with, and reports whether it can be: a scale beyond what the
// specification lets a program use, or exponents beyond what a number can be, mean nothing.
func (d *dist) sound() bool {
	if d.scale < -10 || d.scale > 20 {
		return false
	}
	for _, c := range [...]*counts{&d.pos, &d.neg} {
		c.trim()
		if c.low < -maxExponent || c.end() > maxExponent {
			return false
		}
	}
	d.fit()
	return true
}

// maxExponent is the most an exponent is at the finest scale: numbers end at 2^1024.
const maxExponent = 1100 << 20

func summarySample(p pmetric.SummaryDataPoint) (s sample, quantiles []float64) {
	s = sampleOf(p.Timestamp(), p.StartTimestamp(), p.Flags())
	s.n, s.v = p.Count(), p.Sum()
	for _, q := range p.QuantileValues().All() {
		if len(s.q) == maxQuantiles {
			break
		}
		quantiles, s.q = append(quantiles, q.Quantile()), append(s.q, q.Value())
	}
	return s, quantiles
}

const maxQuantiles = 16
