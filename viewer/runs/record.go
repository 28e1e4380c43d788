package runs

import (
	"slices"

	"github.com/lensgo/lens/viewer/query"
)

// rolloutRecord lets a query look at rollouts, one after the other.
type rolloutRecord struct {
	*Rollout
	names    *names
	started  uint64 // of the run
	searches searches
}

func (r *rolloutRecord) Number(f query.Field) (float64, bool) {
	switch f {
	case query.Task:
		return float64(r.Task), r.Task >= 0
	case query.Attempt:
		return float64(r.Rollout.Attempt), r.Rollout.Attempt > 0
	case query.Reward:
		return r.Reward, r.HasReward
	case query.Duration:
		return float64(r.Duration()), true
	case query.Total:
		return float64(r.Total()), true
	case query.Admission, query.Pool, query.Model, query.Tools, query.Verify, query.Other:
		return float64(r.Split[f-query.Admission]), true
	case query.Turns:
		return float64(r.Turns), r.Turns >= 0
	case query.Calls:
		return float64(r.Calls), r.Calls >= 0
	case query.TokensIn:
		return float64(r.TokensIn), r.TokensIn >= 0
	case query.TokensOut:
		return float64(r.TokensOut), r.TokensOut >= 0
	case query.Spans:
		return float64(r.Spans), true
	case query.Errors:
		return float64(r.Errors), true
	case query.Started:
		return float64(int64(r.Start - r.started)), true
	case query.Since:
		return float64(r.Start), true
	}
	return 0, false
}

func (r *rolloutRecord) Text(f query.Field, match func(string) bool) bool {
	switch f {
	case query.Env:
		return match(r.Environment)
	case query.Outcome:
		return match(string(r.Outcome))
	case query.Failure:
		return r.Failure != "" && match(r.Failure)
	case query.Trace:
		return match(r.Trace.String())
	case query.Run:
		return match(r.Run)
	case query.Status:
		return match(statusOf(r.Errors > 0))
	case query.Service, query.Name, query.Group, query.Kind:
		return r.names.any(r.set, f, match)
	}
	return false
}

// look makes a rollout the one that the query looks at.
func (r *rolloutRecord) look(x *Rollout) {
	r.Rollout = x
	r.searches.begin()
}

func statusOf(failed bool) string {
	if failed {
		return "error"
	}
	return "unset"
}

// any gives the names of a set of shapes.
func (n *names) any(set uint32, f query.Field, match func(string) bool) bool {
	for _, s := range n.sets[set] {
		sh := &n.shapes[s]
		var text string
		switch f {
		case query.Service:
			text = n.processes[sh.process].Service
		case query.Group:
			text = n.scopes[sh.scope].group
		case query.Kind:
			text = sh.kind.String()
		default:
			text = sh.name
		}
		if match(text) {
			return true
		}
	}
	return false
}

func (r *rolloutRecord) Attribute(key string, match func(string) bool) bool {
	for _, a := range r.Attributes {
		if a.Key == key {
			return match(a.Value)
		}
	}
	return false
}

func (r *rolloutRecord) Search(match func(string) bool) bool {
	return r.search(r.searches.next(), match)
}

func (r *rolloutRecord) search(x *search, match func(string) bool) bool {
	for _, s := range [...]string{r.Environment, r.Agent, r.ID, string(r.Outcome), r.Failure, r.Message} {
		if match(s) {
			return true
		}
	}
	for _, a := range r.Attributes {
		if match(a.Key) || match(a.Value) {
			return true
		}
	}
	return x.sets.of(r.set, func() bool {
		return r.names.any(r.set, query.Name, match) || r.names.any(r.set, query.Service, match) || r.names.any(r.set, query.Group, match)
	}) || x.inID(&r.Trace)
}

// runRecord lets a query look at runs.
type runRecord struct{ *Run }

func (r runRecord) Number(f query.Field) (float64, bool) {
	switch f {
	case query.Reward:
		return r.Counts.Reward.Value(), r.Counts.Reward.N > 0
	case query.Duration:
		return float64(r.Durations.P95), r.Durations.N > 0
	case query.TokensIn:
		return float64(r.TokensIn), true
	case query.TokensOut:
		return float64(r.TokensOut), true
	case query.Spans:
		return float64(r.Spans), true
	case query.Errors:
		return float64(r.Run.Errors), true
	case query.Since:
		return float64(r.Started), true
	case query.Failed:
		return float64(r.Counts.Failed), true
	case query.Rate:
		return r.PerMinute, true
	case query.Processes:
		return float64(len(r.Services)), true
	}
	return 0, false
}

func (r runRecord) Text(f query.Field, match func(string) bool) bool {
	switch f {
	case query.Env:
		return anyText(r.Environments, match)
	case query.Run:
		return match(r.ID)
	case query.Service:
		return anyText(r.Services, match)
	case query.Group:
		return anyText(r.Groups, match)
	case query.Outcome:
		return r.Counts.Running > 0 && match(string(Running)) || r.Counts.Failed > 0 && match(string(Failed)) || r.Counts.Scored > 0 && match(string(Scored))
	}
	return false
}

func (r runRecord) Attribute(string, func(string) bool) bool { return false }

func (r runRecord) Search(match func(string) bool) bool {
	return match(r.ID) || anyText(r.Environments, match) || anyText(r.Services, match) || anyText(r.Groups, match)
}

func anyText(texts []string, match func(string) bool) bool {
	return slices.ContainsFunc(texts, match)
}

// traceRecord lets a query look at traces; about rollouts it asks the trace's only one.
type traceRecord struct {
	*traceRow
	*snapshot
	record   rolloutRecord
	searches searches
}

func (s *snapshot) traceRecord(q query.Query) *traceRecord {
	return &traceRecord{snapshot: s, record: rolloutRecord{names: &s.names}, searches: newSearches(q)}
}

// look makes a trace the one that the query looks at.
func (r *traceRecord) look(at *traceRow) {
	r.traceRow = at
	r.searches.begin()
}

func (r *traceRecord) hasOne() bool {
	r.record.Rollout = r.only(r.traceRow)
	return r.record.Rollout != nil
}

func (r *traceRecord) Number(f query.Field) (float64, bool) {
	switch f {
	case query.Duration:
		return float64(r.duration()), true
	case query.Spans:
		return float64(r.spans), true
	case query.Errors:
		return float64(r.errors), true
	case query.Since:
		return float64(r.first), true
	case query.Started:
		return 0, false
	}
	if !r.hasOne() {
		return 0, false
	}
	return r.record.Number(f)
}

func (r *traceRecord) Text(f query.Field, match func(string) bool) bool {
	sh := &r.names.shapes[r.root.shape]
	switch f {
	case query.Trace:
		return match(r.id.String())
	case query.Run:
		return match(r.names.processes[sh.process].Run)
	case query.Service:
		for _, p := range r.names.sets[r.processes] {
			if match(r.names.processes[p].Service) {
				return true
			}
		}
		return false
	case query.Status:
		return match(statusOf(r.root.failed))
	}
	if r.hasOne() {
		return r.record.Text(f, match)
	}
	switch f {
	case query.Name:
		return match(sh.name)
	case query.Kind:
		return match(sh.kind.String())
	case query.Group:
		return match(r.names.scopes[sh.scope].group)
	}
	return false
}

func (r *traceRecord) Attribute(key string, match func(string) bool) bool {
	return r.hasOne() && r.record.Attribute(key, match)
}

func (r *traceRecord) Search(match func(string) bool) bool {
	x := r.searches.next()
	return x.shapes.of(r.root.shape, func() bool { return match(r.names.shapes[r.root.shape].name) }) ||
		x.teams.of(r.processes, func() bool { return r.Text(query.Service, match) }) ||
		x.inID(&r.id) || r.hasOne() && r.record.search(x, match)
}
