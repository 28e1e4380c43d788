package chat

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// inputText turns a checked list of messages into the items of the Responses dialect.
func inputText(list jsontext.Value) (jsontext.Value, error) {
	messages, _ := responses.Elements(list)
	t := &splice.Text{B: make([]byte, 0, len(list)+len(list)/4+64)}
	t.Open('[')
	for i, v := range messages {
		m, _ := responses.View(v)
		if err := appendItems(t, m, i); err != nil {
			return nil, err
		}
	}
	t.Close(']')
	return t.B, nil
}

func appendItems(t *splice.Text, m responses.Object, i int) error {
	role, _ := m.String("role")
	switch role {
	case "system", "developer", "user":
		return appendInput(t, m, role, i)
	case "assistant":
		return appendSaid(t, m, i)
	case "tool":
		return appendOutput(t, m, i)
	}
	return toResponses(fmt.Sprintf("a message of role %.64q", role), "body", "messages", i, "role")
}

// appendInput writes a message that is not the model's. Content that is null or absent is the empty text.
func appendInput(t *splice.Text, m responses.Object, role string, i int) error {
	t.Open('{')
	t.Literal(`"type":"message"`)
	t.StringMember("role", role)
	if err := appendContent(t, m, "content", "input_text", i); err != nil {
		return err
	}
	for name, v := range m.All() {
		if !isMessageMember(name) {
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// appendContent writes the content of a message under the name.
func appendContent(t *splice.Text, m responses.Object, name, textType string, i int) error {
	v, _ := m.Get("content")
	t.Name(name)
	parts, isList := responses.Elements(v)
	switch {
	case responses.IsNull(v):
		t.String("")
	case isList:
		t.Open('[')
		for j, v := range parts {
			if err := inputPart(t, v, textType, "body", "messages", i, "content", j); err != nil {
				return err
			}
		}
		t.Close(']')
	case v.Kind() == '"':
		t.Raw(v)
	default:
		return responses.FieldErrors{responses.WrongType("list", v, "body", "messages", i, "content")}
	}
	return nil
}

// appendOutput writes the answer of a tool.
func appendOutput(t *splice.Text, m responses.Object, i int) error {
	id, ok := m.Get("tool_call_id")
	if !ok {
		return responses.FieldErrors{responses.Missing(m.AppendTo(nil), "body", "messages", i, "tool_call_id")}
	}
	t.Open('{')
	t.Literal(`"type":"function_call_output"`)
	t.Member("call_id", id)
	if err := appendContent(t, m, "output", "input_text", i); err != nil {
		return err
	}
	for name, v := range m.All() {
		switch name {
		case "role", "content", "tool_call_id", "type", "call_id", "output", "id", "status":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// appendSaid writes what the model said before, without ids: they were the other dialect's to give.
func appendSaid(t *splice.Text, m responses.Object, i int) error {
	w := itemWriter{t: t, loc: []any{"body", "messages", i}, tokens: true}
	return w.message(m)
}
