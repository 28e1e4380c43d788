package chat

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// messageWriter turns items into messages. What the model said in a row is gathered until something else comes.
type messageWriter struct {
	o    Options
	t    splice.Text
	list string // the member that the items stand in, for errors
	// answer says that the items are an answer's: its text is not searched for reasoning, which stands in items.
	answer bool

	// instructions are joined with the system messages that begin the conversation, while leading.
	instructions string
	leading      bool

	turn turn
}

// turn is what the model said in a row.
type turn struct {
	begun   bool
	text    []byte           // what was said, and reasoning in <think> unless that is kept apart
	thought []string         // reasoning that is kept apart
	refusal jsontext.Value   // nil: none
	calls   splice.Text      // elements of tool_calls, without the bracket that closes
	more    responses.Object // members of the items that nobody here knows
	tokens  responses.Object // the tokens of the last item that has some
}

func newMessageWriter(o Options, p responses.CreateParams) *messageWriter {
	instructions, _ := p.String("instructions")
	w := &messageWriter{o: o, list: "input", instructions: instructions, leading: instructions != ""}
	if v, ok := p.Get("input"); ok {
		w.t.B = make([]byte, 0, len(v)+len(v)/4+len(instructions)+256)
	}
	w.t.Open('[')
	return w
}

// input writes the conversation.
func (w *messageWriter) input(p responses.CreateParams) error {
	v, _ := p.Get("input")
	if v.Kind() == '"' {
		w.endLeading()
		w.t.Open('{')
		w.t.Literal(`"role":"user","content":[{"type":"text","text":`)
		w.t.B = append(w.t.B, v...)
		w.t.B = append(w.t.B, "}]}"...)
		return nil
	}
	items, err := p.Input()
	if err != nil {
		return err
	}
	for i, it := range items {
		if err := w.item(it, i); err != nil {
			return err
		}
	}
	return nil
}

// messages returns the list.
func (w *messageWriter) messages() jsontext.Value {
	w.flush()
	w.endLeading()
	w.t.Close(']')
	return w.t.B
}

func (w *messageWriter) item(it responses.Item, i int) error {
	var err error
	switch kind := it.Type(); kind {
	case responses.TypeMessage:
		err = w.message(it, i)
	case responses.TypeReasoning:
		w.reasoning(it)
	case responses.TypeFunctionCall:
		err = w.call(it, i)
	case responses.TypeFunctionCallOutput:
		w.flush()
		w.endLeading()
		err = w.output(it, i)
	case "":
		return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, "type")}
	default:
		return unsupported(fmt.Sprintf("an item of type %.64q", kind), "body", w.list, i)
	}
	return err
}

func (w *messageWriter) message(it responses.Item, i int) error {
	role := it.Role()
	if role == "assistant" {
		return w.said(it, i)
	}
	w.flush()
	if v, _ := it.Get("content"); responses.IsNull(v) {
		return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, "content")}
	}
	switch role {
	case "system", "developer":
		if w.leading {
			return w.lead(it, i)
		}
		if role == "developer" && w.o.ReplaceDeveloperRole {
			role = "system"
		}
	case "user":
	case "tool":
		w.endLeading()
		return w.toolMessage(it, i)
	default:
		return unsupported(fmt.Sprintf("a message of role %.64q", role), "body", w.list, i, "role")
	}
	w.endLeading()
	w.t.Open('{')
	w.t.StringMember("role", role)
	if err := w.content(it, i); err != nil {
		return err
	}
	w.others(it.Object)
	w.t.Close('}')
	return nil
}

// lead joins a system message with the instructions.
func (w *messageWriter) lead(it responses.Item, i int) error {
	parts, _ := it.Array("content")
	for j, v := range parts {
		part, _ := responses.View(v)
		if kind, _ := part.String("type"); !isText(kind) {
			return unsupported(fmt.Sprintf("a part of type %.64q in a system message", kind), "body", w.list, i, "content", j)
		}
	}
	w.instructions += "\n\n" + it.Text()
	return nil
}

// endLeading writes the instructions before the first message that is none of the system's.
func (w *messageWriter) endLeading() {
	if !w.leading {
		return
	}
	w.leading = false
	w.t.Open('{')
	w.t.Literal(`"role":"system"`)
	w.t.StringMember("content", w.instructions)
	w.t.Close('}')
}

// content writes the content of a message, part by part when it is a list.
func (w *messageWriter) content(it responses.Item, i int) error {
	v, _ := it.Get("content")
	w.t.Name("content")
	parts, ok := responses.Elements(v)
	if !ok {
		if v.Kind() != '"' {
			return responses.FieldErrors{responses.WrongType("list", v, "body", w.list, i, "content")}
		}
		w.t.Raw(v)
		return nil
	}
	w.t.Open('[')
	for j, v := range parts {
		if err := appendPart(&w.t, v, "body", w.list, i, "content", j); err != nil {
			return err
		}
	}
	w.t.Close(']')
	return nil
}

// others writes the members of a message that nobody here knows.
func (w *messageWriter) others(o responses.Object) {
	for name, v := range o.All() {
		if !isMessageMember(name) {
			w.t.Member(name, v)
		}
	}
}

// isMessageMember reports whether a member of a message item is known, and has its place here or none.
func isMessageMember(name string) bool {
	switch name {
	case "type", "role", "content", "id", "status", "phase", "tool_calls", "tool_call_id", "refusal":
		return true
	}
	return responses.IsTokenMember(name)
}

// toolMessage copies the answer of a tool that came in the shape of this dialect.
func (w *messageWriter) toolMessage(it responses.Item, i int) error {
	id, ok := it.Get("tool_call_id")
	if !ok {
		return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, "tool_call_id")}
	}
	w.t.Open('{')
	w.t.Literal(`"role":"tool"`)
	w.t.Member("tool_call_id", id)
	if err := w.content(it, i); err != nil {
		return err
	}
	w.others(it.Object)
	w.t.Close('}')
	return nil
}

// output writes the answer of a tool.
func (w *messageWriter) output(it responses.Item, i int) error {
	id, okID := it.Get("call_id")
	output, okOutput := it.Get("output")
	if !okID || !okOutput {
		name := "call_id"
		if okID {
			name = "output"
		}
		return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, name)}
	}
	w.t.Open('{')
	w.t.Literal(`"role":"tool"`)
	w.t.Member("tool_call_id", id)
	w.t.Name("content")
	parts, isList := responses.Elements(output)
	switch {
	case isList:
		w.t.Open('[')
		for j, v := range parts {
			part, _ := responses.View(v)
			if kind, _ := part.String("type"); !isText(kind) {
				return unsupported(fmt.Sprintf("a part of type %.64q in the output of a tool", kind), "body", w.list, i, "output", j)
			}
			if err := appendPart(&w.t, v, "body", w.list, i, "output", j); err != nil {
				return err
			}
		}
		w.t.Close(']')
	case output.Kind() == '"':
		w.t.Raw(output)
	default:
		return responses.FieldErrors{responses.WrongType("string", output, "body", w.list, i, "output")}
	}
	for name, v := range it.All() {
		switch name {
		case "type", "call_id", "output", "id", "status", "role", "content", "tool_call_id":
		default:
			w.t.Member(name, v)
		}
	}
	w.t.Close('}')
	return nil
}
