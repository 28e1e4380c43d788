package runs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// Options bound what a model keeps in memory. The zero value is good.
type Options struct {
	// MaxSpans bounds the spans that are remembered one by one (about 120 bytes each), to put rollouts together and to tell copies:
	// 0 is 400,000. Beyond, those of the traces that were longest without a span go, and a span that still comes for one of
	// them waits for [Model.Heal].
	MaxSpans int

	// MaxNames bounds the distinct kinds of spans (process, group, name): 0 is 100,000. Names beyond become "(other names)".
	MaxNames int
}

// Model is what the spans say about runs, rollouts, traces and groups. It is the [store.Summary] of a store: Add, Seal, Merge and
// Forget are the writer's. Heal, Partial and SetProgress may be called by any goroutine and hold the writer up for a moment. Everything
// else may be called by any number of goroutines at any time, and does not wait for the writer.
type Model struct {
	o Options

	mu    sync.Mutex // of the writer, and of whoever publishes
	t     *table
	rd    reader
	l     layout
	seq   uint32 // of the chunk that is being filled
	chunk chunk

	traces vec[traceRow]
	byID   map[otlp.TraceID]uint32
	free   []uint32 // rows of traces that are gone
	live   int

	works   []*work // by row; nil: its spans are not remembered
	newest  *work   // of the traces by their latest span
	oldest  *work
	spare   []*work
	nodes   int    // remembered spans
	added   uint64 // spans since the start
	dirty   []*work
	partial map[otlp.TraceID]struct{} // remembered in part, to be healed

	slots map[uint32]*slots
	gone  map[goneKey]uint32 // removed rollouts, by the chunk that says so

	runs         map[string]*run
	runList      []*run
	runOfProcess []*run
	stats        vec[*stat]
	current      []*stat // since the last publication, by shape
	touched      []uint32
	total        stat

	wanted    atomic.Bool // a reader found the writer at work
	published time.Time
	since     int // spans since the clock was looked at
	changed   bool
	snap      atomic.Pointer[snapshot]
}

var _ store.Summary = (*Model)(nil)

// goneKey names a rollout of any trace.
type goneKey struct {
	trace otlp.TraceID
	key   rollKey
}

// work is the remembered spans of a trace.
type work struct {
	tree        tree
	row         uint32
	dirty       bool
	partial     bool // spans of the trace are not here
	ready       time.Time
	touched     uint64 // Model.added when it got its latest span
	newer, prev *work
}

// NewModel makes an empty model.
func NewModel(o Options) *Model {
	if o.MaxSpans <= 0 {
		o.MaxSpans = 400_000
	}
	if o.MaxNames <= 0 {
		o.MaxNames = 100_000
	}
	m := &Model{
		o: o, t: newTable(o.MaxNames), seq: 1, byID: map[otlp.TraceID]uint32{},
		partial: map[otlp.TraceID]struct{}{}, slots: map[uint32]*slots{}, gone: map[goneKey]uint32{}, runs: map[string]*run{},
	}
	m.chunk.reset()
	m.snap.Store(&snapshot{byID: map[string]*runView{}})
	return m
}

// Add takes a span. See [store.Summary].
func (m *Model) Add(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span, _ store.Ref) {
	m.mu.Lock()
	defer m.mu.Unlock()
	span := m.rd.read(r, sc, s)
	m.add(&span)
	if m.since++; m.since >= 64 && m.wanted.Load() {
		m.since = 0
		if now := time.Now(); now.Sub(m.published) > 50*time.Millisecond {
			m.publish(now)
		}
	}
}

func (m *Model) add(s *Span) {
	m.changed = true
	shape := m.t.shapeOf(s)
	row := m.rowOf(s.Trace)
	w := m.workOf(row)
	stat := m.statOf(shape)
	at := m.traces.edit(row)
	delta := m.deltaOf(row, at)
	if w.tree.add(s, shape) < 0 {
		at.copies++
		delta.copies++
		stat.copies++
		return
	}
	m.nodes++
	m.added++
	before := m.runOf(at)
	at.add(s, shape, m.t)
	delta.add(s, shape, m.t)
	p := m.t.shapes[shape].process
	at.processes, delta.processes = m.t.with(at.processes, p), m.t.with(delta.processes, p)
	m.moved(before, m.runOf(at))
	stat.add(s)
	if w.partial && at.gym {
		m.partial[at.id] = struct{}{}
	}
	if !w.dirty && (len(w.tree.dirty) > 0 || w.tree.moved || w.tree.orphans && len(w.tree.ids) > 1) {
		w.dirty = true
		m.dirty = append(m.dirty, w)
	}
	if m.nodes > m.o.MaxSpans {
		m.evict()
	}
}

// rowOf finds the row of a trace, or makes one.
func (m *Model) rowOf(id otlp.TraceID) uint32 {
	row, ok := m.byID[id]
	if ok {
		return row
	}
	if n := len(m.free); n > 0 {
		row, m.free = m.free[n-1], m.free[:n-1]
	} else {
		row = m.traces.grow()
	}
	for uint32(len(m.works)) <= row {
		m.works = append(m.works, nil)
	}
	*m.traces.edit(row) = traceRow{id: id}
	m.byID[id] = row
	m.live++
	return row
}

// deltaOf finds what the chunk adds to a trace.
func (m *Model) deltaOf(row uint32, at *traceRow) *traceRow {
	if at.seq != m.seq {
		at.seq, at.at = m.seq, uint32(len(m.chunk.traces))
		m.chunk.traces = append(m.chunk.traces, traceRow{id: at.id})
	}
	return &m.chunk.traces[at.at]
}

// runOf returns the run that a trace counts for: that of its root.
func (m *Model) runOf(r *traceRow) *run {
	if r.spans <= 0 {
		return nil
	}
	return m.runOfShape(r.root.shape)
}

// runOfShape returns the run that a span counts for.
func (m *Model) runOfShape(shape uint32) *run {
	p := m.t.shapes[shape].process
	for uint32(len(m.runOfProcess)) <= p {
		m.runOfProcess = append(m.runOfProcess, m.runNamed(m.t.processes[len(m.runOfProcess)].Run))
	}
	return m.runOfProcess[p]
}

func (m *Model) moved(from, to *run) {
	if from == to {
		return
	}
	if from != nil {
		from.traces--
		from.changed = true
	}
	if to != nil {
		to.traces++
		to.changed = true
	}
}

func (m *Model) runNamed(id string) *run {
	r, ok := m.runs[id]
	if !ok {
		r = &run{id: id}
		m.runs[id] = r
		m.runList = append(m.runList, r)
	}
	return r
}

// statOf finds the counts of a shape since the last publication.
func (m *Model) statOf(shape uint32) *stat {
	for uint32(len(m.current)) <= shape {
		m.current = append(m.current, nil)
	}
	s := m.current[shape]
	if s == nil {
		s = new(stat)
		m.current[shape] = s
	}
	if s.empty() {
		m.touched = append(m.touched, shape)
	}
	return s
}

// workOf finds the remembered spans of a trace and notes that it has one more.
func (m *Model) workOf(row uint32) *work {
	w := m.works[row]
	if w == m.newest && w != nil {
		w.touched = m.added
		return w
	}
	if w != nil {
		m.unlink(w)
	} else {
		w = m.newWork(row)
	}
	w.prev, w.newer = m.newest, nil
	if m.newest != nil {
		m.newest.newer = w
	} else {
		m.oldest = w
	}
	m.newest, w.touched = w, m.added
	return w
}

func (m *Model) newWork(row uint32) *work {
	var w *work
	if n := len(m.spare); n > 0 {
		w, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		w = &work{tree: *newTree(m.t)}
	}
	at := m.traces.at(row)
	*w = work{tree: w.tree, row: row}
	if at.spans > 0 {
		w.partial = true
		if at.gym {
			m.partial[at.id] = struct{}{}
		}
	}
	m.works[row] = w
	return w
}

func (m *Model) unlink(w *work) {
	if w.newer != nil {
		w.newer.prev = w.prev
	} else {
		m.newest = w.prev
	}
	if w.prev != nil {
		w.prev.newer = w.newer
	} else {
		m.oldest = w.newer
	}
}

// evict forgets the spans of the traces that were longest without one, down to nine tenths of the bound. Traces that are being
// written stay, however large.
func (m *Model) evict() {
	for m.nodes > m.o.MaxSpans/10*9 && m.added-m.oldest.touched > uint64(m.o.MaxSpans/4) {
		if m.oldest.dirty {
			m.flush(m.oldest, time.Time{})
		}
		m.release(m.oldest)
	}
}

// release forgets the spans of a trace.
func (m *Model) release(w *work) {
	m.unlink(w)
	m.nodes -= len(w.tree.nodes)
	m.works[w.row] = nil
	w.tree.reset()
	if len(m.spare) < 1024 {
		m.spare = append(m.spare, w)
	}
}

// flushAll analyses what has changed. Large unfinished rollouts wait until their last analysis is a while ago; the zero time waits for
// nothing.
func (m *Model) flushAll(now time.Time) {
	later := m.dirty[:0]
	for _, w := range m.dirty {
		if m.works[w.row] == w && w.dirty && !m.flush(w, now) {
			later = append(later, w)
		}
	}
	clear(m.dirty[len(later):])
	m.dirty = later
}

// large is the number of spans from which on unfinished rollouts are not analysed at each publication.
const large = 4096

// flush analyses the rollouts of a trace that have changed. It returns false when some are left for later.
func (m *Model) flush(w *work, now time.Time) bool {
	if w.partial {
		w.dirty = false // Heal does it
		return true
	}
	t := &w.tree
	if t.moved {
		for i := range t.nodes {
			t.changed(int32(i))
		}
	}
	for _, i := range t.dirty {
		t.nodes[i].flags &^= isDirty
		if outer, _ := t.climb(i); outer != i {
			if t.nodes[i].flags&isCopy == 0 {
				m.removeRollout(w.row, rollKey{span: t.nodes[i].id}, m.seq)
			}
			continue
		}
		r := t.rollout(&m.l, i)
		for _, k := range m.l.nodes[1:] {
			if t.nodes[k].flags&(isRollout|isCopy) == isRollout {
				m.removeRollout(w.row, rollKey{span: t.nodes[k].id}, m.seq)
			}
		}
		m.setRollout(w.row, &r)
	}
	t.dirty = t.dirty[:0]
	if t.moved {
		m.reconcile(w)
	}
	if t.orphans && len(t.ids) > 1 {
		if !now.IsZero() && len(t.nodes) > large && now.Before(w.ready) {
			return false
		}
		m.flushUnfinished(w)
		if len(t.nodes) > large && !now.IsZero() {
			end := time.Now()
			w.ready = end.Add(20 * end.Sub(now))
		}
	}
	w.dirty = false
	return true
}

// reconcile removes the rows of what is no outermost gym.rollout any more.
func (m *Model) reconcile(w *work) {
	t := &w.tree
	t.moved = false
	s := m.slots[w.row]
	for i := 0; s != nil && i < len(s.list); {
		k := s.list[i].key
		at := t.find(k.span)
		if k.span.IsZero() || at >= 0 && t.nodes[at].flags&isRollout != 0 && t.isOutermost(at) {
			i++
		} else {
			m.removeRollout(w.row, k, m.seq) // puts another in its place
		}
	}
}

// flushUnfinished analyses the rollouts of a trace that have not ended.
func (m *Model) flushUnfinished(w *work) {
	t := &w.tree
	t.orphans = false
	var there map[string]bool
	for _, f := range t.unfinished() {
		r := t.inferred(&m.l, f)
		m.setRollout(w.row, &r)
		if there == nil {
			there = map[string]bool{}
		}
		there[r.ID] = true
	}
	s := m.slots[w.row]
	for i := 0; s != nil && i < len(s.list); {
		if k := s.list[i].key; k.span.IsZero() && !there[k.id] {
			m.removeRollout(w.row, k, m.seq) // puts another in its place
		} else {
			i++
		}
	}
}

// setRollout writes the row of a rollout.
func (m *Model) setRollout(row uint32, r *Rollout) {
	at := m.traces.at(row)
	r.Trace = at.id
	m.place(row, r, m.seq)
	k := goneKey{at.id, keyOf(r)}
	m.chunk.rolls[k] = row
	delete(m.chunk.gone, k)
}

// place puts a row where it belongs; seq is of the chunk that it comes from.
func (m *Model) place(row uint32, r *Rollout, seq uint32) {
	k := keyOf(r)
	s := m.slots[row]
	if s == nil {
		s = &slots{}
		m.slots[row] = s
	}
	target := m.runNamed(r.Run)
	i := s.find(k)
	if i >= 0 && s.list[i].run != target {
		s.list[i].run.drop(s.list[i].row)
		s.list[i].run, s.list[i].row = target, target.put(r)
	} else if i >= 0 {
		target.set(s.list[i].row, r)
	} else {
		s.add(slot{k, target, target.put(r)})
		i = len(s.list) - 1
		m.traces.edit(row).rollouts++
	}
	s.list[i].run.seqs[s.list[i].row] = uint64(seq)
	delete(m.gone, goneKey{r.Trace, k})
}

// removeRollout removes the row of what turned out to be no rollout, or to be another.
func (m *Model) removeRollout(row uint32, k rollKey, seq uint32) {
	if !m.unplace(row, k) {
		return
	}
	key := goneKey{m.traces.at(row).id, k}
	m.chunk.gone[key] = struct{}{}
	m.gone[key] = seq
}

// unplace removes a row. It returns false when there is none.
func (m *Model) unplace(row uint32, k rollKey) bool {
	s := m.slots[row]
	if s == nil {
		return false
	}
	i := s.find(k)
	if i < 0 {
		return false
	}
	s.list[i].run.drop(s.list[i].row)
	s.remove(i)
	delete(m.chunk.rolls, goneKey{m.traces.at(row).id, k})
	m.traces.edit(row).rollouts--
	if len(s.list) == 0 {
		delete(m.slots, row)
	}
	return true
}

// fold adds what was counted since the last publication to the totals and to the chunk.
func (m *Model) fold() {
	for _, shape := range m.touched {
		s := m.current[shape]
		m.addStat(shape, s, 1)
		of := m.chunk.stats[shape]
		if of == nil {
			of = new(stat)
			m.chunk.stats[shape] = of
		}
		of.merge(s)
		s.reset()
	}
	m.touched = m.touched[:0]
}

// addStat adds to the totals of a shape, or takes away from them.
func (m *Model) addStat(shape uint32, s *stat, sign int64) {
	for uint32(m.stats.n) <= shape {
		m.stats.grow()
	}
	at := m.stats.edit(shape)
	r := m.runOfShape(shape)
	if *at == nil {
		*at = new(stat)
		r.shapes = append(r.shapes, shape)
	}
	r.changed = true
	own := (*at).clone()
	if sign > 0 {
		own.merge(s)
	} else {
		own.subtract(s)
	}
	*at = own
	m.total.counts(s, sign)
}

// SetProgress says what the driver of a run knows; nil: nothing any more. A driver counts its own rollouts: what ended before its
// first word, under the same name, is added to its total, which is returned.
func (m *Model) SetProgress(run string, p *Progress) (total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runNamed(run)
	if p != nil {
		own := *p
		p = &own
		if last := r.progress; last != nil && last.Since > 0 {
			p.Since = last.Since
		} else {
			p.Since, r.before = uint64(time.Now().UnixNano()), r.ended()
		}
		p.Total += r.before
		total = p.Total
	}
	r.progress, r.changed, m.changed = p, true, true
	return total
}

// Remember says what the driver of a run was last heard to know, when there is something of the run. It was Done or is Gone.
func (m *Model) Remember(run string, p Progress) (known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.runs[run]
	if known {
		p.Since = 0 // a new driver begins again
		r.progress, r.changed, m.changed = &p, true, true
	}
	return known
}
