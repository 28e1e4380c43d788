package runs

import (
	"cmp"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

// RolloutAnalysis is a rollout and its critical path.
type RolloutAnalysis struct {
	Rollout
	Root int       // index of the gym.rollout span; -1 while it is not here
	Path []Segment // in the order of time, without a gap from Start to End
}

// Analyse finds the rollouts in the spans of one trace, ordered by start. It is a pure function, and the order of the spans does
// not matter: what the live model shows of a rollout is what it returns for the trace.
//
// Missing parents, circles, copies, clocks that differ and spans that have not ended are all borne; see the package comment.
func Analyse(spans []Span) []RolloutAnalysis {
	a := newAnalysis(spans)
	var out []RolloutAnalysis
	for _, i := range a.t.changed(0, nil) {
		out = append(out, RolloutAnalysis{a.t.rollout(&a.l, i), a.of[i], a.l.segments(a.t, a.of)})
	}
	for _, f := range a.t.unfinished() {
		out = append(out, RolloutAnalysis{a.t.inferred(&a.l, f), -1, a.l.segments(a.t, a.of)})
	}
	for i := range out {
		out[i].Trace = spans[0].Trace
	}
	slices.SortStableFunc(out, func(a, b RolloutAnalysis) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.Span[:], b.Span[:]), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// CriticalPath returns the critical path below one of the spans of a trace, in the order of time. Its segments cover the span from
// start to end without a gap; a span that has not ended lasts until the latest end below it. The path is empty when root is no index
// of spans.
func CriticalPath(spans []Span, root int) []Segment {
	if root < 0 || root >= len(spans) {
		return nil
	}
	a := newAnalysis(spans)
	node := slices.Index(a.of, root)
	if node < 0 { // a copy of another span
		return nil
	}
	a.l.lay(a.t, int32(node), nil)
	return a.l.segments(a.t, a.of)
}

// analysis is a tree made at once.
type analysis struct {
	t  *tree
	of []int // the span that a node was made of
	l  layout
}

func newAnalysis(spans []Span) *analysis {
	a := &analysis{t: &tree{t: newTable(len(spans) + 1)}, of: make([]int, 0, len(spans))}
	b := &bundle{nodes: make([]node, 0, len(spans))}
	for i := range spans {
		if b.add(&spans[i], a.t.t.shapeOf(&spans[i])) {
			a.of = append(a.of, i)
		}
	}
	a.t.build(b)
	return a
}

// rollout analyses the subtree of an outermost gym.rollout.
func (t *tree) rollout(l *layout, root int32) Rollout {
	l.lay(t, root, nil)
	n := &t.nodes[root]
	f := t.moreOf(n).facts
	if f == nil {
		f = &Facts{Task: -1, Index: -1, Attempt: -1, Turns: -1, Calls: -1, TokensIn: -1, TokensOut: -1}
	}
	r := Rollout{Span: n.id, ID: t.ids[n.rollout], root: n.shape}
	r.known(f)
	r.outcome(n, f.Outcome)
	t.fill(&r, l)
	return r
}

// inferred analyses a rollout whose gym.rollout is not here.
func (t *tree) inferred(l *layout, f fragments) Rollout {
	l.lay(t, -1, f.tops)
	first := l.nodes[1]
	r := Rollout{ID: f.id, Task: -1, Turns: -1, Calls: -1, TokensIn: -1, TokensOut: -1, Outcome: Running, Guessed: true}
	for _, i := range l.nodes[1:] {
		if t.t.before(&t.nodes[i], &t.nodes[first]) {
			first = i
		}
	}
	r.root = t.nodes[first].shape
	t.fill(&r, l)
	return r
}

// fill computes what the spans of a laid out subtree say together.
func (t *tree) fill(r *Rollout, l *layout) {
	r.Start, r.End = l.lo, l.hi
	admission := r.Split[PartAdmission]
	r.Split = l.split(t)
	r.Split[PartAdmission] = admission
	r.byID()

	names := t.t.names
	r.Run = names.processOf(r.root).Run
	s := sums{t: t, names: names, all: t.shapes[:0]}
	for _, i := range l.nodes {
		if i >= 0 {
			s.add(i)
		}
	}
	t.shapes = s.all
	r.Spans, r.Errors, r.Cut, r.Skewed = s.spans, s.errors, s.cut, s.skewed
	r.set = t.t.setOf(s.shapes())
	s.complete(r)
}

// sums is what is counted over the spans of a rollout.
type sums struct {
	t     *tree
	names names
	all   []uint32 // shapes, some of them more than once

	spans, errors, cut, skewed int
	turns, calls, in, out      int64
	resources, agent           int32 // the earliest SERVER span of each + 1
	run                        string
}

func (s *sums) add(i int32) {
	n := &s.t.nodes[i]
	sh := &s.names.shapes[n.shape]
	p := &s.names.processes[sh.process]
	s.spans++
	if n.flags&isError != 0 {
		s.errors++
	}
	if n.flags&isTruncated != 0 {
		s.cut++
	}
	up := s.t.links[i].up
	if s.spans > 1 && up >= 0 && n.start < s.t.nodes[up].start { // the first one is the root, whose parent is no part of this
		s.skewed++
	}
	if len(s.all) == 0 || s.all[len(s.all)-1] != n.shape {
		s.all = append(s.all, n.shape)
	}
	if p.Run != "" && (s.run == "" || p.Run < s.run) {
		s.run = p.Run
	}
	if n.more >= 0 && n.flags&isRollout == 0 && !s.counted(up) {
		x := s.t.moreOf(n)
		s.in, s.out = s.in+x.in, s.out+x.out
	}
	if sh.kind == otlp.KindServer {
		s.server(i, sh.class, p)
	}
}

// counted tells whether the tokens of a span's parent are those of the span once more.
func (s *sums) counted(up int32) bool {
	if up < 0 || s.t.nodes[up].flags&isRollout != 0 {
		return false
	}
	x := s.t.moreOf(&s.t.nodes[up])
	return x.in != 0 || x.out != 0
}

// server counts calls and finds the processes of a rollout.
func (s *sums) server(i int32, c class, p *Process) {
	switch c {
	case classOf(PartModel):
		s.turns++
	case classOf(PartTools):
		s.calls++
	}
	switch {
	case p.isResources():
		s.resources = s.earlier(s.resources, i)
	case p.ServerType == typeAgent:
		s.agent = s.earlier(s.agent, i)
	}
}

func (s *sums) earlier(old, i int32) int32 {
	if old == 0 || s.t.t.before(&s.t.nodes[i], &s.t.nodes[old-1]) {
		return i + 1
	}
	return old
}

// shapes is the sorted set of them.
func (s *sums) shapes() []uint32 {
	slices.Sort(s.all)
	return slices.Compact(s.all)
}

// complete fills in what gym.rollout did not say.
func (s *sums) complete(r *Rollout) {
	set := func(x *int64, v int64) {
		if *x < 0 {
			*x = v
		}
	}
	set(&r.Turns, s.turns)
	set(&r.Calls, s.calls)
	if s.in > 0 || s.out > 0 {
		set(&r.TokensIn, s.in)
		set(&r.TokensOut, s.out)
	}
	if r.Environment == "" && s.resources > 0 {
		r.Environment = s.names.processOf(s.t.nodes[s.resources-1].shape).Server
	}
	root := s.names.processOf(r.root)
	switch {
	case r.Agent != "":
	case root.ServerType == typeAgent:
		r.Agent = root.Server
	case s.agent > 0:
		r.Agent = s.names.processOf(s.t.nodes[s.agent-1].shape).Server
	}
	if r.Run == "" && r.Guessed {
		r.Run = s.run
	}
}
