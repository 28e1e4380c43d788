package runs

import (
	"encoding/binary"
	"math/bits"
	"time"
)

// histogram counts durations in log-linear buckets, 16 an octave: a bucket's ends are at most 6 % apart. The zero value is empty.
// Sums and differences of histograms do not depend on an order.
type histogram struct {
	low    int      // the first bucket that is kept
	counts []uint32 // from it on
	n      uint64
}

// bucket numbers a duration: below 16 ns each has its own.
func bucket(ns uint64) int {
	if ns < 16 {
		return int(ns)
	}
	octave := bits.Len64(ns) - 5
	return octave<<4 + int(ns>>octave)
}

// bounds returns the ends of a bucket; the upper one is not in it.
func bounds(b int) (lo, hi uint64) {
	if b < 16 {
		return uint64(b), uint64(b) + 1
	}
	octave := b>>4 - 1
	lo = uint64(b&15+16) << octave
	return lo, lo + 1<<octave
}

func (h *histogram) add(ns uint64) { h.put(bucket(ns), 1) }

// put adds to a bucket.
func (h *histogram) put(b int, n uint32) {
	if len(h.counts) == 0 {
		h.low = b
	}
	if b < h.low {
		grown := make([]uint32, h.low-b+len(h.counts), h.low-b+len(h.counts)+8)
		copy(grown[h.low-b:], h.counts)
		h.low, h.counts = b, grown
	}
	for b >= h.low+len(h.counts) {
		h.counts = append(h.counts, 0)
	}
	h.counts[b-h.low] += n
	h.n += uint64(n)
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		if n > 0 {
			h.put(o.low+i, n)
		}
	}
}

// subtract takes away what was merged before.
func (h *histogram) subtract(o *histogram) {
	for i, n := range o.counts {
		if at := o.low + i - h.low; n > 0 && at >= 0 && at < len(h.counts) {
			n = min(n, h.counts[at])
			h.counts[at] -= n
			h.n -= uint64(n)
		}
	}
}

func (h *histogram) clone() histogram {
	return histogram{h.low, append([]uint32(nil), h.counts...), h.n}
}

func (h *histogram) reset() { h.counts, h.n = h.counts[:0], 0 }

// quantile is the middle of the bucket that holds the value of nearest rank, 0 of nothing.
func (h *histogram) quantile(percent int) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := max((uint64(percent)*h.n+99)/100, 1)
	for i, n := range h.counts {
		if uint64(n) >= rank {
			lo, hi := bounds(h.low + i)
			return time.Duration(lo + (hi-lo)/2)
		}
		rank -= uint64(n)
	}
	return 0
}

func (h *histogram) append(b []byte) []byte {
	used := 0
	for _, n := range h.counts {
		if n > 0 {
			used++
		}
	}
	b = binary.AppendUvarint(b, uint64(used))
	last := 0
	for i, n := range h.counts {
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(h.low+i-last))
			b = binary.AppendUvarint(b, uint64(n))
			last = h.low + i
		}
	}
	return b
}

const maxBucket = 61 * 16 // of a duration of 64 bits

func (h *histogram) read(r *decoder) {
	at := uint64(0)
	for range r.Count(2) {
		at += r.below(maxBucket)
		n := r.below(1 << 32)
		if at >= maxBucket {
			r.Fail("a histogram has no such bucket")
			return
		}
		h.put(int(at), uint32(n))
	}
}
