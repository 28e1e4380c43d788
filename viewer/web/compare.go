package web

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxSteps    = 2000
	maxArgument = 200
)

// step is a row of a comparison as one of the traces has it: a span, or a call with its server.
type step struct {
	row      int // of the outer span
	inner    int // of the server, or the row itself
	depth    int
	key      string // name and kind: steps match by it, in order, below matching steps
	argument string
	tokens   *int64
	turn     int
}

func (h *Handler) getTraceComparison(r *http.Request, p *params) (any, error) {
	a, b := p.trace("a", p.values.Get("a")), p.trace("b", p.values.Get("b"))
	aSpan, bSpan := p.maybeSpan("a_span"), p.maybeSpan("b_span")
	at := p.number("at", 0, 0, 1<<40)
	if p.err != nil {
		return nil, p.err
	}
	va, err := h.traceOf(r.Context(), a, at, "")
	if err != nil {
		return nil, err
	}
	vb, err := h.traceOf(r.Context(), b, at, "")
	if err != nil {
		return nil, err
	}
	left, err := h.side(va, aSpan)
	if err != nil {
		return nil, err
	}
	right, err := h.side(vb, bSpan)
	if err != nil {
		return nil, err
	}
	return compareSides(left, right), nil
}

// side is one of two traces that are compared.
type side struct {
	v     *view
	root  int
	steps []step
	shown ComparedTrace
}

func (h *Handler) side(v *view, span otlp.SpanID) (*side, error) {
	s := &side{v: v, root: v.rolloutRow(span)}
	if s.root < 0 && !span.IsZero() {
		return nil, notFound("The trace "+v.trace.ID.String()+" has no rollout with the span "+span.String()+".", "")
	}
	if s.root < 0 {
		s.root = max(v.root, 0)
	}
	s.shown.Trace = h.traceRow(v)
	s.shown.Rollout = h.rolloutAt(v, s.root)
	c := h.conversation(v, s.root)
	s.steps = v.steps(s.root, argumentsOf(c.rows))
	return s, nil
}

// argumentsOf are the arguments of tool calls, by the span of the tool.
func argumentsOf(rows []Message) map[otlp.SpanID]string {
	calls, arguments := map[string]string{}, map[otlp.SpanID]string{}
	for _, m := range rows {
		switch {
		case m.Type == "call":
			calls[m.Call] = m.Text
		case m.Type == "output" && m.Span != nil:
			arguments[*m.Span] = calls[m.Call]
		}
	}
	return arguments
}

// steps lists what happened below a row, calls and their servers as one.
func (v *view) steps(root int, arguments map[otlp.SpanID]string) []step {
	if len(v.rows) == 0 {
		return nil
	}
	server := v.servers(root)
	hidden := map[int]bool{}
	lift := map[int]int{} // by row of a server: it takes no level of its own
	var list []step
	for i := root; i < len(v.rows) && (i == root || v.rows[i].depth > v.rows[root].depth); i++ {
		depth := 0
		if i > root {
			parent := int(v.rows[i].parent)
			depth = lift[parent] + 1
		}
		lift[i] = depth
		if hidden[i] {
			lift[i] = depth - 1
			continue
		}
		s := step{row: i, inner: i, depth: depth}
		if in, ok := server[i]; ok {
			s.inner = in
			hidden[in] = true
		}
		inner := &v.rows[s.inner]
		s.turn = int(inner.turn)
		if n, ok := v.outputTokens(inner); ok && inner.span >= 0 {
			s.tokens = &n
		}
		s.argument = clip(arguments[inner.id], maxArgument)
		s.key = strconv.Itoa(int(v.kindOf(s.inner))) + " " + v.nameOf(s.inner)
		list = append(list, s)
	}
	return list
}

func (v *view) kindOf(row int) int32 {
	if v.rows[row].span < 0 {
		return 0
	}
	return int32(v.trace.Spans[v.rows[row].span].Kind)
}

// servers finds the only SERVER child of each CLIENT span below a row, in one pass.
func (v *view) servers(root int) map[int]int {
	found, many := map[int]int{}, map[int]bool{}
	for i := root; i < len(v.rows) && (i == root || v.rows[i].depth > v.rows[root].depth); i++ {
		p := int(v.rows[i].parent)
		if p < 0 || v.kindOf(i) != int32(otlp.KindServer) || v.kindOf(p) != int32(otlp.KindClient) {
			continue
		}
		if _, ok := found[p]; ok {
			many[p] = true
		}
		found[p] = i
	}
	for p := range many {
		delete(found, p)
	}
	return found
}

func compareSides(a, b *side) *TraceComparison {
	out := &TraceComparison{A: a.shown, B: b.shown}
	if x, y := a.shown.Rollout, b.shown.Rollout; x != nil && y != nil && x.Task != nil && y.Task != nil {
		out.SameTask = x.Run == y.Run && x.Env == y.Env && *x.Task == *y.Task
	}
	if len(a.v.rows) > 0 {
		out.Duration = a.v.length(a.root)
	}
	if len(b.v.rows) > 0 {
		out.Duration = max(out.Duration, b.v.length(b.root))
	}
	pairs := align(a.steps, b.steps)
	out.RowsTotal = len(pairs)
	for i, pair := range pairs {
		row := comparedStep(a, b, pair)
		if row.Differs && out.Part == nil {
			out.Part = &Parting{Row: i, Words: partWords(a, b, pair)}
		}
		if i < maxSteps {
			out.Rows = append(out.Rows, row)
		}
	}
	if out.Part != nil && out.Part.Row >= maxSteps {
		out.Part = nil
	}
	out.Sentence = sentence(a, b, pairs)
	return out
}

// align matches the steps of two traces: each with the next one of the same name, kind and depth, where nothing of the other
// side is passed over that could be matched itself. Small parts are matched as well as can be, long ones step by step.
func align(a, b []step) (pairs [][2]int) {
	same := func(i, j int) bool { return a[i].depth == b[j].depth && (a[i].key == b[j].key || i == 0 && j == 0) }
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if same(i, j) {
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
			continue
		}
		di, dj := nextSame(len(a)-i, len(b)-j, func(x, y int) bool { return same(i+x, j+y) })
		for range di {
			pairs = append(pairs, [2]int{i, -1})
			i++
		}
		for range dj {
			pairs = append(pairs, [2]int{-1, j})
			j++
		}
	}
	for ; i < len(a); i++ {
		pairs = append(pairs, [2]int{i, -1})
	}
	for ; j < len(b); j++ {
		pairs = append(pairs, [2]int{-1, j})
	}
	return pairs
}

// nextSame finds the nearest place where both sides agree again, by the fewest steps passed over; it looks at most 64 steps
// ahead, and passes over one of each when there is none.
func nextSame(n, m int, same func(x, y int) bool) (x, y int) {
	for sum := 1; sum <= 64; sum++ {
		for x = 0; x <= sum; x++ {
			if y = sum - x; x < n && y < m && same(x, y) {
				return x, y
			}
		}
	}
	return min(1, n), min(1, m)
}

func comparedStep(a, b *side, pair [2]int) ComparedStep {
	from, s := a, pair[0]
	if s < 0 {
		from, s = b, pair[1]
	}
	st := &from.steps[s]
	inner := &from.v.rows[st.inner]
	row := ComparedStep{Depth: st.depth, Name: from.v.nameOf(st.inner), Kind: from.v.kindOf(st.inner), Paired: st.inner != st.row, Colour: 1}
	if inner.service >= 0 {
		service := from.v.services[inner.service]
		row.Role, row.Colour = service.Role, service.Colour
	}
	if st.turn > 0 {
		row.Turn = &st.turn
	}
	row.A, row.B = a.at(pair[0]), b.at(pair[1])
	if row.A != nil && row.B != nil && row.A.Duration != nil && row.B.Duration != nil {
		row.Difference = new(*row.B.Duration - *row.A.Duration)
	}
	row.Differs = row.A == nil || row.B == nil || row.A.Argument != row.B.Argument || row.A.Error != row.B.Error
	return row
}

// at is a step as the page shows it, nil when the side does not have it.
func (s *side) at(i int) *StepSide {
	if i < 0 {
		return nil
	}
	st := &s.steps[i]
	outer, inner := &s.v.rows[st.row], &s.v.rows[st.inner]
	out := &StepSide{Span: inner.id, StartNS: outer.start - s.v.rows[s.root].start, Argument: st.argument, Tokens: st.tokens,
		Error: (outer.flags|inner.flags)&flagError != 0}
	if outer.end >= 0 {
		out.Duration = new(outer.end - outer.start)
	}
	return out
}

// partWords says in what two steps differ.
func partWords(a, b *side, pair [2]int) string {
	name := func(s *side, i int) string {
		n := s.v.nameOf(s.steps[i].inner)
		return cmp.Or(n[strings.LastIndexByte(n, '/')+1:], n, "a span")
	}
	switch {
	case pair[0] < 0:
		return "only 2 has " + name(b, pair[1])
	case pair[1] < 0:
		return "only 1 has " + name(a, pair[0])
	case a.steps[pair[0]].argument != b.steps[pair[1]].argument:
		return name(a, pair[0]) + " has another argument"
	case a.at(pair[0]).Error:
		return name(a, pair[0]) + " failed in 1"
	}
	return name(b, pair[1]) + " failed in 2"
}

// sentence is the line under the title: until where they are alike, how they scored, which took longer.
func sentence(a, b *side, pairs [][2]int) string {
	one, two := "The first", "The second"
	x, y := a.shown.Rollout, b.shown.Rollout
	if x != nil && y != nil && x.Attempt != nil && y.Attempt != nil && *x.Attempt != *y.Attempt {
		one, two = fmt.Sprintf("Attempt %d", *x.Attempt), fmt.Sprintf("Attempt %d", *y.Attempt)
	}
	parts := []string{alike(a, b, pairs)}
	if x != nil && y != nil && x.Reward != nil && y.Reward != nil {
		parts = append(parts, fmt.Sprintf("%s scored %s, %s scored %s.", one, score(*x.Reward), lower(two), score(*y.Reward)))
	}
	if len(a.steps) > 0 && len(b.steps) > 0 {
		if d := a.at(0); d.Duration != nil {
			if e := b.at(0); e.Duration != nil && *e.Duration != *d.Duration {
				who, by := two, *e.Duration-*d.Duration
				if by < 0 {
					who, by = one, -by
				}
				parts = append(parts, fmt.Sprintf("%s took %s longer.", who, durationText(by)))
			}
		}
	}
	return strings.Join(parts, " ")
}

func alike(a, b *side, pairs [][2]int) string {
	turn := 0
	for _, pair := range pairs {
		if pair[0] >= 0 {
			turn = max(turn, a.steps[pair[0]].turn)
		}
		if pair[1] >= 0 {
			turn = max(turn, b.steps[pair[1]].turn)
		}
		if comparedStep(a, b, pair).Differs {
			if turn == 0 {
				return "They differ from the start."
			}
			return fmt.Sprintf("Same until turn %d.", turn)
		}
	}
	return "The same steps."
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func score(f float64) string {
	return strings.Replace(strconv.FormatFloat(f, 'f', 2, 64), "-", "−", 1)
}

// durationText is a duration with three significant digits and a narrow blank before its unit.
func durationText(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d >= 60*time.Second:
		s := int64(math.Round(d.Seconds()))
		return fmt.Sprintf("%d\u202fm %02d\u202fs", s/60, s%60)
	case d >= time.Second:
		return digits(d.Seconds()) + "\u202fs"
	case d >= time.Millisecond:
		return digits(float64(ns)/1e6) + "\u202fms"
	case d >= time.Microsecond:
		return digits(float64(ns)/1e3) + "\u202fµs"
	}
	return fmt.Sprintf("%d\u202fns", ns)
}

// digits writes a number from 1 to below 1,000 with three significant digits.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
