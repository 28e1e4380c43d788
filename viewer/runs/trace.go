package runs

import (
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// Trace is a trace as a list shows it.
type Trace struct {
	ID       otlp.TraceID
	Root     string // name of the root; of the earliest span when Rootless
	Rootless bool   // no root is here
	Service  string // of that span
	Run      string
	Start    uint64 // earliest, unix nanoseconds
	End      uint64 // latest
	Duration time.Duration
	Spans    int
	Errors   int
	Cut      int // truncated
	Open     int // without an end
	Copies   int
	Services int
	Rollouts int
	Rollout  *Rollout // when there is exactly one
}

func (r *traceRow) duration() time.Duration {
	if r.root.child || r.root.end < r.root.start {
		return time.Duration(r.last - r.first)
	}
	return time.Duration(r.root.end - r.root.start)
}

func (r *traceRow) public(n *names) Trace {
	sh := &n.shapes[r.root.shape]
	p := &n.processes[sh.process]
	return Trace{
		ID: r.id, Root: sh.name, Rootless: r.root.child, Service: p.Service, Run: p.Run, Start: r.first, End: r.last, Duration: r.duration(),
		Spans: int(r.spans), Errors: int(r.errors), Cut: int(r.cut), Open: int(r.open), Copies: int(r.copies), Services: len(n.sets[r.processes]), Rollouts: int(r.rollouts),
	}
}

func (s *snapshot) traceOrders() []order[*traceRow] {
	number := func(name string, down bool, f func(*traceRow) float64) order[*traceRow] {
		return order[*traceRow]{name, func(r *traceRow) sortKey { return sortKey{num: [2]float64{f(r)}, tie: tie{a: r.id}} }, down}
	}
	text := func(name string, f func(*traceRow) string) order[*traceRow] {
		return order[*traceRow]{name, func(r *traceRow) sortKey { return sortKey{text: f(r), tie: tie{a: r.id}} }, false}
	}
	return []order[*traceRow]{
		number("started", true, func(r *traceRow) float64 { return float64(r.first) }),
		number("dur", false, func(r *traceRow) float64 { return float64(r.duration()) }),
		number("spans", false, func(r *traceRow) float64 { return float64(r.spans) }),
		number("errors", false, func(r *traceRow) float64 { return float64(r.errors) }),
		text("root", func(r *traceRow) string { return s.names.shapes[r.root.shape].name }),
		text("service", func(r *traceRow) string { return s.names.processOf(r.root.shape).Service }),
	}
}

// Traces lists the traces that match, of any program: started (the default, latest first), dur, spans, errors, root, service. A query
// looks at the root of a trace, at all its services, and at its rollout when there is exactly one.
func (m *Model) Traces(q query.Query, p Page) (List[Trace], error) {
	s := m.now()
	k, err := newPicker(s.traceOrders(), p)
	if err != nil {
		return List[Trace]{}, err
	}
	rec := s.traceRecord(q)
	total := 0
	s.traces.back(func(r *traceRow) { // the latest come first, so most rows are seen at once to be on a later page
		if r.spans > 0 {
			total++
			if rec.look(r); q.Empty() || q.Match(rec) {
				k.offer(r)
			}
		}
	})
	rows, next := k.page()
	return List[Trace]{s.publicTraces(rows), next, k.matched, total}, nil
}

// publicTraces adds the rollouts.
func (s *snapshot) publicTraces(rows []*traceRow) []Trace {
	out := make([]Trace, len(rows))
	for i, r := range rows {
		out[i] = s.publicTrace(r)
	}
	return out
}

func (s *snapshot) publicTrace(r *traceRow) Trace {
	t := r.public(&s.names)
	t.Rollout = s.only(r)
	return t
}

// only is the rollout of a trace that has exactly one.
func (s *snapshot) only(r *traceRow) *Rollout {
	if r.rollouts != 1 {
		return nil
	}
	return *s.runs[r.spot.run].rows.at(r.spot.row)
}

// Trace finds a trace by its id, without a look at others.
func (m *Model) Trace(id otlp.TraceID) (Trace, bool) {
	s := m.now()
	if r := m.rowIn(s, id); r != nil {
		return s.publicTrace(r), true
	}
	return Trace{}, false
}
