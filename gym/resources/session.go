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

// ErrSessionLost says that a caller came back with a session that is not there: it expired, or the server that kept it was
// started again. Where an environment returns it the answer is a 410. To score a new state instead would be a wrong reward.
var ErrSessionLost = errors.New("the session is not there any more")

// SessionOptions are the bounds of a [Sessions]. The zero value has the defaults.
type SessionOptions struct {
	Max  int           // sessions kept at most; 0 is DefaultMaxSessions
	Idle time.Duration // a session that was not used for so long is forgotten; 0 is DefaultIdle
}

// Sessions keeps one state of type S for each session id, in memory.
//
// Sessions expire. One that was not used for longer than Idle is not there any more, whether or not room is needed; the
// memory of expired ones is given back in passing, by the next call of any session. One that is closed goes at once
// ([Sessions.Delete]; see [Close]).
//
// Memory is bounded. When Max sessions are there and another one is wanted, the ones that said [Sessions.Done] are
// forgotten, the oldest first. Where there is none the new session is refused with [ErrSessionsFull]: to forget a session
// that a rollout still uses would give a wrong reward and no sign of it.
//
// What a state holds beside memory is let go by [Sessions.OnDrop].
//
// All methods may be called concurrently. Calls of one session run one after the other, calls of different sessions
// side by side. The zero value has the default bounds and is ready to use.
type Sessions[S any] struct {
	options SessionOptions
	drop    func(state *S) // nil for none

	mu      sync.Mutex
	entries map[string]*list.Element
	used    list.List // of *entry[S], most recently used first; those that are done stand in done
	done    list.List // likewise
}

// entry is the state of one session. Its place in the lists is guarded by Sessions.mu, its state by its own lock.
type entry[S any] struct {
	id    string
	last  time.Time
	inUse int // calls that hold or wait for the entry; such an entry does not expire
	done  bool
	gone  bool // it is not among the entries any more; whoever uses it last lets it go

	mu    sync.Mutex
	state S
}

// NewSessions returns an empty Sessions with the bounds of o.
func NewSessions[S any](o SessionOptions) *Sessions[S] {
	return &Sessions[S]{options: o}
}

// OnDrop sets what is called with a state that is forgotten, whatever the reason: for states that hold more than memory. It
// must be set before the first session is opened. The call is made once for each state, by whoever caused it, and after the
// session's last call.
func (s *Sessions[S]) OnDrop(fn func(state *S)) { s.drop = fn }

// Do calls fn with the state of session id, which begins as the zero S, and returns what fn returns. The error is
// [ErrSessionsFull] when the session is new and no more can be kept; fn was not called then.
func (s *Sessions[S]) Do(id string, fn func(state *S) error) error {
	e, err := s.open(id)
	if err != nil {
		return err
	}
	return s.use(e, fn)
}

// Resume is Do for a call that continues what an earlier one began: the error is [ErrSessionLost] when the caller brought a
// session that is not there. A caller without one gets a new one, as with Do.
func (s *Sessions[S]) Resume(c Call, fn func(state *S) error) error {
	if c.Wire == nil || c.Wire.Fresh {
		return s.Do(c.Session, fn)
	}
	e := s.find(c.Session, true)
	if e == nil {
		return fmt.Errorf("cannot go on with session %q: %w", c.Session, ErrSessionLost)
	}
	return s.use(e, fn)
}

// use calls fn with an entry that was marked in use.
func (s *Sessions[S]) use(e *entry[S], fn func(state *S) error) error {
	defer s.release(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	return fn(&e.state)
}

// Peek calls fn with the state of session id if there is one, and reports whether there was. It is a use like Do, but it
// makes no session and leaves the mark of Done.
func (s *Sessions[S]) Peek(id string, fn func(state *S)) bool {
	e := s.find(id, false)
	if e == nil {
		return false
	}
	_ = s.use(e, func(state *S) error { fn(state); return nil })
	return true
}

// find marks the entry of id in use, nil when there is none. again takes the mark of Done away.
func (s *Sessions[S]) find(id string, again bool) *entry[S] {
	now := time.Now()
	s.mu.Lock()
	expired := s.expire(now)
	var e *entry[S]
	if el := s.entries[id]; el != nil {
		e = s.touch(el, now, again)
	}
	s.mu.Unlock()
	s.letGo(expired)
	return e
}

// Done says that session id has probably seen its last call (its rollout was verified). The state stays, for a
// verification may be asked for twice, but it is the first to go when room is needed. The next Do takes the mark away.
func (s *Sessions[S]) Done(id string) {
	now := time.Now()
	s.mu.Lock()
	expired := s.expire(now)
	if el := s.entries[id]; el != nil {
		if e := el.Value.(*entry[S]); !e.done {
			s.used.Remove(el)
			e.done, e.last = true, now
			s.entries[id] = s.done.PushFront(e)
		}
	}
	s.mu.Unlock()
	s.letGo(expired)
}

// Delete forgets session id. It reports whether there was one. A call that is under way keeps its state till it ends.
func (s *Sessions[S]) Delete(id string) bool {
	s.mu.Lock()
	el := s.entries[id]
	var gone []*entry[S]
	if el != nil {
		gone = s.remove(gone, el)
	}
	s.mu.Unlock()
	s.letGo(gone)
	return el != nil
}

// Len returns how many sessions are kept.
func (s *Sessions[S]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// open finds or makes the entry of id and marks it in use.
func (s *Sessions[S]) open(id string) (*entry[S], error) {
	now := time.Now()
	s.mu.Lock()
	gone := s.expire(now)
	defer func() {
		s.mu.Unlock()
		s.letGo(gone)
	}()
	if el := s.entries[id]; el != nil {
		return s.touch(el, now, true), nil
	}
	if len(s.entries) >= s.max() {
		before := len(gone)
		if gone = s.makeRoom(gone); len(gone) == before {
			return nil, fmt.Errorf("cannot open a session: %d are kept, none verified or idle for %v: %w", len(s.entries), s.idle(), ErrSessionsFull)
		}
	}
	if s.entries == nil {
		s.entries = make(map[string]*list.Element)
	}
	e := &entry[S]{id: strings.Clone(id), last: now, inUse: 1} // id may be a piece of a long header
	s.entries[e.id] = s.used.PushFront(e)
	return e, nil
}

// touch makes el the most recently used entry of its list and marks it in use. again takes the mark of Done away.
func (s *Sessions[S]) touch(el *list.Element, now time.Time, again bool) *entry[S] {
	e := el.Value.(*entry[S])
	e.last = now
	e.inUse++
	switch {
	case e.done && again:
		s.done.Remove(el)
		e.done = false
		s.entries[e.id] = s.used.PushFront(e)
	case e.done:
		s.done.MoveToFront(el)
	default:
		s.used.MoveToFront(el)
	}
	return e
}

// release ends a use of e, which is the time that idleness counts from.
func (s *Sessions[S]) release(e *entry[S]) {
	s.mu.Lock()
	e.inUse--
	last := e.gone && e.inUse == 0
	if el := s.entries[e.id]; !e.gone && el != nil {
		e.last = time.Now()
		if e.done {
			s.done.MoveToFront(el)
		} else {
			s.used.MoveToFront(el)
		}
	}
	s.mu.Unlock()
	if last {
		s.letGo([]*entry[S]{e})
	}
}

// expire forgets what was idle for too long. Both lists are in order of their last use, so it stops at the first that
// is young: the cost is that of what is forgotten.
func (s *Sessions[S]) expire(now time.Time) (gone []*entry[S]) {
	for _, l := range []*list.List{&s.done, &s.used} {
		for el := l.Back(); el != nil; {
			e := el.Value.(*entry[S])
			if now.Sub(e.last) < s.idle() {
				break
			}
			previous := el.Prev()
			if e.inUse == 0 {
				gone = s.remove(gone, el)
			}
			el = previous
		}
	}
	return gone
}

// makeRoom forgets the oldest session that is done, if there is one.
func (s *Sessions[S]) makeRoom(gone []*entry[S]) []*entry[S] {
	for el := s.done.Back(); el != nil; el = el.Prev() {
		if el.Value.(*entry[S]).inUse == 0 {
			return s.remove(gone, el)
		}
	}
	return gone
}

// remove takes el out of the list that it stands in and out of the map, and adds its entry to those that nobody uses any
// more, unless somebody does.
func (s *Sessions[S]) remove(gone []*entry[S], el *list.Element) []*entry[S] {
	e := el.Value.(*entry[S])
	if e.done {
		s.done.Remove(el)
	} else {
		s.used.Remove(el)
	}
	delete(s.entries, e.id)
	e.gone = true
	if e.inUse > 0 {
		return gone
	}
	return append(gone, e)
}

// letGo tells whom it concerns that entries were forgotten.
func (s *Sessions[S]) letGo(gone []*entry[S]) {
	if s.drop == nil {
		return
	}
	for _, e := range gone {
		s.drop(&e.state)
	}
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
