package web

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/otlp"
)

// exchange is what one call of a model was told and said: lists of messages, and of parts for the instructions.
type exchange struct {
	system  jsontext.Value
	in, out []jsontext.Value
}

func (x *exchange) empty() bool { return x == nil || len(x.in) == 0 && len(x.out) == 0 }

// exchangeOf reads what a span recorded: as attributes, as the conventions have it; as events, as they had it before; or
// flattened, one attribute for each member of each message, as instrumentations did before there were conventions.
func exchangeOf(s *otlp.Span) *exchange {
	x := &exchange{}
	flat := flatMessages{}
	for key, value := range s.Attributes() {
		switch {
		case key == semconv.GenAIInputMessages:
			x.in = listOf(jsonOf(value))
		case key == semconv.GenAIOutputMessages:
			x.out = listOf(jsonOf(value))
		case key == semconv.GenAISystemInstructions:
			x.system = jsonOf(value)
		case strings.HasPrefix(key, "gen_ai.prompt."), strings.HasPrefix(key, "gen_ai.completion."):
			flat.add(key, value)
		}
	}
	if x.empty() {
		for e := range s.Events() {
			x.event(e.Name, e.Attr)
		}
	}
	if x.empty() {
		x.in, x.out = flat["prompt"].messages(), flat["completion"].messages()
	}
	return x
}

// event takes what an event of a span or a log record says.
func (x *exchange) event(name string, attr func(string) (otlp.Value, bool)) {
	switch name {
	case "gen_ai.client.inference.operation.details":
		if v, ok := attr(semconv.GenAIInputMessages); ok {
			x.in = listOf(jsonOf(v))
		}
		if v, ok := attr(semconv.GenAIOutputMessages); ok {
			x.out = listOf(jsonOf(v))
		}
		if v, ok := attr(semconv.GenAISystemInstructions); ok {
			x.system = jsonOf(v)
		}
	case "gen_ai.content.prompt":
		if v, ok := attr("gen_ai.prompt"); ok {
			x.in = append(x.in, listOf(jsonOf(v))...)
		}
	case "gen_ai.content.completion":
		if v, ok := attr("gen_ai.completion"); ok {
			x.out = append(x.out, listOf(jsonOf(v))...)
		}
	default:
		if v, ok := attr("gen_ai.event.content"); ok {
			x.body(name, jsonOf(v))
		}
	}
}

// body takes the body of an event that is one message.
func (x *exchange) body(name string, body jsontext.Value) {
	if body.Kind() != '{' {
		return
	}
	switch name {
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message":
		role := strings.TrimSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
		x.in = append(x.in, withRole(body, role))
	case "gen_ai.tool.message":
		x.in = append(x.in, withRole(body, "tool"))
	case "gen_ai.choice":
		message := member(body, "message")
		if message.Kind() != '{' {
			message = body
		}
		x.out = append(x.out, withRole(message, "assistant"))
	}
}

// withRole is a message with a role: its own, if it has one. The id of a tool's message is that of the call.
func withRole(message jsontext.Value, role string) jsontext.Value {
	if own := stringOf(member(message, "role")); own != "" {
		role = own
	}
	out, _ := jsontext.AppendQuote([]byte(`{"role":`), role)
	if role == "tool" {
		id, _ := jsontext.AppendQuote(nil, stringOf(member(message, "id")))
		out = append(append(out, `,"tool_call_id":`...), id...)
	}
	rest := bytes.TrimSpace(message)
	if inner := bytes.TrimSpace(rest[1:]); len(inner) > 0 && inner[0] != '}' {
		out = append(append(out, ','), inner...)
		return out
	}
	return append(out, '}')
}

// flatMessages are messages of which each member is an attribute: gen_ai.prompt.0.role.
type flatMessages map[string]flatList

type flatList map[int]map[string]otlp.Value

// maxFlat is the most messages that are read so.
const maxFlat = 10_000

func (f flatMessages) add(key string, v otlp.Value) {
	which, rest, _ := strings.Cut(strings.TrimPrefix(key, "gen_ai."), ".")
	number, name, ok := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n >= maxFlat {
		return
	}
	if f[which] == nil {
		f[which] = flatList{}
	}
	if f[which][n] == nil {
		f[which][n] = map[string]otlp.Value{}
	}
	f[which][n][name] = v
}

// messages are the messages in their order, as chat interfaces have them.
func (l flatList) messages() (out []jsontext.Value) {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Function function `json:"function"`
	}
	for n := 0; len(out) < len(l) && n < maxFlat; n++ {
		m, ok := l[n]
		if !ok {
			continue
		}
		var calls []call
		for k := range 256 {
			prefix := "tool_calls." + strconv.Itoa(k) + "."
			name, ok := m[prefix+"name"]
			if !ok {
				break
			}
			calls = append(calls, call{otlp.Text(m[prefix+"id"].Str()), function{otlp.Text(name.Str()), otlp.Text(m[prefix+"arguments"].Str())}})
		}
		role := otlp.Text(m["role"].Str())
		if role == "" {
			role = "assistant"
		}
		b, err := json.Marshal(struct {
			Role    string `json:"role"`
			Content string `json:"content"`
			CallID  string `json:"tool_call_id"`
			Calls   []call `json:"tool_calls,omitzero"`
		}{role, otlp.Text(m["content"].Str()), otlp.Text(m["tool_call_id"].Str()), calls})
		if err != nil {
			b = []byte("{}") // takes the place
		}
		out = append(out, b)
	}
	return out
}

// jsonOf is an attribute as JSON: it is recorded as JSON text, or as a list of maps.
func jsonOf(v otlp.Value) jsontext.Value {
	if v.Kind() == otlp.ValueStr {
		if text := jsontext.Value(v.Str()); text.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			return text
		}
		b, _ := jsontext.AppendQuote(nil, otlp.Text(v.Str())) // cut by a limit, or plain text: it is shown as it is
		return b
	}
	if v.Kind() == otlp.ValueEmpty {
		return nil
	}
	return v.AppendJSON(nil)
}

// listOf is a list of messages; what is none is one message.
func listOf(v jsontext.Value) []jsontext.Value {
	if len(v) == 0 || v.Kind() == 'n' {
		return nil
	}
	if v.Kind() == '[' {
		return elements(v)
	}
	return []jsontext.Value{v}
}

func elements(list jsontext.Value) (out []jsontext.Value) {
	if json.Unmarshal(list, &out, lenient) != nil {
		return []jsontext.Value{list}
	}
	return out
}

// genAIEvents finds what log records say about the calls of a trace: since the conventions of 2024 the content may be there
// and not on the spans. What a search finds in its time is what there is.
func (h *Handler) genAIEvents(ctx context.Context, v *view) (map[otlp.SpanID]*exchange, error) {
	within, cancel := context.WithTimeout(ctx, logSearchTime)
	defer cancel()
	found := map[otlp.SpanID]*exchange{}
	n := 0
	_, err := logs.Trace(within, h.o.Store, v.trace.ID, func(r logs.Record) error {
		if n++; n > maxLogRecords {
			return errEnough
		}
		takeLog(found, r.LogRecord)
		return nil
	})
	if errors.Is(err, errEnough) || ctx.Err() == nil && within.Err() != nil {
		err = nil
	}
	return found, err
}

// takeLog takes what one log record says.
func takeLog(found map[otlp.SpanID]*exchange, l plog.LogRecord) {
	name := l.EventName()
	if v, ok := l.Attributes().Get("event.name"); ok && name == "" {
		name = v.AsString()
	}
	if !strings.HasPrefix(name, "gen_ai.") {
		return
	}
	id := otlp.SpanID(l.SpanID())
	if found[id] == nil {
		found[id] = &exchange{}
	}
	x := found[id]
	if name == "gen_ai.client.inference.operation.details" {
		if v, ok := l.Attributes().Get(semconv.GenAIInputMessages); ok {
			x.in = listOf(jsonOfLog(v))
		}
		if v, ok := l.Attributes().Get(semconv.GenAIOutputMessages); ok {
			x.out = listOf(jsonOfLog(v))
		}
		if v, ok := l.Attributes().Get(semconv.GenAISystemInstructions); ok {
			x.system = jsonOfLog(v)
		}
		return
	}
	x.body(name, jsonOfLog(l.Body()))
}

func jsonOfLog(v pcommon.Value) jsontext.Value {
	text := otlp.Text(v.AsString()) // JSON of lists and maps
	if b := jsontext.Value(text); b.IsValid(jsontext.AllowDuplicateNames(true)) {
		return b
	}
	b, _ := jsontext.AppendQuote(nil, text)
	return b
}
