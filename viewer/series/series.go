package series

import (
	"math"
	"slices"
)

// series is one stream of points.
type series struct {
	identity
	key    uint64
	shape  Shape
	metric *metric

	points     []point // by time
	step       int64   // of the intervals that were joined; 0: points are as they came
	cost       int64   // of the points, in bytes
	firstChunk uint64  // of the points, the oldest
	lastChunk  uint64  // in which it had a sample
	totals     []total // of a cumulative stream, by start, the one that was newest last
	encoded    encoded
}

// total is the newest state of a cumulative stream that began at a start. Processes that nothing tells apart share a series, so
// there may be several at a time.
type total struct {
	time, start int64
	v           float64
	n           uint64
	d           *dist
}

// take adds a sample.
func (s *series) take(x *sample, chunk uint64, most int) {
	s.lastChunk = max(s.lastChunk, chunk)
	p := point{t: x.time, v: x.v, lo: x.lo, hi: x.hi, n: x.n, chunk: chunk, d: x.d, q: x.q}
	if s.shape == Level {
		p.lo, p.hi, p.n = x.v, x.v, 1
	}
	if s.shape == Level || s.shape == Quantiles {
		s.takeValue(x, p, most)
		return
	}
	if x.nothing {
		return
	}
	if s.shape == Rate && !finite(x.v) {
		s.metric.problems.NotFinite++
		return
	}
	if s.shape == Rate {
		p.lo, p.hi, p.n = math.NaN(), math.NaN(), 1
	}
	if s.cumulative {
		if !s.increase(x, &p) {
			return
		}
	} else {
		if s.has(&p) {
			s.metric.problems.Twice++
			return
		}
		if x.start > 0 && x.start < x.time {
			p.dt = x.time - x.start
		}
	}
	s.insert(p, most)
}

// takeValue adds a value, or a gap where it is none.
func (s *series) takeValue(x *sample, p point, most int) {
	if s.has(&p) {
		s.metric.problems.Twice++
		return
	}
	if x.nothing {
		p.v = math.NaN()
	} else if s.shape == Level && !finite(x.v) {
		s.metric.problems.NotFinite++
		p.v = math.NaN()
	}
	if s.shape == Level {
		p.lo, p.hi = p.v, p.v
	}
	s.insert(p, most)
}

// has reports whether a point is here already, as far as points are as they came.
func (s *series) has(p *point) bool {
	for i := len(s.points) - 1; i >= 0 && s.points[i].t >= p.t; i-- {
		if o := &s.points[i]; o.t == p.t && same(o.v, p.v) && o.n == p.n {
			return true
		}
	}
	return false
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// maxTotals bounds the starts that a series remembers.
const maxTotals = 32

// increase makes a point of a cumulative sample the increase since the one before. It is false when there is none to show.
func (s *series) increase(x *sample, p *point) bool {
	problems := &s.metric.problems
	i := slices.IndexFunc(s.totals, func(t total) bool { return t.start == x.start })
	if i < 0 {
		if len(s.totals) > 0 {
			problems.Resets++
		}
		s.totals = append(s.totals[max(0, len(s.totals)-maxTotals+1):], totalOf(x))
		if x.start <= 0 || x.start >= x.time {
			return false // a beginning only
		}
		p.dt = x.time - x.start
		return true
	}
	old := s.totals[i]
	rose := s.rose(x, &old, p)
	switch {
	case x.time == old.time && x.n == old.n && same(x.v, old.v):
		problems.Twice++
		return false
	case x.time <= old.time && (!rose || s.still(x, &old)):
		problems.Late++
		return false
	case x.time <= old.time:
		problems.Backwards++ // how long it took cannot be known
	case !rose:
		problems.Resets++
		p.v, p.d = x.v, x.d
		if s.shape == Distribution {
			p.n = x.n
		}
	}
	p.dt = max(0, x.time-old.time)
	s.totals = append(slices.Delete(s.totals, i, i+1), totalOf(x))
	return true
}

func totalOf(x *sample) total { return total{time: x.time, start: x.start, v: x.v, n: x.n, d: x.d} }

// rose makes p the difference to old, and reports whether nothing fell.
func (s *series) rose(x *sample, old *total, p *point) bool {
	p.v = x.v - old.v
	if s.shape == Rate {
		return x.v >= old.v
	}
	if x.n < old.n {
		return false
	}
	d, ok := x.d.minus(old.d)
	p.n, p.d = x.n-old.n, &d
	return ok
}

// still reports whether nothing was added.
func (s *series) still(x *sample, old *total) bool {
	if s.shape == Rate {
		return x.v == old.v
	}
	return x.n == old.n
}
