package runs

import (
	"cmp"
	"errors"
	"slices"

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
var ErrNoRun = errors.New("no such run")

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
