package resources

import (
	"container/list"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Limits of a [Sessions] whose options leave them open.
const (
	// DefaultMaxSessions is enough for sixteen thousand rollouts at once, six times over.
	DefaultMaxSessions = 100_000
	// DefaultIdle is longer than any single model call should take, for it is the time between two calls of one rollout.
	DefaultIdle = 6 * time.Hour
)

// ErrSessionsFull says that a session could not be opened because every session that is kept may still be in use.
var ErrSessionsFull = errors.New("too many sessions in use")

// SessionOptions are the bounds of a [Sessions]. The zero value has the defaults.
type SessionOptions struct {
	Max  int           // sessions kept at most; 0 is DefaultMaxSessions
	Idle time.Duration // a session that was not used for so long may be forgotten; 0 is DefaultIdle
}

// Sessions keeps one state of type S for each session id, in memory.
//
// Memory is bounded. When Max sessions are there and another one is wanted, the ones that said [Sessions.Done] are
// forgotten first (the oldest before the others), then the ones that were idle for longer than Idle. Where neither
// is found the new session is refused with [ErrSessionsFull]: to forget a session that a rollout still uses would
// give a wrong reward and no sign of it. Idle sessions are also forgotten in passing whenever a session is opened.
//
// All methods may be called concurrently. Calls of one session run one after the other, calls of different sessions
// side by side. The zero value has the default bounds and is ready to use.
type Sessions[S any] struct {
	options SessionOptions

	mu      sync.Mutex
	entries map[string]*list.Element
	used    list.List // of *entry[S], most recently used first; those that are done stand in done
	done    list.List // likewise
}

// entry is the state of one session. Its place in the lists is guarded by Sessions.mu, its state by its own lock.
type entry[S any] struct {
	id    string
	last  time.Time
	inUse int // calls that hold or wait for the entry; such an entry is never forgotten
	done  bool

	mu    sync.Mutex
	state S
}

// NewSessions returns an empty Sessions with the bounds of o.
func NewSessions[S any](o SessionOptions) *Sessions[S] {
	return &Sessions[S]{options: o}
}

// Do calls fn with the state of session id, which begins as the zero S, and returns what fn returns. The error is
// [ErrSessionsFull] when the session is new and no more can be kept; fn was not called then.
func (s *Sessions[S]) Do(id string, fn func(state *S) error) error {
	e, err := s.open(id)
	if err != nil {
		return err
	}
	defer s.release(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	return fn(&e.state)
}

// Peek calls fn with the state of session id if there is one, and reports whether there was. It is a use like Do, but it
// makes no session and leaves the mark of Done.
func (s *Sessions[S]) Peek(id string, fn func(state *S)) bool {
	s.mu.Lock()
	el := s.entries[id]
	if el == nil {
		s.mu.Unlock()
		return false
	}
	e := el.Value.(*entry[S])
	e.last = time.Now()
	e.inUse++
	if e.done {
		s.done.MoveToFront(el)
	} else {
		s.used.MoveToFront(el)
	}
	s.mu.Unlock()

	defer s.release(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	fn(&e.state)
	return true
}

// Done says that session id has probably seen its last call (its rollout was verified). The state stays, for a
// verification may be asked for twice, but it is the first to go when room is needed. The next Do takes the mark away.
func (s *Sessions[S]) Done(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	el := s.entries[id]
	if el == nil {
		return
	}
	e := el.Value.(*entry[S])
	if e.done {
		return
	}
	s.used.Remove(el)
	e.done, e.last = true, time.Now()
	s.entries[id] = s.done.PushFront(e)
}

// Delete forgets session id. It reports whether there was one. A call that is under way keeps its state till it ends.
func (s *Sessions[S]) Delete(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	el := s.entries[id]
	if el == nil {
		return false
	}
	s.remove(el)
	return true
}

// Len returns how many sessions are kept.
func (s *Sessions[S]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// open finds or makes the entry of id and marks it in use.
func (s *Sessions[S]) open(id string) (*entry[S], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if el := s.entries[id]; el != nil {
		return s.touch(el, now), nil
	}
	s.expire(now)
	if len(s.entries) >= s.max() && !s.makeRoom() {
		return nil, fmt.Errorf("cannot open a session: %d are kept, none verified or idle for %v: %w", len(s.entries), s.idle(), ErrSessionsFull)
	}
	if s.entries == nil {
		s.entries = make(map[string]*list.Element)
	}
	e := &entry[S]{id: strings.Clone(id), last: now, inUse: 1} // id may be a piece of a long header
	s.entries[e.id] = s.used.PushFront(e)
	return e, nil
}

// touch makes el the most recently used entry and marks it in use.
func (s *Sessions[S]) touch(el *list.Element, now time.Time) *entry[S] {
	e := el.Value.(*entry[S])
	e.last = now
	e.inUse++
	if e.done {
		s.done.Remove(el)
		e.done = false
		s.entries[e.id] = s.used.PushFront(e)
		return e
	}
	s.used.MoveToFront(el)
	return e
}

// release ends a use of e.
func (s *Sessions[S]) release(e *entry[S]) {
	s.mu.Lock()
	e.inUse--
	s.mu.Unlock()
}

// expire forgets what was idle for too long. Both lists are in order of their last use, so it stops at the first that
// is young: the cost is that of what is forgotten.
func (s *Sessions[S]) expire(now time.Time) {
	for _, l := range []*list.List{&s.done, &s.used} {
		for el := l.Back(); el != nil; {
			e := el.Value.(*entry[S])
			if now.Sub(e.last) < s.idle() {
				break
			}
			previous := el.Prev()
			if e.inUse == 0 {
				s.remove(el)
			}
			el = previous
		}
	}
}

// makeRoom forgets the oldest session that is done. It reports whether there was one.
func (s *Sessions[S]) makeRoom() bool {
	for el := s.done.Back(); el != nil; el = el.Prev() {
		if el.Value.(*entry[S]).inUse == 0 {
			s.remove(el)
			return true
		}
	}
	return false
}

// remove takes el out of the list that it stands in and out of the map.
func (s *Sessions[S]) remove(el *list.Element) {
	e := el.Value.(*entry[S])
	if e.done {
		s.done.Remove(el)
	} else {
		s.used.Remove(el)
	}
	delete(s.entries, e.id)
}

func (s *Sessions[S]) max() int {
	if s.options.Max > 0 {
		return s.options.Max
	}
	return DefaultMaxSessions
}

func (s *Sessions[S]) idle() time.Duration {
	if s.options.Idle > 0 {
		return s.options.Idle
	}
	return DefaultIdle
}
