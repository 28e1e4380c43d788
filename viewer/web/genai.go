package web

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Attributes in which the GenAI conventions record what was said, and those that came before them.
const (
	genAIInput  = "gen_ai.input.messages"
	genAIOutput = "gen_ai.output.messages"
	genAISystem = "gen_ai.system_instructions"
)

// fromGenAI puts the conversation together from the attributes of the model calls at and below a row, or of the whole
// trace when at is below 0. Each call was told everything before it again; only what is new is taken.
func (v *view) fromGenAI(at int) said {
	from, to := 0, len(v.rows)
	if at >= 0 {
		from = at
		for to = at + 1; to < len(v.rows) && v.rows[to].depth > v.rows[at].depth; to++ {
		}
	}
	t := &transcript{}
	seen := 0
	for i := from; i < to; i++ {
		r := &v.rows[i]
		if r.span < 0 {
			continue
		}
		s := &v.trace.Spans[r.span]
		in, hasIn := s.Attr(genAIInput)
		out, hasOut := s.Attr(genAIOutput)
		if !hasIn && !hasOut {
			continue
		}
		if system, ok := s.Attr(genAISystem); ok && len(t.rows) == 0 {
			t.add(Message{Role: "system", Type: "text", Text: partsText(jsonOf(system))})
		}
		first := len(t.rows)
		seen = t.messages(jsonOf(in), seen, false)
		t.told = true
		told := len(t.rows)
		seen += t.messages(jsonOf(out), 0, true)
		for k := first; k < len(t.rows); k++ {
			if m := &t.rows[k]; m.Role == "assistant" && k >= told {
				m.Span = new(r.id)
			}
		}
		if told < len(t.rows) {
			v.attach(&t.rows[told], i)
			if n, ok := s.Attr(semconv.GenAIUsageOutputTokens); ok {
				t.rows[told].Tokens = new(n.Int())
			}
		}
	}
	c := said{source: sourceGenAI, rows: t.rows}
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

// jsonOf is an attribute as JSON: it is recorded as JSON text, or as a list of maps.
func jsonOf(v otlp.Value) jsontext.Value {
	if v.Kind() == otlp.ValueStr {
		if text := jsontext.Value(v.Str()); text.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			return text
		}
		b, _ := jsontext.AppendQuote(nil, otlp.Text(v.Str())) // cut by a limit: it is shown as it is
		return b
	}
	if v.Kind() == otlp.ValueEmpty {
		return nil
	}
	return v.AppendJSON(nil)
}

// messages adds the messages from skip on, and returns how many there are in all.
func (t *transcript) messages(list jsontext.Value, skip int, output bool) int {
	if len(list) == 0 {
		return 0
	}
	var messages []struct {
		Role  string           `json:"role"`
		Parts []jsontext.Value `json:"parts"`
	}
	if list.Kind() != '[' || json.Unmarshal(list, &messages, lenient) != nil {
		t.part(roleFor(output), "text", Message{Text: textOf(list)}, output)
		return 1
	}
	if skip > len(messages) {
		skip = 0 // not what was said before: a conversation of its own
	}
	for _, m := range messages[skip:] {
		for _, p := range m.Parts {
			t.genAIPart(m.Role, p, output)
		}
	}
	return len(messages)
}

func roleFor(output bool) string {
	if output {
		return "assistant"
	}
	return "user"
}

func (t *transcript) genAIPart(role string, raw jsontext.Value, output bool) {
	var p struct {
		Type      jsontext.Value `json:"type"`
		Content   jsontext.Value `json:"content"`
		ID        jsontext.Value `json:"id"`
		Name      jsontext.Value `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Response  jsontext.Value `json:"response"`
		Result    jsontext.Value `json:"result"`
	}
	if json.Unmarshal(raw, &p, lenient) != nil {
		t.part(role, "other", Message{Text: string(raw)}, output)
		return
	}
	id := stringOf(p.ID)
	switch kind := stringOf(p.Type); kind {
	case "text":
		t.part(role, "text", Message{Text: textOf(p.Content)}, output)
	case "reasoning":
		t.part(role, "reasoning", Message{Text: textOf(p.Content)}, output)
	case "tool_call":
		t.called(id, stringOf(p.Name))
		t.part("assistant", "call", Message{Name: stringOf(p.Name), Call: id, Text: textOf(p.Arguments)}, output)
	case "tool_call_response":
		t.result(id, textOf(p.Response)+textOf(p.Result), true)
	default:
		t.part(role, "other", Message{Name: kind, Text: string(raw)}, output)
	}
}

func (t *transcript) part(role, kind string, m Message, output bool) {
	m.Role, m.Type = role, kind
	if output && role == "assistant" {
		t.model(m)
		return
	}
	t.add(m)
}

// partsText joins the texts of system instructions.
func partsText(parts jsontext.Value) string { return strings.TrimSpace(textOf(parts)) }
