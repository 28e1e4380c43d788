package series

import (
	"math"
	"slices"
	"sort"
	"time"
)

// point is what a series keeps of one sample, or of those of an interval.
type point struct {
	t      int64   // of the latest sample
	dt     int64   // nanoseconds that an increase took; 0 is unknown
	v      float64 // a value, NaN for a gap; an increase; the sum of a distribution or a summary
	lo, hi float64 // least and greatest value, NaN when not known
	n      uint64  // values of a distribution or a summary; else samples
	chunk  uint64  // the latest that a sample of it is in
	d      *dist
	q      []float64
}

func (p *point) cost() int64 {
	n := int64(80)
	if p.d != nil {
		n += 80 + 8*int64(len(p.d.pos.n)+len(p.d.neg.n))
	}
	return n + 8*int64(len(p.q))
}

// merge takes another point of the same interval, of whatever order.
func (p *point) merge(o *point, s Shape) {
	later := o.t >= p.t
	switch s {
	case Level, Quantiles:
		if later && !math.IsNaN(o.v) || math.IsNaN(p.v) {
			p.v, p.q = o.v, o.q
		}
		if s == Level {
			p.n += o.n
		} else if later {
			p.n = o.n
		}
	case Rate:
		p.v += o.v
		p.dt += o.dt
		p.n += o.n
	case Distribution:
		p.v += o.v
		p.dt += o.dt
		p.n += o.n
		d := p.d.clone() // readers may have p.d
		d.merge(o.d)
		p.d = &d
	}
	p.lo, p.hi = least(p.lo, o.lo), greatest(p.hi, o.hi)
	p.t, p.chunk = max(p.t, o.t), max(p.chunk, o.chunk)
}

// least is the smaller of two numbers of which each may not be known.
func least(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

func greatest(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// steps are the intervals that points are joined to.
var steps = func() (list []int64) {
	for _, s := range []int64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600} {
		list = append(list, s*int64(time.Second))
	}
	return list
}()

// stepFrom is the least interval that is not below ns, or the longest.
func stepFrom(ns int64) int64 {
	return steps[min(sort.Search(len(steps), func(i int) bool { return steps[i] >= ns }), len(steps)-1)]
}

// insert puts a point at its time. Where an interval has one already they are merged.
func (s *series) insert(p point, most int) {
	at := len(s.points)
	if at > 0 && p.t < s.points[at-1].t {
		at = sort.Search(at, func(i int) bool { return s.points[i].t > p.t })
	}
	if s.step > 0 {
		for _, i := range [...]int{at - 1, at} {
			if i >= 0 && i < len(s.points) && s.points[i].t/s.step == p.t/s.step {
				s.cost -= s.points[i].cost()
				s.points[i].merge(&p, s.shape)
				s.cost += s.points[i].cost()
				return
			}
		}
	}
	s.points = slices.Insert(s.points, at, p)
	s.cost += p.cost()
	s.firstChunk = min(s.firstChunk, p.chunk)
	if len(s.points) > most {
		s.coarsen(most / 2)
	}
}

// coarsen joins points until at most so many are left. What is too old for the longest interval goes first: one point of a wrong
// clock must not blur all others.
func (s *series) coarsen(most int) {
	longest := steps[len(steps)-1]
	last := s.points[len(s.points)-1].t
	s.drop(sort.Search(len(s.points), func(i int) bool { return last-s.points[i].t <= longest*int64(most) }))
	for len(s.points) > most {
		step := stepFrom(max(s.step+1, (last-s.points[0].t)/int64(most)))
		if step == s.step {
			s.drop(len(s.points) - most)
			break
		}
		s.step = step
		s.points = join(s.points, step, s.shape)
	}
	s.recount()
}

// drop takes the oldest points away.
func (s *series) drop(n int) {
	s.points = slices.Delete(s.points, 0, n)
	s.metric.problems.Older += int64(n)
}

// join merges the points of each interval, in place.
func join(points []point, step int64, shape Shape) []point {
	out := points[:0]
	for i := range points {
		p := points[i]
		if n := len(out); n > 0 && out[n-1].t/step == p.t/step {
			out[n-1].merge(&p, shape)
			continue
		}
		out = append(out, p)
	}
	clear(points[len(out):])
	return out
}

// recount adds up what changed at many points.
func (s *series) recount() {
	s.cost, s.firstChunk = 0, noChunk
	for i := range s.points {
		s.cost += s.points[i].cost()
		s.firstChunk = min(s.firstChunk, s.points[i].chunk)
	}
}

// prune takes away the points of chunks that are gone.
func (s *series) prune(oldest uint64) {
	if s.firstChunk >= oldest {
		return
	}
	s.points = slices.DeleteFunc(s.points, func(p point) bool { return p.chunk < oldest })
	s.recount()
}
