package runs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lensgo/lens/viewer/query"
)

// EachTrace calls f for each trace that matches, in no particular order. It is for those who want all of them: a page of a list
// looks at every row to find its own. See [Model.Traces] for what a query looks at.
func (m *Model) EachTrace(q query.Query, f func(Trace)) {
	s := m.now()
	rec := s.traceRecord(q)
	s.traces.all(func(_ int, r *traceRow) bool {
		if r.spans <= 0 {
			return true
		}
		if rec.look(r); q.Empty() || q.Match(rec) {
			f(s.publicTrace(r))
		}
		return true
	})
}

// EveryRollout lists the rollouts of all runs that match, by run (the earliest rollout first), environment, task, attempt and retry. It is
// for those who want all of them; see [Model.Rollouts] for a page.
func (m *Model) EveryRollout(q query.Query) []*Rollout {
	s := m.now()
	var out []*Rollout
	for _, r := range s.runs {
		r.matching(q, func(x *Rollout) { out = append(out, x) })
	}
	began := map[string]uint64{}
	for _, x := range out {
		if first, ok := began[x.Run]; !ok || x.Start < first {
			began[x.Run] = x.Start
		}
	}
	slices.SortFunc(out, func(a, b *Rollout) int {
		return cmp.Or(
			cmp.Compare(began[a.Run], began[b.Run]), strings.Compare(a.Run, b.Run), strings.Compare(a.Environment, b.Environment),
			cmp.Compare(a.Task, b.Task), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Retry, b.Retry), cmp.Compare(a.Start, b.Start),
			slices.Compare(a.Trace[:], b.Trace[:]), slices.Compare(a.Span[:], b.Span[:]), strings.Compare(a.ID, b.ID))
	})
	return out
}
