package store

import "sync"

// Change says that something was taken or removed. Its numbers only grow, and count from when the store was opened, so that
// who missed one lost nothing.
type Change struct {
	Traces, Metrics, Logs int64 // requests taken
	Spans                 int64 // spans taken
	Removed               int64 // chunks removed by retention
}

// subscribers is who wants to know of changes.
type subscribers struct {
	mu    sync.Mutex
	all   map[chan Change]struct{}
	ended bool
}

// Subscribe returns a channel that gets the newest [Change], and a function that ends the subscription and closes the
// channel; it may be called more than once. At most one change waits in the channel: a slow reader slows nobody, and finds
// the newest. Close closes the channel too.
func (s *Store) Subscribe() (<-chan Change, func()) {
	c := make(chan Change, 1)
	subs := &s.subscribers
	subs.mu.Lock()
	defer subs.mu.Unlock()
	if subs.ended {
		close(c)
		return c, func() {}
	}
	if subs.all == nil {
		subs.all = make(map[chan Change]struct{})
	}
	subs.all[c] = struct{}{}
	return c, func() {
		subs.mu.Lock()
		defer subs.mu.Unlock()
		if _, ok := subs.all[c]; ok {
			delete(subs.all, c)
			close(c)
		}
	}
}

// changed tells the subscribers.
func (s *Store) changed() {
	subs := &s.subscribers
	subs.mu.Lock()
	defer subs.mu.Unlock()
	if len(subs.all) == 0 {
		return
	}
	now := Change{
		Traces: s.taken[Traces].Load(), Metrics: s.taken[Metrics].Load(), Logs: s.taken[Logs].Load(),
		Spans: s.spans.Load(), Removed: s.removedChunks.Load(),
	}
	for c := range subs.all {
		select {
		case <-c: // the older one
		default:
		}
		c <- now // has room: only changed sends, one at a time
	}
}

func (subs *subscribers) end() {
	subs.mu.Lock()
	defer subs.mu.Unlock()
	subs.ended = true
	for c := range subs.all {
		close(c)
	}
	subs.all = nil
}
