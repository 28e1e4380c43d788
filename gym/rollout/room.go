package rollout

import (
	"container/list"
	"context"
	"sync"
)

const (
	// answerRoom bounds what answers may take of the memory at once, from when their bodies are read until they are written: a disk that
	// is slow for a second must not turn into a thousand answers in memory. Those that find no room wait at their agents, in the buffers of
	// their connections. An answer that is longer than all of it is read when it is alone.
	answerRoom = 32 << 20
	// unknownLength is what an answer counts for that does not say how long it is.
	unknownLength = 256 << 10
)

// room is a number of bytes that many share; who came first is served first. Safe for concurrent use.
type room struct {
	size int64

	mu      sync.Mutex
	taken   int64
	waiting list.List // of *seat
}

// seat is somebody who waits.
type seat struct {
	n     int64
	ready chan struct{}
}

// take waits until there are n bytes, or for all of it if that is less, and says how many it took.
func (r *room) take(ctx context.Context, n int64) (int64, error) {
	if n < 0 {
		n = unknownLength
	}
	n = min(n, r.size)
	r.mu.Lock()
	if r.waiting.Len() == 0 && r.taken+n <= r.size {
		r.taken += n
		r.mu.Unlock()
		return n, nil
	}
	s := &seat{n, make(chan struct{})}
	place := r.waiting.PushBack(s)
	r.mu.Unlock()
	select {
	case <-s.ready:
		return n, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-s.ready: // at the same moment
		return n, nil
	default:
	}
	r.waiting.Remove(place)
	r.serve() // who waited behind it may be small
	return 0, context.Cause(ctx)
}

// give gives n bytes back.
func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= n
	r.serve()
}

// serve lets in who can come in. The lock is held.
func (r *room) serve() {
	for r.waiting.Len() > 0 {
		first := r.waiting.Front()
		s := first.Value.(*seat)
		if r.taken+s.n > r.size {
			return
		}
		r.taken += s.n
		r.waiting.Remove(first)
		close(s.ready)
	}
}
