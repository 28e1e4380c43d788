package runs

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// Options bound what a model keeps in memory. The zero value is good.
type Options struct {
	// MaxSpans bounds the spans that are remembered one by one (about 80 bytes each), to put rollouts together and to tell copies:
	// 0 is 400,000. Beyond, those of traces that were long without a span go, and a span that still comes for one of
	// them waits for [Model.Heal].
	MaxSpans int

	// MaxNames bounds the distinct kinds of spans (process, group, name): 0 is 100,000. Names beyond become "(other names)".
	MaxNames int
}

// Model is what the spans say about runs, rollouts, traces and groups. It is the [store.Summary] of a store: Add, Seal, Merge and
// Forget are the writer's. Heal, Settle, Partial and SetProgress may be called by any goroutine and hold the writer up for a moment.
// Everything else may be called by any number of goroutines at any time, and does not wait for the writer.
type Model struct {
	o Options

	mu    sync.Mutex // of the writer, and of whoever publishes
	t     *table
	rd    reader
	seq   uint32 // of the chunk that is being filled
	chunk chunk
	enc   encoder

	traces vec[traceRow]
	ids    rowIndex // by trace id
	free   []uint32 // rows of traces that are gone
	live   int

	memory
	partial map[otlp.TraceID]struct{} // remembered in part, to be healed

	many map[uint32]*slots  // the rollouts of traces that have several, by row
	gone map[goneKey]uint32 // removed rollouts, by the chunk that says so

	runs         map[string]*run
	runList      []*run // by number; nil: free
	freeRuns     []uint32
	runOfProcess []*run
	stats        vec[*stat]
	current      []*stat // since the last publication, by shape
	touched      []uint32
	total        stat

	wanted    atomic.Bool // a reader found the writer at work
	published time.Time
	since     int // spans since the clock was looked at
	forgotten int // chunks since the last sweep
	changed   bool
	snap      atomic.Pointer[snapshot]
}

var (
	_ store.Summary  = (*Model)(nil)
	_ store.Preparer = (*Model)(nil)
)

// NewModel makes an empty model.
func NewModel(o Options) *Model {
	if o.MaxSpans <= 0 {
		o.MaxSpans = 400_000
	}
	if o.MaxNames <= 0 {
		o.MaxNames = 100_000
	}
	t := newTable(o.MaxNames)
	m := &Model{
		o: o, t: t, rd: reader{t: t}, seq: 1, memory: newMemory(t, o.MaxSpans),
		partial: map[otlp.TraceID]struct{}{}, many: map[uint32]*slots{}, gone: map[goneKey]uint32{}, runs: map[string]*run{},
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
	m.put(&span, m.rd.shapeOf(&span))
	if m.since++; m.since >= 64 && m.wanted.Load() {
		m.since = 0
		if now := time.Now(); now.Sub(m.published) > 50*time.Millisecond {
			m.publish(now)
		}
	}
}

// put takes a span of a shape.
func (m *Model) put(s *Span, shape uint32) {
	m.changed = true
	w := m.workOf(s.Trace)
	stat := m.statOf(shape)
	at := m.traces.edit(w.row)
	delta := m.deltaOf(at)
	if !w.add(s, shape) {
		at.copies++
		delta.copies++
		stat.copies++
		return
	}
	m.nodes++
	before := m.runOf(at)
	at.add(s, shape, m.t)
	delta.add(s, shape, m.t)
	p := m.t.shapes[shape].process
	at.processes, delta.processes = m.t.with(at.processes, p), m.t.with(delta.processes, p)
	m.moved(before, m.runOf(at))
	stat.add(s)
	switch {
	case !w.partial:
		m.soil(w)
	case at.gym:
		m.partial[at.id] = struct{}{}
	}
	if m.nodes > m.limit {
		m.evict()
	}
}

// findRow finds the row of a trace.
func (m *Model) findRow(id otlp.TraceID) (row uint32, ok bool) {
	return m.ids.find(hashTrace(id), func(row uint32) bool { return m.traces.at(row).id == id })
}

// rowOf finds the row of a trace, or makes one.
func (m *Model) rowOf(id otlp.TraceID) uint32 {
	row, ok := m.findRow(id)
	if ok {
		return row
	}
	if n := len(m.free); n > 0 {
		row, m.free = m.free[n-1], m.free[:n-1]
	} else {
		row = m.traces.grow()
	}
	*m.traces.edit(row) = traceRow{id: id}
	m.ids.add(hashTrace(id), row)
	m.live++
	return row
}

// deltaOf finds what the chunk adds to a trace.
func (m *Model) deltaOf(at *traceRow) *traceRow {
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
		m.runOfProcess = append(m.runOfProcess, nil)
	}
	if m.runOfProcess[p] == nil {
		m.runOfProcess[p] = m.runNamed(m.t.processes[p].Run)
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
		r.number = place(&m.runList, &m.freeRuns, r)
		m.runs[id] = r
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

// fold adds what was counted since the last publication to the totals and to the chunk.
func (m *Model) fold() {
	for _, shape := range m.touched {
		s := m.current[shape]
		m.addStat(shape, s, 1)
		if of := m.chunk.stats[shape]; of != nil {
			of.merge(s)
			s.reset()
		} else {
			m.chunk.stats[shape], m.current[shape] = s, nil
		}
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
	if *at = own; own.empty() {
		*at = nil
		r.shapes = slices.DeleteFunc(slices.Clone(r.shapes), func(i uint32) bool { return i == shape })
	}
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
