package web

import (
	"strconv"

	"github.com/lensgo/lens/viewer/otlp"
)

// ComparedStep is one row of a comparison of traces.
type ComparedStep struct {
	Depth      int       `json:"depth"`
	Name       string    `json:"name"`
	Role       string    `json:"role"`
	Kind       int32     `json:"kind"`
	Colour     int       `json:"colour"`
	Paired     bool      `json:"paired"`
	Turn       *int      `json:"turn"`
	A          *StepSide `json:"a"`
	B          *StepSide `json:"b"`
	Difference *int64    `json:"difference_ns"`
	Differs    bool      `json:"differs"`
}

// StepSide is a step in one of the traces.
type StepSide struct {
	Span     otlp.SpanID `json:"span"`
	StartNS  int64       `json:"start_ns"`
	Duration *int64      `json:"duration_ns"`
	Argument string      `json:"argument"`
	Tokens   *int64      `json:"tokens"`
	Error    bool        `json:"error"`
}

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
