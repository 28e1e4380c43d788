package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// NoRun is the id of the run that rollouts without nemo.run.id belong to. It counts no spans but theirs, and knows neither bytes nor
// copies.
const NoRun = ""

// Run is a run as a list shows it.
type Run struct {
	ID       string
	Started  uint64 // earliest start of its spans, unix nanoseconds; without any, its driver's first word
	Last     uint64 // latest end
	JobEnded bool   // its gym.job span is here
	Progress *Progress

	Counts    Counts
	PerMinute float64 // finished rollouts
	OverTime  Series  // finished rollouts by their end
	Durations Percentiles
	Totals    Percentiles // durations, and the waits for admission before them

	Environments []string // most rollouts first; "" is unknown
	Tasks        int      // different ones that were seen
	Attempts     int      // the largest

	Spans, Bytes, Errors, Cut, Copies, Open, Dropped int64 // Cut: truncated

	Traces              int // whose root is of the run
	Services, Groups    []string
	TokensIn, TokensOut int64
}

// Running tells whether the run goes on, as far as one can know without a clock: by its driver, else by rollouts that have not ended
// and a job that has not.
func (r *Run) Running() bool { return goesOn(r.Progress, r.Counts.Running, r.JobEnded) }

var runOrders = []order[*Run]{
	{"started", func(r *Run) sortKey { return runKey(r, float64(r.Started), 0) }, true},
	{"name", func(r *Run) sortKey { k := runKey(r, 0, 0); k.text = r.ID; return k }, false},
	{"rollouts", func(r *Run) sortKey { return runKey(r, float64(r.Counts.Rollouts), 0) }, false},
	{"failed", func(r *Run) sortKey { return runKey(r, float64(r.Counts.Failed), 0) }, false},
	{"rate", func(r *Run) sortKey { return runKey(r, r.PerMinute, 0) }, false},
	{"reward", func(r *Run) sortKey { return runKey(r, r.Counts.Reward.Value(), r.Counts.Reward.N-1) }, false},
	{"p95", func(r *Run) sortKey { return runKey(r, float64(r.Durations.P95), r.Durations.N-1) }, false},
	{"spans", func(r *Run) sortKey { return runKey(r, float64(r.Spans), 0) }, false},
}

// runKey makes a key; below is negative when there is no value.
func runKey(r *Run, x float64, below int) sortKey {
	return sortKey{last: below < 0, num: [2]float64{x}, tie: tie{c: r.ID}}
}

// Runs lists the runs that match: started (the default, latest first), name, rollouts, failed, rate, reward, p95, spans.
func (m *Model) Runs(q query.Query, p Page) (List[Run], error) {
	k, err := newPicker(runOrders, p)
	if err != nil {
		return List[Run]{}, err
	}
	list := m.now().listed()
	for _, r := range list {
		if run := &r.sums().run; q.Match(runRecord{run}) {
			k.offer(run)
		}
	}
	rows, next := k.page()
	out := make([]Run, len(rows))
	for i, r := range rows {
		out[i] = *r
	}
	return List[Run]{out, next, k.matched, len(list)}, nil
}

var rolloutOrders = append([]order[*Rollout]{
	{"state", func(r *Rollout) sortKey {
		return rolloutKey(r, true, stateRank(r.Outcome), -float64(r.Duration()))
	}, false},
	{"env", func(r *Rollout) sortKey {
		k := rolloutKey(r, true, 0, 0)
		k.text = r.Environment
		return k
	}, false},
	{"task", func(r *Rollout) sortKey { return rolloutKey(r, r.Task >= 0, float64(r.Task), float64(r.Attempt)) }, false},
	{"attempt", func(r *Rollout) sortKey { return rolloutKey(r, r.Attempt > 0, float64(r.Attempt), float64(r.Retry)) }, false},
}, rolloutNumbers()...)

// stateRank is the place in which a list shows an outcome.
func stateRank(o Outcome) float64 {
	switch o {
	case Failed:
		return 0
	case Running:
		return 1
	case Truncated:
		return 2
	}
	return 3
}

func rolloutKey(r *Rollout, has bool, a, b float64) sortKey {
	return sortKey{last: !has, num: [2]float64{a, b}, tie: tie{r.Trace, r.Span, r.ID}}
}

// rolloutNumbers are the orders by a number field.
func rolloutNumbers() (out []order[*Rollout]) {
	for _, f := range []query.Field{
		query.Reward, query.Duration, query.Total, query.Admission, query.Pool, query.Model, query.Tools, query.Verify, query.Other, query.Turns, query.Calls,
		query.TokensIn, query.TokensOut, query.Spans, query.Started,
	} {
		out = append(out, order[*Rollout]{f.String(), func(r *Rollout) sortKey {
			x, ok := (&rolloutRecord{Rollout: r}).Number(f)
			return rolloutKey(r, ok, x, 0)
		}, false})
	}
	return out
}

// ErrNoRun is for a run that was never seen.
var ErrNoRun = fmt.Errorf("no such run")

// Rollouts lists the rollouts of a run that match: state (the default: failed, running, the rest; the longest first), env, task, attempt,
// reward, dur, total, admission, pool, model, tools, verify, other, turns, calls, tok.in, tok.out, spans, started.
func (m *Model) Rollouts(run string, q query.Query, p Page) (List[*Rollout], error) {
	r := m.now().byID[run]
	if r == nil {
		return List[*Rollout]{}, ErrNoRun
	}
	k, err := newPicker(rolloutOrders, p)
	if err != nil {
		return List[*Rollout]{}, err
	}
	r.matching(q, k.offer)
	rows, next := k.page()
	return List[*Rollout]{rows, next, k.matched, r.live}, nil
}

// matching calls back for each rollout that matches.
func (r *runView) matching(q query.Query, f func(*Rollout)) {
	if q.Empty() || r == nil {
		r.each(f)
		return
	}
	rec := r.record(q)
	r.each(func(x *Rollout) {
		if rec.look(x); q.Match(rec) {
			f(x)
		}
	})
}

// record lets a query look at the rollouts.
func (r *runView) record(q query.Query) *rolloutRecord {
	rec := &rolloutRecord{names: &r.names, searches: newSearches(q)}
	if slices.ContainsFunc(q.Terms(), func(t query.Term) bool { return t.Field == query.Started }) { // else the run need not be summed up
		rec.started = r.sums().run.Started
	}
	return rec
}

// Rollout finds a rollout by its names, and all last tries of its task, by attempt. retry -1 is the last one.
func (m *Model) Rollout(run, env string, task, attempt, retry int) (found *Rollout, others []*Rollout) {
	r := m.now().byID[run]
	if r == nil {
		return nil, nil
	}
	all := r.ofTask(env, task)
	for _, x := range all {
		if x.Attempt == attempt && (x.Retry == retry || retry < 0 && (found == nil || later(found, x))) {
			found = x
		}
	}
	return found, lastTries(all)
}

// ofTask lists the rollouts of a task.
func (r *runView) ofTask(env string, task int) (all []*Rollout) {
	r.byTask.lookUp(hashTask(env, task), func(row uint32) bool {
		if int(row) < r.rows.n {
			if x := *r.rows.at(row); x != nil && x.isOf(env, task) {
				all = append(all, x)
			}
		}
		return false
	})
	return all
}

// later tells whether b is a later try of the attempt than a.
func later(a, b *Rollout) bool {
	return cmp.Or(cmp.Compare(a.Retry, b.Retry), cmp.Compare(a.Start, b.Start), slices.Compare(a.Trace[:], b.Trace[:]), slices.Compare(a.Span[:], b.Span[:])) < 0
}

// lastTries keeps the last try of each attempt, by attempt.
func lastTries(all []*Rollout) []*Rollout {
	slices.SortFunc(all, func(a, b *Rollout) int {
		if a.Attempt != b.Attempt {
			return cmp.Compare(a.Attempt, b.Attempt)
		}
		if later(b, a) {
			return -1
		}
		return 1
	})
	return slices.CompactFunc(all, func(a, b *Rollout) bool { return a.Attempt == b.Attempt && a.Attempt > 0 })
}

// InTrace lists the rollouts of a trace, by start.
func (m *Model) InTrace(id otlp.TraceID) (out []*Rollout) {
	s := m.now()
	r := m.rowIn(s, id)
	if r == nil || r.rollouts == 0 {
		return nil
	}
	if x := s.only(r); x != nil {
		return []*Rollout{x}
	}
	for _, r := range s.runs {
		r.each(func(x *Rollout) {
			if x.Trace == id {
				out = append(out, x)
			}
		})
	}
	slices.SortFunc(out, func(a, b *Rollout) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.Span[:], b.Span[:]), strings.Compare(a.ID, b.ID))
	})
	return out
}

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
