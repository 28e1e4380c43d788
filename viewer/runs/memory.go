package runs

import (
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// work is the remembered spans of a trace.
type work struct {
	bundle
	id      otlp.TraceID
	row     uint32
	seq     uint32 // of the chunk that has its latest span
	touched uint64 // memory.added when it got that
	done    int    // spans that the rows of its rollouts know
	dirty   bool   // in memory.dirty
	partial bool   // spans of the trace are not here
}

// memory is the spans that are remembered one by one, by their traces.
type memory struct {
	open  map[otlp.TraceID]*work
	queue []*work // the first to be forgotten first, about; some are gone
	spare []*work
	dirty []*work // whose rollouts are to be looked at
	nodes int     // spans
	added uint64  // spans since the start

	max, limit int       // spans that there should be, and beyond which to do something about it
	ready      time.Time // when the next large trace may be looked at
	room       int       // spans that may be looked at before their rollout has ended
	roomAt     time.Time

	tree tree
	l    layout
	list []int32
}

func newMemory(t *table, most int) memory {
	return memory{open: map[otlp.TraceID]*work{}, tree: tree{t: t}, max: most, limit: most, room: maxRoom}
}

// workOf finds the remembered spans of a trace, which will have one more.
func (m *Model) workOf(id otlp.TraceID) *work {
	w := m.open[id]
	if w == nil {
		w = m.newWork(id)
	}
	m.added++
	w.touched, w.seq = m.added, m.seq
	return w
}

func (m *Model) newWork(id otlp.TraceID) *work {
	w := new(work)
	if n := len(m.spare); n > 0 {
		w, m.spare = m.spare[n-1], m.spare[:n-1]
	}
	row := m.rowOf(id)
	*w = work{bundle: w.bundle, id: id, row: row}
	if at := m.traces.at(row); at.spans > 0 {
		w.partial = true
		if at.gym {
			m.partial[id] = struct{}{}
		}
	}
	m.open[id] = w
	m.queue = append(m.queue, w)
	return w
}

// soil notes that the rollouts of a trace are to be looked at, if it can have any.
func (m *Model) soil(w *work) {
	if !w.dirty && w.gym() {
		w.dirty = true
		m.dirty = append(m.dirty, w)
	}
}

// evict forgets the spans of traces that were long without one, down to nine tenths of the bound. Traces that are being
// written stay, however large.
func (m *Model) evict() {
	for n := len(m.queue); n > 0 && m.nodes > m.max/10*9; n-- {
		w := m.queue[0]
		m.queue = m.queue[1:]
		switch {
		case m.open[w.id] != w:
		case m.added-w.touched <= uint64(m.max/4):
			m.queue = append(m.queue, w)
		default:
			if w.dirty {
				m.flush(w)
			}
			m.release(w)
			if len(m.spare) < 4096 {
				w.reset()
				m.spare = append(m.spare, w)
			}
		}
	}
	m.limit = max(m.max, m.nodes+m.max/16)
}

// release forgets the spans of a trace.
func (m *memory) release(w *work) {
	m.nodes -= len(w.nodes)
	w.dirty = false
	delete(m.open, w.id)
}

// large is the number of spans from which on it takes a while to look at a trace. A twentieth of the time may go into that.
const large = 1024

// flushAll looks at what has changed, but for large traces that have to wait.
func (m *Model) flushAll() { m.flushWhere(time.Now(), func(*work) bool { return true }) }

// maxRoom and roomPerSecond bound how much is looked at too early.
const maxRoom, roomPerSecond = 4096, 5000

// flushQuiet looks at the traces that seem to be complete: a rollout has ended, and no span came in this chunk. To look at a trace
// for each chunk that has a span of it would cost more than all else, and a row of a rollout that goes on is worth little in
// a footer, so of the others it takes but a few. Those that are left out come later, and the footer says which they are.
func (m *Model) flushQuiet() {
	now := time.Now()
	if since := now.Sub(m.roomAt); since > time.Second {
		m.room = maxRoom
	} else {
		m.room = min(m.room+int(since*roomPerSecond/time.Second), maxRoom)
	}
	m.roomAt = now
	m.flushWhere(now, func(w *work) bool {
		if w.seq != m.seq && w.ended || m.seq-w.seq > 64 || len(w.nodes) > large {
			return true
		}
		if m.room < len(w.nodes) {
			return false
		}
		m.room -= len(w.nodes)
		return true
	})
	for _, w := range m.dirty {
		m.pend(w.row)
	}
	for id := range m.partial {
		if row, ok := m.findRow(id); ok {
			m.pend(row)
		}
	}
}

// pend says in the footer that the rollouts of a trace are to be loaded, unless a later one says otherwise.
func (m *Model) pend(row uint32) {
	if at := m.traces.at(row); at.seq == m.seq {
		m.chunk.traces[at.at].partial = true
	}
}

// flushWhere looks at what has changed where it is wanted; without a time, large traces do not wait either.
func (m *Model) flushWhere(now time.Time, wanted func(*work) bool) {
	later := m.dirty[:0]
	for _, w := range m.dirty {
		many := len(w.nodes) > large && !now.IsZero()
		switch {
		case !w.dirty: // it is gone
		case many && now.Before(m.ready), !wanted(w):
			later = append(later, w)
		case many:
			began := time.Now()
			m.flush(w)
			now = time.Now()
			m.ready = now.Add(20 * now.Sub(began))
		default:
			m.flush(w)
		}
	}
	clear(m.dirty[len(later):])
	m.dirty = later
}

// flush brings the rows of a trace's rollouts up to date.
func (m *Model) flush(w *work) {
	w.dirty = false
	if w.partial {
		return // Heal does it
	}
	t := &m.tree
	t.build(&w.bundle)
	m.deltaOf(m.traces.edit(w.row)) // to say that it was looked at
	m.list = t.changed(w.done, m.list[:0])
	for _, i := range m.list {
		r := t.rollout(&m.l, i)
		m.setRollout(w.row, &r)
	}
	var there map[string]bool
	for _, f := range t.unfinished() {
		r := t.inferred(&m.l, f)
		m.setRollout(w.row, &r)
		if there == nil {
			there = map[string]bool{}
		}
		there[r.ID] = true
	}
	for i := int32(0); i < m.traces.at(w.row).rollouts; {
		if k := m.slotAt(w.row, i).key; k.span.IsZero() && there[k.id] || t.isOutermost(k.span) {
			i++
		} else {
			m.removeRollout(w.row, k) // puts another in its place
		}
	}
	w.done = len(w.nodes)
	if len(w.nodes) > 16*large {
		m.tree, m.l = tree{t: m.t}, layout{}
	}
}
