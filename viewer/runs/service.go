package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/query"
)

// Service is a program without rollouts, by the traces that begin in it.
type Service struct {
	Name          string
	Runtime       string // "go 1.26.0"; "" where unknown
	Traces        int
	Spans, Errors int64 // of these traces
	OverTime      Series
	Roots         Percentiles // durations of the root spans
}

// Services lists the services of traces that belong to no run and ended at since or later, most traces first.
func (m *Model) Services(since time.Time) []Service {
	type sum struct {
		Service
		series    series
		durations []time.Duration
	}
	s := m.now()
	sums := map[string]*sum{}
	from := uint64(max(since.UnixNano(), 0))
	s.traces.all(func(_ int, r *traceRow) bool {
		if r.spans <= 0 || r.last < from || r.rollouts > 0 {
			return true
		}
		p := s.names.processOf(r.root.shape)
		if p.Run != "" {
			return true
		}
		x := sums[p.Service]
		if x == nil {
			x = &sum{Service: Service{Name: p.Service}}
			sums[p.Service] = x
		}
		x.Runtime = max(x.Runtime, p.Runtime)
		x.Traces++
		x.Spans, x.Errors = x.Spans+int64(r.spans), x.Errors+int64(r.errors)
		x.series.add(r.last, 1)
		if !r.root.child && r.root.end > 0 {
			x.durations = append(x.durations, r.duration())
		}
		return true
	})
	out := make([]Service, 0, len(sums))
	for _, x := range sums {
		x.Roots, x.OverTime = percentiles(x.durations), x.series.public()
		out = append(out, x.Service)
	}
	slices.SortFunc(out, func(a, b Service) int {
		return cmp.Or(cmp.Compare(b.Traces, a.Traces), strings.Compare(a.Name, b.Name))
	})
	return out
}

// ValueCount is a value of a field, and how many rollouts have it.
type ValueCount struct {
	Value string
	Count int
}

// Values lists the values of a text field over the rollouts of a run, most frequent first, at most 1,000; it is what completion offers.
func (m *Model) Values(run string, f query.Field) []ValueCount {
	r := m.now().byID[run]
	if r == nil {
		return nil
	}
	counts := map[string]int{}
	rec := &rolloutRecord{names: &r.names}
	seen := map[string]bool{}
	note := func(s string) bool {
		if s != "" && !seen[s] {
			seen[s] = true
			if counts[s]++; len(counts) > 10_000 {
				delete(counts, s)
			}
		}
		return false
	}
	r.each(func(x *Rollout) {
		clear(seen)
		rec.Rollout = x
		rec.Text(f, note)
	})
	out := make([]ValueCount, 0, len(counts))
	for v, n := range counts {
		out = append(out, ValueCount{v, n})
	}
	slices.SortFunc(out, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return out[:min(len(out), 1000)]
}
