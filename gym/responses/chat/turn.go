package chat

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// said gathers a message of the model.
func (w *messageWriter) said(it responses.Item, i int) error {
	w.endLeading()
	t := &w.turn
	t.begun = true
	content, _ := it.Get("content")
	parts, isList := responses.Elements(content)
	switch {
	case responses.IsNull(content):
	case isList:
		for j, v := range parts {
			if err := w.part(v, i, j); err != nil {
				return err
			}
		}
	case content.Kind() == '"':
		text, _ := responses.Text(content)
		t.text = append(t.text, text...)
	default:
		return responses.FieldErrors{responses.WrongType("list", content, "body", w.list, i, "content")}
	}
	if v, _ := it.Get("refusal"); !responses.IsNull(v) {
		t.refusal = v
	}
	calls, _ := it.Array("tool_calls")
	for _, v := range calls {
		t.openCall()
		t.calls.Raw(v)
	}
	for name, v := range it.All() {
		if !isMessageMember(name) {
			t.more.Set(name, v)
		}
	}
	w.take(it)
	return nil
}

// part gathers one part of a message of the model.
func (w *messageWriter) part(v jsontext.Value, i, j int) error {
	t := &w.turn
	part, _ := responses.View(v)
	kind, _ := part.String("type")
	switch {
	case isText(kind):
		text, _ := part.String("text")
		t.text = append(t.text, text...)
		if list, _ := part.Array("annotations"); w.answer && len(list) > 0 {
			t.more.Set("annotations", joined(list))
		}
	case kind == "refusal":
		if v, ok := part.Get("refusal"); ok {
			t.refusal = v
		}
	default:
		return unsupported(fmt.Sprintf("a part of type %.64q in a message of the model", kind), "body", w.list, i, "content", j)
	}
	return nil
}

// reasoning gathers what the model thought: the summary, one segment an entry.
func (w *messageWriter) reasoning(it responses.Item) {
	w.endLeading()
	t := &w.turn
	t.begun = true
	for _, text := range it.Thoughts() {
		if w.o.ReasoningParser {
			t.thought = append(t.thought, text)
			continue
		}
		t.text = append(t.text, thinkOpen...)
		t.text = append(t.text, text...)
		t.text = append(t.text, thinkClose...)
	}
	for name, v := range it.All() {
		switch name {
		case "type", "id", "summary", "content", "encrypted_content", "status", "role", "tool_calls", "refusal":
		default:
			if !responses.IsTokenMember(name) {
				t.more.Set(name, v)
			}
		}
	}
	w.take(it)
}

// call gathers a call of a tool. Its arguments stay the text that they are.
func (w *messageWriter) call(it responses.Item, i int) error {
	w.endLeading()
	for _, name := range []string{"call_id", "name", "arguments"} {
		if !it.Has(name) {
			return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, name)}
		}
	}
	if v, _ := it.Get("namespace"); !responses.IsNull(v) {
		return unsupported("a call in a namespace", "body", w.list, i, "namespace")
	}
	t := &w.turn
	t.begun = true
	t.openCall()
	t.calls.Open('{')
	id, _ := it.Get("call_id")
	t.calls.Member("id", id)
	t.calls.Literal(`"type":"function","function":{`)
	name, _ := it.Get("name")
	t.calls.Member("name", name)
	arguments, _ := it.Get("arguments")
	t.calls.Member("arguments", arguments)
	more, _ := it.Sub(moreFunction)
	for name, v := range more.All() {
		if name != "name" && name != "arguments" {
			t.calls.Member(name, v)
		}
	}
	t.calls.Close('}')
	for name, v := range it.All() {
		switch name {
		case "type", "id", "call_id", "name", "arguments", "status", "namespace", moreFunction, moreMessage:
		default:
			if !responses.IsTokenMember(name) {
				t.calls.Member(name, v)
			}
		}
	}
	t.calls.Close('}')
	more, _ = it.Sub(moreMessage)
	for name, v := range more.All() {
		if !isMessageMember(name) {
			t.more.Set(name, v)
		}
	}
	w.take(it)
	return nil
}

// Members of a function_call that hold what the call's function and its message had beside what has a place of its own.
const (
	moreFunction = "function"
	moreMessage  = "message"
)

func (t *turn) openCall() {
	if len(t.calls.B) == 0 {
		t.calls.Open('[')
	}
}

// take keeps the tokens of an item; the last ones of a turn are those of the whole turn.
func (w *messageWriter) take(it responses.Item) {
	if !w.o.TokenIDs || !responses.HasTokens(it.Object) {
		return
	}
	w.turn.tokens = responses.Object{}
	for name, v := range it.All() {
		if responses.IsTokenMember(name) && v.Kind() != 'n' {
			w.turn.tokens.Set(name, v)
		}
	}
}

// flush writes what the model said, if anything.
func (w *messageWriter) flush() {
	if !w.turn.begun {
		return
	}
	t := w.turn
	w.turn = turn{}
	w.t.Open('{')
	w.t.Literal(`"role":"assistant"`)
	thought := w.spoken(t)
	if t.refusal != nil {
		w.t.Member("refusal", t.refusal)
	}
	if len(t.calls.B) > 0 {
		t.calls.Close(']')
		w.t.Member("tool_calls", t.calls.B)
	}
	for name, v := range t.more.All() {
		if !thought || name != "reasoning" && name != "reasoning_content" {
			w.t.Member(name, v)
		}
	}
	for name, v := range t.tokens.All() {
		w.t.Member(name, v)
	}
	w.t.Close('}')
}

// spoken writes the text of a turn, and its reasoning where the upstream reads that from. It reports whether it wrote
// reasoning.
func (w *messageWriter) spoken(t turn) (thought bool) {
	text, segments := string(t.text), t.thought
	if w.o.ReasoningParser && !w.answer {
		var found []string
		found, text = splitThought(text)
		segments = append(segments, found...)
	}
	w.t.Name("content")
	if text == "" && len(segments) == 0 {
		w.t.Raw(nil)
		return false
	}
	w.t.String(text)
	if len(segments) == 0 || !w.o.InterleavedReasoning {
		return false
	}
	joined := joinThought(segments)
	w.t.StringMember("reasoning_content", joined)
	if !w.answer {
		w.t.StringMember("reasoning", joined)
	}
	return true
}
