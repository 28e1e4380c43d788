package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

const (
	sourceResults = "results"
	sourceGenAI   = "genai"
	sourceNone    = "none"

	notRecorded = "Messages are not recorded. Turn on telemetry.content to see them here."
)

// said is a whole conversation before it is cut into pages.
type said struct {
	source string
	words  string // why there is none, or what is missing
	rows   []Message
	verify *Verdict
}

// conversation finds what was said in the rollout whose span is at a row: in the run's results file when it is known, else
// in the attributes of the spans.
func (h *Handler) conversation(ctx context.Context, v *view, at int) (said, error) {
	words := notRecorded
	if h.results != nil && at >= 0 && h.ofResults(v, at) {
		c, why := h.fromResults(v, at)
		if c != nil {
			v.join(c.rows, at)
			return *c, nil
		}
		words = why
	}
	if c, err := h.saidIn(ctx, v, at); err != nil || len(c.rows) > 0 {
		return c, err
	}
	return said{source: sourceNone, words: words}, nil
}

// ofResults tells whether the rollout belongs to the run of the results file.
func (h *Handler) ofResults(v *view, at int) bool {
	if h.o.ResultsRun == "" {
		return true
	}
	run, _ := v.trace.Resources[v.trace.ResourceOf[v.rows[at].span]].Attr(semconv.NemoRunID)
	return run.Str() == h.o.ResultsRun
}

func (h *Handler) fromResults(v *view, at int) (c *said, why string) {
	key, ok := v.resultKey(at)
	if !ok {
		return nil, "The rollout's span does not say which task and attempt it was."
	}
	h.results.readers <- struct{}{}
	defer func() { <-h.results.readers }()
	line, err := h.results.row(key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "This rollout is not in the results file yet."
	case errors.Is(err, errTooLong):
		return nil, fmt.Sprintf("This rollout's row in the results file is longer than %d MiB, which is not shown.", maxResultLine>>20)
	case err != nil:
		return nil, "The results file cannot be read: " + clip(err.Error(), 300) + "."
	}
	c, err = parseResult(line)
	if err != nil {
		return nil, "This rollout's row in the results file is no valid JSON."
	}
	return c, ""
}

// resultKey reads from a gym.rollout span which row is its.
func (v *view) resultKey(at int) (key resultKey, ok bool) {
	if at < 0 || v.rows[at].span < 0 {
		return key, false
	}
	s := &v.trace.Spans[v.rows[at].span]
	task, ok1 := s.Attr(semconv.GymTaskIndex)
	rollout, ok2 := s.Attr(semconv.GymRolloutIndex)
	retry, _ := s.Attr(semconv.GymRolloutAttempt)
	return resultKey{task.Int(), rollout.Int(), retry.Int()}, ok1 && ok2
}

// parseResult reads a row of a results file.
func parseResult(line []byte) (*said, error) {
	c := &said{source: sourceResults}
	t := &transcript{}
	verify := Verdict{}
	var input, output, instructions jsontext.Value
	err := eachMember(line, func(name string, value jsontext.Value) {
		switch {
		case name == "responses_create_params":
			input, instructions = member(value, "input"), member(value, "instructions")
		case name == "response":
			output = member(value, "output")
		case name == "reward":
			verify.Reward = numberOf(value)
		case strings.HasPrefix(name, "_ng_failure"), !strings.HasPrefix(name, "_ng_") && name != "agent_ref":
			if len(verify.Fields) < 64 {
				verify.Fields = append(verify.Fields, fieldOf(name, value))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if text := stringOf(instructions); text != "" {
		t.add(Message{Role: "system", Type: "text", Text: text})
	}
	t.items(input, false)
	t.items(output, true)
	if verify.Reward != nil || len(verify.Fields) > 0 {
		c.verify = &verify
		t.add(Message{Role: "verify", Type: "verify"})
	}
	c.rows = t.rows
	return c, nil
}

// transcript gathers the rows of a conversation and counts its turns. A turn begins with the first thing that the model
// said after it was told something.
type transcript struct {
	rows  []Message
	turn  int
	told  bool              // the last row was something told to the model
	names map[string]string // of function calls, by id
}

func (t *transcript) add(m Message) {
	m.N = len(t.rows)
	t.rows = append(t.rows, m)
}

// model adds something that the model said in this rollout.
func (t *transcript) model(m Message) {
	if t.turn == 0 || t.told {
		t.turn++
		t.told = false
	}
	m.Turn = new(t.turn)
	t.add(m)
}

// items adds input or output items of the Responses dialect. Only those of an output are turns of this rollout.
func (t *transcript) items(list jsontext.Value, output bool) {
	if len(list) == 0 || list.Kind() == 'n' {
		return
	}
	if list.Kind() == '"' {
		t.add(Message{Role: "user", Type: "text", Text: stringOf(list)})
		return
	}
	var items []jsontext.Value
	if json.Unmarshal(list, &items, lenient) != nil {
		t.add(Message{Role: "other", Type: "other", Text: string(list)})
		return
	}
	for _, item := range items {
		t.item(item, output)
	}
}

func (t *transcript) item(raw jsontext.Value, output bool) {
	var i struct {
		Type       jsontext.Value `json:"type"`
		Role       jsontext.Value `json:"role"`
		Content    jsontext.Value `json:"content"`
		Summary    jsontext.Value `json:"summary"`
		Name       jsontext.Value `json:"name"`
		CallID     jsontext.Value `json:"call_id"`
		ToolCallID jsontext.Value `json:"tool_call_id"`
		Arguments  jsontext.Value `json:"arguments"`
		Output     jsontext.Value `json:"output"`
		ToolCalls  jsontext.Value `json:"tool_calls"`
	}
	if json.Unmarshal(raw, &i, lenient) != nil {
		t.add(Message{Role: "other", Type: "other", Text: string(raw)})
		return
	}
	said := func(m Message) {
		if output && m.Role == "assistant" {
			t.model(m)
			return
		}
		t.told = true
		t.add(m)
	}
	switch kind, role := stringOf(i.Type), stringOf(i.Role); {
	case kind == "function_call":
		t.called(stringOf(i.CallID), stringOf(i.Name))
		said(Message{Role: "assistant", Type: "call", Name: stringOf(i.Name), Call: stringOf(i.CallID), Text: textOf(i.Arguments)})
	case kind == "function_call_output":
		t.result(stringOf(i.CallID), textOf(i.Output), output)
	case kind == "reasoning":
		text := strings.TrimSpace(textOf(i.Summary) + "\n" + textOf(i.Content))
		said(Message{Role: "assistant", Type: "reasoning", Text: text})
	case role == "tool":
		t.result(stringOf(i.ToolCallID), textOf(i.Content), output)
	case kind == "message" || kind == "" && role != "":
		text := textOf(i.Content)
		if calls := chatCalls(i.ToolCalls); len(calls) > 0 {
			if text != "" {
				said(Message{Role: role, Type: "text", Text: text})
			}
			for _, m := range calls {
				t.called(m.Call, m.Name)
				said(m)
			}
			return
		}
		said(Message{Role: role, Type: "text", Text: text})
	default:
		role := "other"
		if output {
			role = "assistant"
		}
		said(Message{Role: role, Type: "other", Name: kind, Text: string(raw)})
	}
}

func (t *transcript) called(id, name string) {
	if t.names == nil {
		t.names = map[string]string{}
	}
	t.names[id] = name
}

func (t *transcript) result(call, text string, output bool) {
	m := Message{Role: "tool", Type: "output", Name: t.names[call], Call: call, Text: text}
	if output && t.turn > 0 {
		m.Turn = new(t.turn)
	}
	t.told = true
	t.add(m)
}

// chatCalls reads the tool calls of a message in the Chat Completions dialect.
func chatCalls(raw jsontext.Value) (calls []Message) {
	var list []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string         `json:"name"`
			Arguments jsontext.Value `json:"arguments"`
		} `json:"function"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &list, lenient) != nil {
		return nil
	}
	for _, c := range list {
		calls = append(calls, Message{Role: "assistant", Type: "call", Name: c.Function.Name, Call: c.ID, Text: textOf(c.Function.Arguments)})
	}
	return calls
}

// join finds the spans of a rollout's rows: turn by turn the model calls, call by call the tools in their order.
func (v *view) join(rows []Message, at int) {
	if at < 0 {
		return
	}
	models, tools, verify := v.callsOf(at)
	turn := 0
	for i := range rows {
		m := &rows[i]
		switch {
		case m.Type == "verify":
			v.attach(m, verify)
		case m.Role == "assistant" && m.Turn != nil:
			if *m.Turn > len(models) {
				continue
			}
			model := &v.rows[models[*m.Turn-1]]
			m.Span = new(model.id)
			if *m.Turn != turn {
				turn = *m.Turn
				v.attach(m, models[turn-1])
				if n, ok := v.outputTokens(model); ok {
					m.Tokens = new(n)
				}
			}
		case m.Type == "output" && m.Turn != nil:
			for k, tool := range tools {
				if tool >= 0 && strings.HasSuffix(v.trace.Spans[v.rows[tool].span].Name, "/"+m.Name) {
					v.attach(m, tool)
					tools[k] = -1
					break
				}
			}
		}
	}
}

func (v *view) attach(m *Message, at int) {
	if at < 0 {
		return
	}
	r := &v.rows[at]
	m.Span = new(r.id)
	if r.end >= 0 {
		m.Duration = new(r.end - r.start)
	}
}

// callsOf finds the model calls, the tool calls and the verification of a rollout, as rows.
func (v *view) callsOf(at int) (models, tools []int, verify int) {
	verify = -1
	for i := at + 1; i < len(v.rows) && v.rows[i].depth > v.rows[at].depth; i++ {
		r := &v.rows[i]
		if r.turn > 0 {
			models = append(models, i)
		}
		if r.span < 0 || v.services[r.service].Role != roleResources || v.trace.Spans[r.span].Kind != otlp.KindServer {
			continue
		}
		switch name := v.trace.Spans[r.span].Name; {
		case strings.HasSuffix(name, "/verify"):
			verify = i
		case !strings.HasSuffix(name, "/seed_session"):
			tools = append(tools, i)
		}
	}
	return models, tools, verify
}

// lenient reads what real programs write.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// eachMember calls fn for the members of an object in their order.
func eachMember(object []byte, fn func(name string, value jsontext.Value)) error {
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient)
	tok, err := d.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '{' {
		return fmt.Errorf("must be an object, not %s", tok.Kind())
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		fn(key, value.Clone())
	}
	return nil
}

// member is a member of an object, nil when it is not there or the value is no object.
func member(object jsontext.Value, name string) (found jsontext.Value) {
	if object.Kind() == '{' {
		eachMember(object, func(n string, v jsontext.Value) {
			if n == name {
				found = v
			}
		})
	}
	return found
}

func stringOf(v jsontext.Value) (s string) {
	if len(v) > 0 && v.Kind() == '"' {
		json.Unmarshal(v, &s, lenient)
	}
	return s
}

func numberOf(v jsontext.Value) *float64 {
	var f float64
	if len(v) == 0 || v.Kind() != '0' || json.Unmarshal(v, &f) != nil {
		return nil
	}
	return finite(f)
}

// textOf is the text of a content: a string, a list of parts with text in them, or whatever else as JSON.
func textOf(v jsontext.Value) string {
	switch {
	case len(v) == 0 || v.Kind() == 'n':
		return ""
	case v.Kind() == '"':
		return stringOf(v)
	case v.Kind() != '[':
		return string(v)
	}
	var parts []jsontext.Value
	if json.Unmarshal(v, &parts, lenient) != nil {
		return string(v)
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		text := stringOf(p)
		for _, name := range []string{"text", "refusal", "content"} {
			if text == "" {
				text = stringOf(member(p, name))
			}
		}
		if text == "" {
			text = string(p)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// fieldOf is a member of the verifier's answer.
func fieldOf(name string, v jsontext.Value) Attribute {
	a := Attribute{Key: clip(name, 1000)}
	switch v.Kind() {
	case '"':
		a.Type, a.Text = "string", stringOf(v)
	case '0':
		a.Type, a.Text = "double", string(v)
		if !strings.ContainsAny(a.Text, ".eE") {
			a.Type = "int"
		}
	case 't', 'f':
		a.Type, a.Text = "bool", string(v)
	case 'n':
		a.Type = "empty"
	case '[':
		a.Type, a.Text = "array", string(v)
	default:
		a.Type, a.Text = "map", string(v)
	}
	full := len(a.Text)
	a.Text = cutText(a.Text, 4<<10)
	a.Cut = full - len(a.Text)
	return a
}
