package responses

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Item is one entry of a conversation: a message, a function_call, a function_call_output, a reasoning item, or a type
// that nobody here knows, which is kept and passed on.
type Item struct{ Object }

// Types of items that Gym acts on.
const (
	TypeMessage            = "message"
	TypeFunctionCall       = "function_call"
	TypeFunctionCallOutput = "function_call_output"
	TypeReasoning          = "reasoning"
)

// Type returns the type; an item without one that has a role is a message. "" means neither.
func (it Item) Type() string {
	v, ok := it.Get("type")
	if ok {
		return word(v)
	}
	if it.Has("role") {
		return TypeMessage
	}
	return ""
}

// word returns the text of a string, without an allocation for the words that every conversation is full of.
func word(v jsontext.Value) string {
	switch string(v) {
	case `"message"`:
		return TypeMessage
	case `"function_call"`:
		return TypeFunctionCall
	case `"function_call_output"`:
		return TypeFunctionCallOutput
	case `"reasoning"`:
		return TypeReasoning
	case `"assistant"`:
		return "assistant"
	case `"user"`:
		return "user"
	}
	if v.Kind() != '"' {
		return ""
	}
	return unquote(trim(v))
}

// Role returns the role of a message: user, assistant, system or developer.
func (it Item) Role() string {
	v, _ := it.Get("role")
	return word(v)
}

// Name returns the name of the function that is called.
func (it Item) Name() string { return it.text("name") }

// CallID returns what ties a function_call to its output.
func (it Item) CallID() string { return it.text("call_id") }

// Arguments returns the arguments of a function_call, which are a JSON text inside a JSON string, byte for byte as the
// model wrote them, valid or not; see [ParseArguments].
func (it Item) Arguments() string { return it.text("arguments") }

func (it Item) text(name string) string {
	s, _ := it.String(name)
	return s
}

// Text returns the text of a message's content, or of a function_call_output's output: the string, or the text of its
// text parts joined. Refusals, images and other parts have no text.
func (it Item) Text() string {
	name := "content"
	if it.Type() == TypeFunctionCallOutput {
		name = "output"
	}
	if s, ok := it.String(name); ok {
		return s
	}
	parts, _ := it.Array(name)
	var text string
	for _, p := range parts {
		if p.Kind() != '{' {
			continue
		}
		part := Object{raw: p}
		switch t, _ := part.String("type"); t {
		case "input_text", "output_text", "text":
			s, _ := part.String("text")
			text += s
		}
	}
	return text
}

// Thoughts returns the texts of a reasoning item that are not empty: its summary, or its content when the summary has none.
func (it Item) Thoughts() []string {
	for _, name := range []string{"summary", "content"} {
		var texts []string
		entries, _ := it.Array(name)
		for _, v := range entries {
			entry, _ := View(v)
			if s, _ := entry.String("text"); s != "" {
				texts = append(texts, s)
			}
		}
		if len(texts) > 0 {
			return texts
		}
	}
	return nil
}

// UserMessage returns a message of the user.
func UserMessage(text string) Item {
	return message("user", text)
}

func message(role, text string) Item {
	b := make([]byte, 0, len(text)+40)
	b = append(b, `{"role":`...)
	b = quote(b, role)
	b = append(b, `,"content":`...)
	b = quote(b, text)
	return Item{Object{raw: append(b, '}')}}
}

// Message returns an input message of any role, with its text as a string.
func Message(role, text string) Item { return message(role, text) }

// AssistantMessage returns a finished message of the assistant without an id; see [OutputMessage].
func AssistantMessage(text string) Item { return OutputMessage("", text) }

// OutputMessage returns a finished message of the assistant as a model server answers it: one output_text part. An id
// of "" is left out, but readers that check the Responses format ask for one in a response's output.
func OutputMessage(id, text string) Item {
	b := make([]byte, 0, len(id)+len(text)+140)
	b = append(b, '{')
	b = appendID(b, id)
	b = append(b, `"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":`...)
	b = quote(b, text)
	b = append(b, `,"annotations":[]}]}`...)
	return Item{Object{raw: b}}
}

func appendID(b []byte, id string) []byte {
	if id == "" {
		return b
	}
	b = append(b, `"id":`...)
	b = quote(b, id)
	return append(b, ',')
}

// FunctionCall returns a call of a tool; arguments is JSON text. An id of "" is left out.
func FunctionCall(id, callID, name, arguments string) Item {
	b := make([]byte, 0, len(id)+len(callID)+len(name)+len(arguments)+120)
	b = append(b, '{')
	b = appendID(b, id)
	b = append(b, `"type":"function_call","call_id":`...)
	b = quote(b, callID)
	b = append(b, `,"name":`...)
	b = quote(b, name)
	b = append(b, `,"arguments":`...)
	b = quote(b, arguments)
	b = append(b, `,"status":"completed"}`...)
	return Item{Object{raw: b}}
}

// FunctionCallOutput returns a tool's answer. Bytes of it that are not UTF-8 become U+FFFD.
func FunctionCallOutput(callID, output string) Item {
	b := make([]byte, 0, len(callID)+len(output)+64)
	b = append(b, `{"type":"function_call_output","call_id":`...)
	b = quote(b, callID)
	b = append(b, `,"output":`...)
	b = quote(b, output)
	return Item{Object{raw: append(b, '}')}}
}

// checkItems counts the elements of a checked JSON array and lists those that are no objects, by their place below loc.
func checkItems(v jsontext.Value, loc ...any) (n int, bad FieldErrors) {
	c := cursor{b: trim(v), i: 1}
	for ; ; n++ {
		e, ok := c.element()
		if !ok {
			return n, bad
		}
		if e[0] != '{' {
			bad = append(bad, notObject(e, append(slices.Clone(loc), n)...))
		}
	}
}

// parseItems views a checked JSON array as items.
func parseItems(v jsontext.Value, loc ...any) ([]Item, FieldErrors) {
	n, bad := checkItems(v, loc...)
	if len(bad) > 0 {
		return nil, bad
	}
	items := make([]Item, 0, n+1) // an agent adds to them
	c := cursor{b: trim(v), i: 1}
	for range n {
		e, _ := c.element()
		items = append(items, Item{Object{raw: e}})
	}
	return items, nil
}

// appendItems appends the items as a JSON array.
func appendItems(dst []byte, items []Item) jsontext.Value {
	dst = append(dst, '[')
	for i, it := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = it.AppendTo(dst)
	}
	return append(dst, ']')
}

// joinItems is appendItems into a buffer of the right size.
func joinItems(items []Item) jsontext.Value {
	n := 2
	for _, it := range items {
		n += it.size() + 1
	}
	return appendItems(make([]byte, 0, n), items)
}

// ParseItem checks b, which must be one JSON object, and returns it as an item.
func ParseItem(b []byte) (Item, error) {
	o, err := ParseObject(b)
	if err != nil {
		return Item{}, fmt.Errorf("cannot parse item: %w", err)
	}
	return Item{o}, nil
}
