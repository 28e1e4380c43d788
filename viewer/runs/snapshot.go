package runs

import (
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// snapshot is the model as it was. It never changes.
type snapshot struct {
	version uint64
	names   names
	runs    []*runView // by number; nil: none
	byID    map[string]*runView
	traces  view[traceRow]
	live    int // traces
	stats   view[*stat]
	total   stat
}

// runView is a run as it was. What is computed of all its rows is computed once, by the first who asks.
type runView struct {
	id       string
	rows     view[*Rollout]
	byTask   *rowIndex // as it is now
	live     int
	seen     int // different tasks
	attempts int // the largest
	running  int
	shapes   []uint32
	traces   int
	progress *Progress
	names    names
	stats    view[*stat]

	once sync.Once
	sum  *runSum

	taskOnce sync.Once
	taskList []*Task

	chartsOnce sync.Once
	all        RunDetail
}

// now returns the model as it is, or, while the writer is at work, as it was a moment ago. It never waits.
func (m *Model) now() *snapshot {
	if m.mu.TryLock() {
		m.publish(time.Now())
		m.mu.Unlock()
	} else {
		m.wanted.Store(true)
	}
	return m.snap.Load()
}

// publish shows readers what has changed.
func (m *Model) publish(now time.Time) {
	m.wanted.Store(false)
	m.published = now
	m.flushAll()
	if !m.changed {
		return
	}
	m.changed = len(m.dirty) > 0
	m.fold()
	old := m.snap.Load()
	s := &snapshot{
		version: old.version + 1, names: m.t.names, traces: m.traces.view(), live: m.live, stats: m.stats.view(), total: m.total,
		runs: make([]*runView, len(m.runList)), byID: make(map[string]*runView, len(m.runList)),
	}
	for i, r := range m.runList {
		if r == nil {
			continue
		}
		if r.changed || r.seen == nil {
			r.changed = false
			r.seen = &runView{
				id: r.id, rows: r.rows.view(), byTask: &r.byTask, live: r.live, seen: r.tasks, attempts: r.mostAttempts(), running: r.running, shapes: r.shapes, traces: r.traces, progress: r.progress, names: s.names, stats: s.stats,
			}
		}
		s.runs[i], s.byID[r.id] = r.seen, r.seen
	}
	m.snap.Store(s)
}

// rowIn returns the row of a trace in a snapshot, nil when it is not there.
func (m *Model) rowIn(s *snapshot, id otlp.TraceID) *traceRow {
	row, ok := m.ids.lookUp(hashTrace(id), func(row uint32) bool { return int(row) < s.traces.n && s.traces.at(row).id == id })
	if !ok {
		return nil
	}
	r := s.traces.at(row)
	if r.spans <= 0 {
		return nil
	}
	return r
}

// each calls back for each rollout.
func (r *runView) each(f func(x *Rollout)) {
	if r == nil {
		return
	}
	r.rows.all(func(_ int, x **Rollout) bool {
		if *x != nil {
			f(*x)
		}
		return true
	})
}

// Version changes whenever what readers see does.
func (m *Model) Version() uint64 { return m.now().version }

// Totals are counts over everything that is stored.
type Totals struct {
	Spans, Bytes, Errors int64
	Truncated            int64
	Copies               int64 // spans that came again with equal content
	Open                 int64 // without an end
	Dropped              int64 // attributes, events and links that senders dropped
	Traces, Runs         int
}

// Totals returns the counts of everything.
func (m *Model) Totals() Totals {
	s := m.now()
	t := s.total
	return Totals{t.spans, t.bytes, t.errors, t.cut, t.copies, t.open, t.dropped, s.live, len(s.listed())}
}

// listed are the runs that a list shows: all of which there is something or whose driver is at work, and the one without a name when
// it has rollouts.
func (s *snapshot) listed() []*runView {
	var out []*runView
	for _, r := range s.runs {
		if r.listed() {
			out = append(out, r)
		}
	}
	return out
}

func (r *runView) listed() bool {
	return r != nil && (r.live > 0 || r.id != NoRun && (r.hasSpans() || r.progress != nil && !r.progress.Over()))
}

func (r *runView) hasSpans() bool {
	for _, shape := range r.shapes {
		if st := *r.stats.at(shape); st != nil && st.spans > 0 {
			return true
		}
	}
	return false
}
