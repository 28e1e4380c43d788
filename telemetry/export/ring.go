package export

import (
	"runtime"
	"sync/atomic"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// ring is a bounded queue for many writers and one reader. A writer that finds it full is told so; nobody waits, nobody
// takes a lock, and writers meet in one compare-and-swap.
//
// Positions count up for ever; position p lives in slot p % size and in lap p / size. A slot's turn says whose move it is:
// 2*lap, the writer's of that lap; 2*lap+1, the reader's.
type ring struct {
	slots []slot
	_     [64]byte      // writers hammer tail, the reader head: each has a cache line of its own
	tail  atomic.Uint64 // the next position to write
	_     [64]byte
	head  uint64 // the next position to read; the reader's own
}

type slot struct {
	turn atomic.Uint64
	span sdktrace.ReadOnlySpan
}

func newRing(size int) *ring { return &ring{slots: make([]slot, size)} }

// push adds s and returns its position, or reports that the ring is full.
func (r *ring) push(s sdktrace.ReadOnlySpan) (pos uint64, ok bool) {
	size := uint64(len(r.slots))
	for {
		pos = r.tail.Load()
		sl := &r.slots[pos%size]
		free := 2 * (pos / size)
		switch turn := sl.turn.Load(); {
		case turn == free:
			if r.tail.CompareAndSwap(pos, pos+1) {
				sl.span = s
				sl.turn.Store(free + 1)
				return pos, true
			}
		case turn < free:
			return 0, false // the reader has not yet been here in the last lap
		}
		// Another writer took the position: look again.
	}
}

// pop moves what was pushed below position end to buf, until buf is at its capacity. Every position below end was handed
// out, so that a slot that is still empty belongs to a writer between its two steps, and pop lets it run.
func (r *ring) pop(buf []sdktrace.ReadOnlySpan, end uint64) []sdktrace.ReadOnlySpan {
	size := uint64(len(r.slots))
	for ; len(buf) < cap(buf) && r.head < end; r.head++ {
		sl := &r.slots[r.head%size]
		full := 2*(r.head/size) + 1
		for sl.turn.Load() != full {
			runtime.Gosched()
		}
		buf = append(buf, sl.span)
		sl.span = nil
		sl.turn.Store(full + 1)
	}
	return buf
}
