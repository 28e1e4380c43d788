package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Group is what a span group emitted.
type Group struct {
	Group     string // lens.group; "" for spans without one
	Namespace string // the instrumentation scope
	Emitted
	Names int
}

// Emitted is what alike spans come to.
type Emitted struct {
	Spans, Bytes, Errors, Cut, Open, Copies int64
	SpanShare, ByteShare                    float64 // of the run; Bytes are of OTLP protobuf
	N                                       int64   // spans behind the percentiles: ended and not truncated
	P50, P95, P99                           time.Duration
	OverTime                                Series

	recent recent
}

// PerSecond is the rate over the 10 s before now.
func (e *Emitted) PerSecond(now time.Time) float64 { return e.recent.rate(uint64(now.Unix())) }

// Name is what the spans of a name emitted.
type Name struct {
	Group, Namespace, Name string
	Emitted
}

// Everything stands for all runs, and for spans that belong to none.
const Everything = "*"

// Groups lists what each group of a run emitted, most bytes first. It returns false for a run that was never seen.
func (m *Model) Groups(run string) ([]Group, bool) {
	s := m.now()
	sums, ok := s.emitted(run, func(sh *shape) shape { return shape{scope: sh.scope} })
	if !ok {
		return nil, false
	}
	var out []Group
	for sh, e := range sums {
		sc := s.names.scopes[sh.scope]
		out = append(out, Group{sc.group, sc.name, e.public(sums), e.names()})
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Group, b.Group), strings.Compare(a.Namespace, b.Namespace))
	})
	return out, true
}

// Names lists what the spans of each name emitted, in a run, most bytes first. It returns false for a run that was never seen.
func (m *Model) Names(run string) ([]Name, bool) {
	s := m.now()
	sums, ok := s.emitted(run, func(sh *shape) shape { return shape{scope: sh.scope, name: sh.name} })
	if !ok {
		return nil, false
	}
	var out []Name
	for sh, e := range sums {
		sc := s.names.scopes[sh.scope]
		out = append(out, Name{sc.group, sc.name, sh.name, e.public(sums)})
	}
	slices.SortFunc(out, func(a, b Name) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Group, b.Group), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return out, true
}

// emission sums up several shapes.
type emission struct {
	stat
	set map[string]bool
}

func (e *emission) names() int { return len(e.set) }

// emitted sums up the shapes of a run that are alike.
func (s *snapshot) emitted(run string, like func(*shape) shape) (map[shape]*emission, bool) {
	r := s.byID[run]
	if r == nil && run != Everything {
		return nil, false
	}
	out := map[shape]*emission{}
	add := func(i uint32, st *stat) {
		if st == nil || st.empty() {
			return
		}
		sh := &s.names.shapes[i]
		k := like(sh)
		if out[k] == nil {
			out[k] = &emission{set: map[string]bool{}}
		}
		out[k].merge(st)
		out[k].set[sh.name] = true
	}
	if r != nil {
		for _, i := range r.shapes {
			add(i, *r.stats.at(i))
		}
	} else {
		s.stats.all(func(i int, st **stat) bool { add(uint32(i), *st); return true })
	}
	return out, true
}

// public computes percentiles and the share of all.
func (e *emission) public(all map[shape]*emission) Emitted {
	var spans, bytes int64
	for _, o := range all {
		spans, bytes = spans+o.spans, bytes+o.bytes
	}
	out := Emitted{
		Spans: e.spans, Bytes: e.bytes, Errors: e.errors, Cut: e.cut, Open: e.open, Copies: e.copies, N: int64(e.durations.n), OverTime: e.overTime.public(), recent: e.recent,
	}
	if spans > 0 {
		out.SpanShare = float64(e.spans) / float64(spans)
	}
	if bytes > 0 {
		out.ByteShare = float64(e.bytes) / float64(bytes)
	}
	out.P50 = e.durations.quantile(50)
	out.P95 = e.durations.quantile(95)
	out.P99 = e.durations.quantile(99)
	return out
}
