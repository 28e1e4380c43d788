package series

import (
	"math"
	"slices"
)

// dist is how values are spread over buckets. Those of a histogram are numbered from 0 to the number of its bounds. Those of an
// exponential one are its exponents: bucket i holds what lies above base^i and up to base^(i+1), with base = 2^(2^-scale).
type dist struct {
	scale    int32
	zero     uint64
	pos, neg counts
}

// counts are those of consecutive buckets, without the empty ones at both ends.
type counts struct {
	low int32
	n   []uint64
}

// maxBuckets bounds the buckets of a distribution; an exponential one gets coarser to fit.
const maxBuckets = 4096

func (c *counts) trim() {
	for len(c.n) > 0 && c.n[len(c.n)-1] == 0 {
		c.n = c.n[:len(c.n)-1]
	}
	skip := 0
	for skip < len(c.n) && c.n[skip] == 0 {
		skip++
	}
	c.low, c.n = c.low+int32(skip), c.n[skip:]
	if len(c.n) == 0 {
		*c = counts{}
	}
}

func (c *counts) end() int64 { return int64(c.low) + int64(len(c.n)) }

func (c *counts) at(i int32) uint64 {
	if k := int64(i) - int64(c.low); k >= 0 && k < int64(len(c.n)) {
		return c.n[k]
	}
	return 0
}

// down makes pairs of buckets one, so many times.
func (c *counts) down(times int32) {
	for ; times > 0 && len(c.n) > 0; times-- {
		low := c.low >> 1
		n := make([]uint64, (c.end()-1)>>1-int64(low)+1)
		for i, v := range c.n {
			n[(int64(c.low)+int64(i))>>1-int64(low)] += v
		}
		c.low, c.n = low, n
	}
}

func (d *dist) down(scale int32) {
	if d.scale > scale {
		d.pos.down(d.scale - scale)
		d.neg.down(d.scale - scale)
		d.scale = scale
	}
}

// fit makes an exponential distribution as coarse as its bounds ask for.
func (d *dist) fit() {
	for len(d.pos.n) > maxBuckets || len(d.neg.n) > maxBuckets {
		d.down(d.scale - 1)
	}
}

func (d *dist) clone() dist {
	out := *d
	out.pos.n, out.neg.n = append([]uint64(nil), d.pos.n...), append([]uint64(nil), d.neg.n...)
	return out
}

func (d *dist) count() uint64 {
	n := d.zero
	for _, c := range [...]counts{d.pos, d.neg} {
		for _, v := range c.n {
			n += v
		}
	}
	return n
}

// merge adds o. An empty distribution has any scale.
func (d *dist) merge(o *dist) {
	if len(o.pos.n)+len(o.neg.n) == 0 {
		d.zero += o.zero
		return
	}
	if len(d.pos.n)+len(d.neg.n) == 0 {
		zero := d.zero + o.zero
		*d = o.clone()
		d.zero = zero
		return
	}
	if o.scale > d.scale {
		c := o.clone()
		c.down(d.scale)
		o = &c
	}
	d.down(o.scale)
	for { // far apart, they only fit together when they are coarser
		most := max(span(&d.pos, &o.pos), span(&d.neg, &o.neg))
		if most <= maxBuckets {
			break
		}
		c := o.clone()
		c.down(d.scale - 1)
		o = &c
		d.down(d.scale - 1)
	}
	d.zero += o.zero
	d.pos.merge(&o.pos)
	d.neg.merge(&o.neg)
}

// span is how many buckets two counts cover together.
func span(a, b *counts) int64 {
	switch {
	case len(a.n) == 0:
		return int64(len(b.n))
	case len(b.n) == 0:
		return int64(len(a.n))
	}
	return max(a.end(), b.end()) - int64(min(a.low, b.low))
}

func (c *counts) merge(o *counts) {
	if len(o.n) == 0 {
		return
	}
	if len(c.n) == 0 {
		*c = counts{o.low, append([]uint64(nil), o.n...)}
		return
	}
	low, end := min(c.low, o.low), max(c.end(), o.end())
	if low < c.low || end > c.end() {
		n := make([]uint64, end-int64(low))
		copy(n[c.low-low:], c.n)
		c.low, c.n = low, n
	}
	for i, v := range o.n {
		c.n[int(o.low-c.low)+i] += v
	}
}

// minus is what was added since old; ok is false when some bucket has less than it had.
func (d *dist) minus(old *dist) (diff dist, ok bool) {
	diff = d.clone()
	if len(old.pos.n)+len(old.neg.n) > 0 && len(d.pos.n)+len(d.neg.n) > 0 && old.scale != d.scale {
		o := old.clone()
		scale := min(old.scale, d.scale)
		o.down(scale)
		diff.down(scale)
		old = &o
	}
	if old.zero > diff.zero {
		return dist{}, false
	}
	diff.zero -= old.zero
	if !diff.pos.minus(&old.pos) || !diff.neg.minus(&old.neg) {
		return dist{}, false
	}
	return diff, true
}

func (c *counts) minus(o *counts) bool {
	for i, v := range o.n {
		if v == 0 {
			continue
		}
		k := int64(o.low) + int64(i) - int64(c.low)
		if k < 0 || k >= int64(len(c.n)) || c.n[k] < v {
			return false
		}
		c.n[k] -= v
	}
	c.trim()
	return true
}

// scaleOf tells the ends of buckets.
type scaleOf struct {
	bounds      []float64 // of a histogram; nil for an exponential one
	exponential bool
	lo, hi      float64 // least and greatest value that was recorded, NaN when not known
}

// quantile is the value below which a share q lies, interpolated in its bucket. It is NaN of nothing.
func (d *dist) quantile(q float64, s scaleOf) float64 {
	total := d.count()
	if total == 0 {
		return math.NaN()
	}
	rank := q * float64(total)
	seen := 0.0
	for i, count := range slices.Backward(d.neg.n) {
		if n := float64(count); n > 0 {
			if seen+n >= rank {
				from, to := s.exponent(d.scale, int64(d.neg.low)+int64(i))
				return s.inside(-between(from, to, 1-(rank-seen)/n, true))
			}
			seen += n
		}
	}
	if seen += float64(d.zero); d.zero > 0 && seen >= rank {
		return s.inside(0)
	}
	last := math.NaN()
	for i, v := range d.pos.n {
		if v == 0 {
			continue
		}
		from, to := s.ends(d.scale, int64(d.pos.low)+int64(i))
		last = to
		if n := float64(v); seen+n >= rank {
			return s.inside(between(from, to, (rank-seen)/n, s.exponential))
		}
		seen += float64(v)
	}
	return s.inside(last) // what rounding left
}

func (s *scaleOf) ends(scale int32, i int64) (from, to float64) {
	if s.exponential {
		return s.exponent(scale, i)
	}
	n := int64(len(s.bounds))
	switch {
	case n == 0:
		return s.lo, s.hi
	case i <= 0:
		to = s.bounds[0]
		from = min(0, to)
		if !math.IsNaN(s.lo) {
			from = min(s.lo, to)
		}
	case i >= n:
		from = s.bounds[n-1]
		to = from
		if s.hi > from {
			to = s.hi
		}
	default:
		from, to = s.bounds[i-1], s.bounds[i]
	}
	return from, to
}

func (s *scaleOf) exponent(scale int32, i int64) (from, to float64) {
	width := math.Ldexp(1, -int(scale)) // of a bucket, in powers of two
	return math.Exp2(float64(i) * width), math.Exp2(float64(i+1) * width)
}

// inside keeps a value within what was recorded, and within what a number can be.
func (s *scaleOf) inside(v float64) float64 {
	if v < s.lo {
		v = s.lo
	}
	if v > s.hi {
		v = s.hi
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

func between(from, to, share float64, geometric bool) float64 {
	share = max(0, min(1, share))
	if geometric && from > 0 && !math.IsInf(to, 0) {
		return from * math.Pow(to/from, share)
	}
	return from + (to-from)*share
}
