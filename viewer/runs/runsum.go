package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// runSum is what all the rows and spans of a run say together.
type runSum struct {
	run  Run
	best float64 // reward
}

// sums computes it once for a view.
func (r *runView) sums() *runSum {
	r.once.Do(func() {
		s := new(runSum)
		s.run.ID, s.run.Progress, s.run.Traces, s.run.Tasks, s.run.Attempts = r.id, r.progress, r.traces, r.seen, r.attempts
		if r.id != NoRun {
			s.addSpans(r)
		}
		s.addRollouts(r)
		if r.id == NoRun {
			s.addOwnSpans(r)
		}
		if s.run.Started == 0 && r.progress != nil {
			s.run.Started = r.progress.Since
		}
		r.sum = s
	})
	return r.sum
}

func (s *runSum) addSpans(r *runView) {
	run := &s.run
	services, groups := map[string]bool{}, map[string]bool{}
	for _, shape := range r.shapes {
		st := *r.stats.at(shape)
		if st == nil || st.spans <= 0 {
			continue
		}
		if run.Spans == 0 {
			run.Started, run.Last = st.first, st.last
		}
		run.Started, run.Last = min(run.Started, st.first), max(run.Last, st.last)
		run.Spans += st.spans
		run.Bytes += st.bytes
		run.Errors += st.errors
		run.Cut += st.cut
		run.Copies += st.copies
		run.Open += st.open
		run.Dropped += st.dropped
		sh := r.names.shapes[shape]
		services[r.names.processes[sh.process].Service] = true
		if g := r.names.scopes[sh.scope].group; g != "" {
			groups[g] = true
		}
		run.JobEnded = run.JobEnded || sh.name == semconv.SpanGymJob && st.open < st.spans
	}
	run.Services, run.Groups = sortedKeys(services), sortedKeys(groups)
}

// addOwnSpans is addSpans for the rollouts without a run: spans of other programs name no run either.
func (s *runSum) addOwnSpans(r *runView) {
	run := &s.run
	services, groups := map[string]bool{}, map[string]bool{}
	traces := map[otlp.TraceID]bool{}
	r.each(func(x *Rollout) {
		if run.Spans == 0 {
			run.Started = x.Start
		}
		run.Started, run.Last = min(run.Started, x.Start), max(run.Last, x.End)
		run.Spans += int64(x.Spans)
		run.Errors += int64(x.Errors)
		run.Cut += int64(x.Cut)
		traces[x.Trace] = true
		for _, shape := range r.names.sets[x.set] {
			sh := r.names.shapes[shape]
			services[r.names.processes[sh.process].Service] = true
			if g := r.names.scopes[sh.scope].group; g != "" {
				groups[g] = true
			}
		}
	})
	run.Traces, run.Services, run.Groups = len(traces), sortedKeys(services), sortedKeys(groups)
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (s *runSum) addRollouts(r *runView) {
	run := &s.run
	envs := map[string]*int{}
	env, of := "", new(int) // that of the rollout before
	envs[env] = of
	var overTime series
	durations, totals := make([]time.Duration, 0, r.live), make([]time.Duration, 0, r.live)
	var first, last uint64
	r.each(func(x *Rollout) {
		run.Counts.add(x)
		if x.Environment != env {
			if env, of = x.Environment, envs[x.Environment]; of == nil {
				of = new(int)
				envs[env] = of
			}
		}
		*of++
		run.TokensIn += max(x.TokensIn, 0)
		run.TokensOut += max(x.TokensOut, 0)
		if x.HasReward {
			s.best = max(s.best, x.Reward)
		}
		if x.Ended() {
			overTime.add(x.End, 1)
			if first == 0 {
				first = x.Start
			}
			first, last = min(first, x.Start), max(last, x.End)
		}
		if x.Counted() {
			durations = append(durations, x.Duration())
			totals = append(totals, x.Total())
		}
	})
	run.Durations, run.Totals, run.OverTime = percentiles(durations), percentiles(totals), overTime.public()
	if last > first {
		run.PerMinute = float64(run.Counts.Finished) / (float64(last-first) / 60e9)
	}
	for e, n := range envs {
		if *n > 0 {
			run.Environments = append(run.Environments, e)
		}
	}
	slices.SortFunc(run.Environments, func(a, b string) int { return cmp.Or(cmp.Compare(*envs[b], *envs[a]), strings.Compare(a, b)) })
}
