package runs

import (
	"cmp"
	"slices"

	"github.com/lensgo/lens/semconv"
)

// Outline is what is known of a run without a look at each of its rollouts: it costs the same however many there are.
type Outline struct {
	ID                string
	Started, Last     uint64 // as in [Run]
	JobEnded          bool
	Progress          *Progress
	Spans             int64
	Rollouts, Running int
	Tasks, Attempts   int
}

// Finished is the number of rollouts that ended.
func (o *Outline) Finished() int { return o.Rollouts - o.Running }

// GoesOn tells the same as [Run.Running].
func (o *Outline) GoesOn() bool { return goesOn(o.Progress, o.Running, o.JobEnded) }

// Outline finds a run. It returns false for one that [Model.Runs] does not list.
func (m *Model) Outline(id string) (Outline, bool) {
	r := m.now().byID[id]
	if !r.listed() {
		return Outline{}, false
	}
	return r.outline(), true
}

// Outlines lists all runs, the latest first.
func (m *Model) Outlines() (out []Outline) {
	for _, r := range m.now().runs {
		if r.listed() {
			out = append(out, r.outline())
		}
	}
	slices.SortFunc(out, func(a, b Outline) int { return cmp.Or(cmp.Compare(b.Started, a.Started), cmp.Compare(a.ID, b.ID)) })
	return out
}

func (r *runView) outline() Outline {
	o := Outline{ID: r.id, Progress: r.progress, Rollouts: r.live, Running: r.running, Tasks: r.seen, Attempts: r.attempts}
	if r.id == NoRun { // it has no spans of its own
		s := &r.sums().run
		o.Started, o.Last, o.Spans = s.Started, s.Last, s.Spans
		return o
	}
	for _, shape := range r.shapes {
		if st := *r.stats.at(shape); st != nil && st.spans > 0 {
			if o.Spans == 0 {
				o.Started, o.Last = st.first, st.last
			}
			o.Started, o.Last = min(o.Started, st.first), max(o.Last, st.last)
			o.Spans += st.spans
			o.JobEnded = o.JobEnded || r.names.shapes[shape].name == semconv.SpanGymJob && st.open < st.spans
		}
	}
	if o.Started == 0 && r.progress != nil {
		o.Started = r.progress.Since
	}
	return o
}

// RunRow finds a run as [Model.Runs] lists it.
func (m *Model) RunRow(id string) (Run, bool) {
	r := m.now().byID[id]
	if !r.listed() {
		return Run{}, false
	}
	return r.sums().run, true
}

func goesOn(p *Progress, running int, jobEnded bool) bool {
	if p != nil {
		return !p.Over()
	}
	return running > 0 && !jobEnded
}
