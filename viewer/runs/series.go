package runs

import (
	"encoding/binary"
	"math/bits"
	"time"
)

// Series counts over time. All intervals are of equal length, a power of two of a second (about; 2^30 ns), and begin at a multiple
// of it, so that the series does not depend on the order in which it was made.
type Series struct {
	Start uint64 // unix nanoseconds, of the first interval
	Step  time.Duration
	Count []uint32
}

// series is the least step with which all fits into maxSteps.
type series struct {
	shift  uint   // an interval is 1<<shift ns
	first  uint64 // number of the first interval
	counts []uint32
}

const (
	maxSteps  = 60
	minShift  = 28 // 0.27 s
	lastShift = 63
)

func (s *series) add(ns uint64, n uint32) {
	if len(s.counts) == 0 {
		s.shift, s.first = minShift, ns>>minShift
		s.counts = append(s.counts, n)
		return
	}
	s.cover(ns, ns)
	s.counts[ns>>s.shift-s.first] += n
}

// cover makes room for a stretch of time.
func (s *series) cover(from, to uint64) {
	for {
		a, b := min(s.first, from>>s.shift), max(s.first+uint64(len(s.counts))-1, to>>s.shift)
		if b-a < maxSteps || s.shift == lastShift {
			s.extend(a, b)
			return
		}
		s.coarsen()
	}
}

func (s *series) extend(a, b uint64) {
	if a < s.first {
		grown := make([]uint32, s.first-a+uint64(len(s.counts)))
		copy(grown[s.first-a:], s.counts)
		s.first, s.counts = a, grown
	}
	for b >= s.first+uint64(len(s.counts)) {
		s.counts = append(s.counts, 0)
	}
}

// coarsen doubles the step.
func (s *series) coarsen() {
	first := s.first >> 1
	n := (s.first+uint64(len(s.counts))-1)>>1 - first + 1
	out := s.counts[:0]
	for i := range n {
		var sum uint32
		for k := range uint64(2) {
			if at := (first+i)<<1 + k; at >= s.first && at-s.first < uint64(len(s.counts)) {
				sum += s.counts[at-s.first]
			}
		}
		out = append(out, sum)
	}
	s.shift, s.first, s.counts = s.shift+1, first, out
}

func (s *series) merge(o *series) {
	if len(o.counts) == 0 {
		return
	}
	if len(s.counts) == 0 {
		*s = o.clone()
		return
	}
	for s.shift < o.shift {
		s.coarsen()
	}
	s.cover(o.first<<o.shift, (o.first+uint64(len(o.counts))-1)<<o.shift)
	for i, n := range o.counts {
		s.counts[(o.first+uint64(i))<<o.shift>>s.shift-s.first] += n
	}
}

// subtract takes away what was merged before; the step stays.
func (s *series) subtract(o *series) {
	for i, n := range o.counts {
		if at := (o.first+uint64(i))<<o.shift>>s.shift - s.first; at < uint64(len(s.counts)) {
			s.counts[at] -= min(n, s.counts[at])
		}
	}
}

func (s *series) clone() series { return series{s.shift, s.first, append([]uint32(nil), s.counts...)} }

func (s *series) reset() { s.counts = s.counts[:0] }

// public is the series without the empty intervals at its ends.
func (s *series) public() Series {
	a, b := 0, len(s.counts)
	for a < b && s.counts[a] == 0 {
		a++
	}
	for b > a && s.counts[b-1] == 0 {
		b--
	}
	if a == b {
		return Series{}
	}
	return Series{(s.first + uint64(a)) << s.shift, 1 << s.shift, append([]uint32(nil), s.counts[a:b]...)}
}

func (s *series) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s.counts)))
	if len(s.counts) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(s.shift))
	b = binary.AppendUvarint(b, s.first)
	for _, n := range s.counts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func (s *series) read(r *decoder) {
	n := r.Count(1)
	if n == 0 {
		return
	}
	shift, first := r.below(lastShift+1), r.Uvarint()
	if n > 2*maxSteps || shift < minShift || bits.Len64(first)+int(shift) > 64 || (first+uint64(n)-1)<<shift>>shift != first+uint64(n)-1 {
		r.Fail("a series is of no use")
		return
	}
	s.shift, s.first = uint(shift), first
	for range n {
		s.counts = append(s.counts, uint32(r.below(1<<32)))
	}
}

// recent counts the spans of the last seconds, to tell a rate. It is not kept over a restart.
type recent struct {
	second uint64 // of the newest
	counts [16]uint32
}

func (r *recent) add(second uint64) {
	if second > r.second {
		for s := max(r.second+1, second-min(second, 15)); s <= second; s++ {
			r.counts[s%16] = 0
		}
		r.second = second
	}
	if r.second-second < 16 {
		r.counts[second%16]++
	}
}

func (r *recent) merge(o *recent) {
	for i := range uint64(16) {
		if o.second < i {
			break
		}
		second := o.second - i
		if n := o.counts[second%16]; n > 0 {
			r.add(second)
			if r.second-second < 16 {
				r.counts[second%16] += n - 1
			}
		}
	}
}

// rate is the count per second over the 10 whole seconds before now.
func (r *recent) rate(now uint64) float64 {
	sum := 0
	for i := uint64(1); i <= 10 && i <= now; i++ {
		if s := now - i; s <= r.second && r.second-s < 16 {
			sum += int(r.counts[s%16])
		}
	}
	return float64(sum) / 10
}
