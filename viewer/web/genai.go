package web

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// maxSaid bounds the rows that are put together from spans.
const maxSaid = 20_000

// fromGenAI puts the conversation together from what the spans at and below a row recorded by the GenAI conventions, or all
// spans of the trace when at is below 0. events are what log records say about spans.
func (v *view) fromGenAI(at int, events map[otlp.SpanID]*exchange) said {
	from, to := 0, len(v.rows)
	if at >= 0 {
		from = at
		for to = at + 1; to < len(v.rows) && v.rows[to].depth > v.rows[at].depth; to++ {
		}
	}
	g := genAI{view: v, transcript: &transcript{}, answered: map[string]bool{}}
	for i := from; i < to && len(g.rows) < maxSaid; i++ {
		r := &v.rows[i]
		if r.span < 0 {
			continue
		}
		s := &v.trace.Spans[r.span]
		x := exchangeOf(s)
		if x.empty() && events[r.id] != nil {
			x = events[r.id]
		}
		if !x.empty() {
			g.call(i, s, x)
		}
		g.tool(i, s)
	}
	c := said{source: sourceGenAI, rows: g.rows, words: g.words()}
	if len(c.rows) > 0 && at >= 0 {
		if reward, ok := v.trace.Spans[v.rows[at].span].Attr(semconv.GymRolloutReward); ok {
			c.verify = &Verdict{Reward: finite(reward.Float())}
			m := Message{N: len(c.rows), Role: "verify", Type: "verify"}
			_, _, verify := v.callsOf(at)
			v.attach(&m, verify)
			c.rows = append(c.rows, m)
		}
	}
	return c
}

// genAI gathers a conversation span by span.
type genAI struct {
	view *view
	*transcript
	known    []heard         // the messages of the conversation so far
	answered map[string]bool // calls whose result is there, by id
	cut      int64           // bytes that the senders left out
	redacted int64           // values that they replaced
}

// heard is a message that was told or said before.
type heard struct {
	sum  uint64
	said bool // by the model: who repeats it may write it in another way
}

// call adds what is new in a call of a model. Most programs send everything again with each call; ours say with each how much
// they left out because it was recorded before.
func (g *genAI) call(at int, s *otlp.Span, x *exchange) {
	server := g.calleeOf(at)
	if len(x.system) > 0 && len(g.rows) == 0 {
		g.add(Message{Role: "system", Type: "text", Text: partsText(x.system)})
	}
	in := x.in
	if earlier, ok := s.Attr(semconv.GymContentEarlier); !ok || earlier.Int() <= 0 {
		same := g.shared(in)
		g.known, in = g.known[:same], in[same:]
	}
	for _, m := range in {
		g.message(m, false)
		g.known = append(g.known, heard{sum: sumOf(m)})
	}
	g.told = true
	first := len(g.rows)
	for _, m := range x.out {
		g.message(m, true)
		g.known = append(g.known, heard{sum: sumOf(m), said: true})
	}
	for i := first; i < len(g.rows); i++ {
		if g.rows[i].Role == "assistant" {
			g.rows[i].Span = new(g.view.rows[server].id)
		}
	}
	if first < len(g.rows) {
		g.view.attach(&g.rows[first], server)
		if n, ok := g.view.outputTokens(&g.view.rows[server]); ok {
			g.rows[first].Tokens = new(n)
		} else if n, ok := s.Attr(semconv.GenAIUsageOutputTokens); ok {
			g.rows[first].Tokens = new(n.Int())
		}
	}
	g.count(s)
}

// shared is how many messages at the beginning of a call's input were there before.
func (g *genAI) shared(in []jsontext.Value) int {
	n := 0
	for n < len(in) && n < len(g.known) {
		k := g.known[n]
		if k.sum != sumOf(in[n]) && !(k.said && stringOf(member(in[n], "role")) == "assistant") {
			break
		}
		n++
	}
	return n
}

// tool adds what a tool got and gave, from the span of its call. The model may never have been told, when the loop ended there.
func (g *genAI) tool(at int, s *otlp.Span) {
	id, _ := s.Attr(semconv.GenAIToolCallID)
	result, has := s.Attr(semconv.GenAIToolCallResult)
	arguments, asked := s.Attr(semconv.GenAIToolCallArguments)
	if !has && !asked || g.answered[id.Str()] {
		return
	}
	name, _ := s.Attr(semconv.GenAIToolName)
	call := otlp.Text(id.Str())
	server := g.calleeOf(at)
	g.count(s)
	if _, ok := g.names[call]; !ok || call == "" {
		g.called(call, otlp.Text(name.Str()))
		g.add(Message{Role: "assistant", Type: "call", Name: otlp.Text(name.Str()), Call: call, Text: textOf(jsonOf(arguments)), Span: new(g.view.rows[server].id)})
	}
	if !has {
		return
	}
	g.result(call, textOf(jsonOf(result)), true)
	g.view.attach(&g.rows[len(g.rows)-1], server)
	if call != "" {
		g.answered[id.Str()] = true
	}
}

// calleeOf is the row that a call is shown on: that of the server, if the call has one.
func (g *genAI) calleeOf(at int) int {
	if server := g.view.serverOf(at); server >= 0 {
		return server
	}
	return at
}

func (g *genAI) count(s *otlp.Span) {
	cut, _ := s.Attr(semconv.GymContentCut)
	redacted, _ := s.Attr(semconv.GymContentRedacted)
	g.cut += max(cut.Int(), 0)
	g.redacted += max(redacted.Int(), 0)
}

// words say what the senders left out.
func (g *genAI) words() string {
	var parts []string
	if g.cut > 0 {
		parts = append(parts, count(g.cut, "byte", "bytes")+" cut")
	}
	if g.redacted > 0 {
		parts = append(parts, count(g.redacted, "value", "values")+" redacted")
	}
	out := ""
	if len(parts) > 0 {
		out = "Left out before this was recorded: " + strings.Join(parts, ", ") + "."
	}
	if len(g.rows) >= maxSaid {
		out = strings.TrimSpace(out + fmt.Sprintf(" Only the first %d rows are shown.", len(g.rows)))
	}
	return out
}

// message adds a message: of the conventions, with parts, or as chat interfaces have it.
func (g *genAI) message(raw jsontext.Value, said bool) {
	if raw.Kind() == '"' {
		g.part(roleFor(said), "text", Message{Text: stringOf(raw)}, said)
		return
	}
	parts := member(raw, "parts")
	if parts.Kind() != '[' {
		if choice := member(raw, "message"); choice.Kind() == '{' {
			raw = choice
		}
		g.item(raw, said)
		if last := &g.rows[len(g.rows)-1]; last.Type == "output" && g.turn > 0 {
			last.Turn = new(g.turn)
		}
		return
	}
	role := stringOf(member(raw, "role"))
	for _, p := range elements(parts) {
		g.genAIPart(role, p, said)
	}
}

func (g *genAI) genAIPart(role string, raw jsontext.Value, said bool) {
	get := func(name string) jsontext.Value { return member(raw, name) }
	id := stringOf(get("id"))
	switch kind := stringOf(get("type")); kind {
	case "text", "refusal":
		g.part(role, "text", Message{Text: textOf(get("content"))}, said)
	case "reasoning", "thinking":
		g.part(role, "reasoning", Message{Text: textOf(get("content"))}, said)
	case "tool_call":
		if g.answered[id] && id != "" {
			return // known from the span of its call
		}
		g.called(id, stringOf(get("name")))
		g.part("assistant", "call", Message{Name: stringOf(get("name")), Call: id, Text: textOf(get("arguments"))}, said)
	case "tool_call_response":
		if g.answered[id] && id != "" {
			return
		}
		g.result(id, textOf(get("response"))+textOf(get("result")), true)
	default:
		text := string(raw)
		if content := get("content"); len(content) > 0 {
			text = textOf(content)
		}
		g.part(role, "other", Message{Name: kind, Text: text}, said)
	}
}

func (g *genAI) part(role, kind string, m Message, said bool) {
	m.Role, m.Type = role, kind
	if said && role == "assistant" {
		g.model(m)
		return
	}
	g.add(m)
}

func roleFor(said bool) string {
	if said {
		return "assistant"
	}
	return "user"
}

// partsText joins the texts of system instructions.
func partsText(parts jsontext.Value) string { return strings.TrimSpace(textOf(parts)) }

var seed = maphash.MakeSeed()

// sumOf tells messages apart. Who sends one again writes it in the same way, but for why the model stopped.
func sumOf(m jsontext.Value) uint64 {
	parts := member(m, "parts")
	if len(parts) == 0 {
		return maphash.Bytes(seed, m)
	}
	return maphash.Comparable(seed, [2]uint64{maphash.Bytes(seed, member(m, "role")), maphash.Bytes(seed, parts)})
}

// said finds what was said in the spans, and, when they do not tell, in log records about them.
func (h *Handler) saidIn(ctx context.Context, v *view, at int) (c said, err error) {
	if c = v.fromGenAI(at, nil); len(c.rows) > 0 {
		return c, nil
	}
	events, err := h.genAIEvents(ctx, v)
	if err != nil || len(events) == 0 {
		return c, err
	}
	return v.fromGenAI(at, events), nil
}
