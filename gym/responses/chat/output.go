package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// itemWriter turns a message of the model into items: reasoning, what was said, calls.
type itemWriter struct {
	t        *splice.Text
	loc      []any
	newID    func(prefix string) string // nil: the message is part of a request, where items need no ids
	parser   bool                       // take <think> segments out of the text
	tokens   bool                       // keep the tokens
	logprobs jsontext.Value             // of the text; nil: none

	msg     responses.Object
	pending bool // members of the message that nobody knows have not found an item yet
}

// message writes the items of m.
func (w *itemWriter) message(m responses.Object) error {
	w.msg = m
	w.pending = true
	thought, content, err := w.heard()
	if err != nil {
		return err
	}
	calls, err := w.calls()
	if err != nil {
		return err
	}
	refusal, _ := m.Get("refusal")
	// An answer has an item at least, and the text of one that only thought is none.
	speaks := len(content) > 0 || !responses.IsNull(refusal) || len(calls) == 0 && len(thought) == 0
	if len(thought) > 0 {
		w.reasoning(thought, !speaks && len(calls) == 0)
	}
	if speaks {
		w.said(content, refusal, len(calls) == 0)
	}
	for i, call := range calls {
		if err := w.call(call, i, i == len(calls)-1); err != nil {
			return err
		}
	}
	return nil
}

// heard returns what the model thought and what it said, as a string or as parts.
func (w *itemWriter) heard() (thought []string, parts []jsontext.Value, err error) {
	for _, name := range []string{"reasoning_content", "reasoning"} { // two names of one thing; some servers send both
		if s, _ := w.msg.String(name); s != "" {
			thought = append(thought, s)
			break
		}
	}
	content, _ := w.msg.Get("content")
	switch list, isList := responses.Elements(content); {
	case responses.IsNull(content):
	case isList:
		for j, v := range list {
			if err := w.checkPart(v, j); err != nil {
				return nil, nil, err
			}
			parts = append(parts, v)
		}
	case content.Kind() == '"':
		parts = w.text(content, &thought)
	default:
		return nil, nil, responses.FieldErrors{responses.WrongType("list", content, append(slices.Clone(w.loc), "content")...)}
	}
	return thought, parts, nil
}

// text is content that is a string, without what the model thought.
func (w *itemWriter) text(content jsontext.Value, thought *[]string) []jsontext.Value {
	if w.parser {
		text, _ := responses.Text(content)
		found, rest := splitThought(text)
		if found != nil {
			*thought = append(*thought, found...)
			content = splice.AppendString(nil, rest)
		}
	}
	if len(content) <= len(`""`) {
		return nil
	}
	return []jsontext.Value{content}
}

func (w *itemWriter) checkPart(v jsontext.Value, j int) error {
	loc := append(slices.Clone(w.loc), "content", j)
	part, ok := responses.View(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("object", v, loc...)}
	}
	kind, _ := part.String("type")
	if text, _ := part.Get("text"); kind == "text" && text.Kind() == '"' {
		return nil
	}
	if kind == "refusal" {
		return nil
	}
	return toResponses(fmt.Sprintf("a part of type %.64q in a message of the model", kind), loc...)
}

func (w *itemWriter) calls() ([]responses.Object, error) {
	v, _ := w.msg.Get("tool_calls")
	if responses.IsNull(v) {
		return nil, nil
	}
	list, ok := responses.Elements(v)
	if !ok {
		return nil, responses.FieldErrors{responses.WrongType("list", v, append(slices.Clone(w.loc), "tool_calls")...)}
	}
	calls := make([]responses.Object, len(list))
	for i, v := range list {
		calls[i], ok = responses.View(v)
		if !ok {
			return nil, responses.FieldErrors{responses.WrongType("object", v, append(slices.Clone(w.loc), "tool_calls", i)...)}
		}
	}
	return calls, nil
}

// reasoning writes the reasoning item, one entry of its summary a segment.
func (w *itemWriter) reasoning(thought []string, last bool) {
	t := w.t
	t.Open('{')
	t.StringMember("id", w.reasoningID(thought))
	t.Literal(`"type":"reasoning","summary":[`)
	for _, s := range thought {
		t.Open('{')
		t.Literal(`"type":"summary_text"`)
		t.StringMember("text", s)
		t.Close('}')
	}
	t.Close(']')
	if w.newID != nil {
		t.Literal(`"status":"completed"`)
	}
	w.end(last, last)
}

// reasoningID is an id that a request's reasoning has each time it is converted: endpoints want one.
func (w *itemWriter) reasoningID(thought []string) string {
	if w.newID != nil {
		return w.newID("rs_")
	}
	h := sha256.New()
	for _, s := range thought {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "rs_" + hex.EncodeToString(h.Sum(nil)[:16])
}

// said writes the message.
func (w *itemWriter) said(parts []jsontext.Value, refusal jsontext.Value, last bool) {
	t := w.t
	t.Open('{')
	if w.newID != nil {
		t.StringMember("id", w.newID("msg_"))
		t.Literal(`"type":"message","role":"assistant","status":"completed"`)
	} else {
		t.Literal(`"type":"message","role":"assistant"`)
	}
	t.Name("content")
	if content := w.plain(parts, refusal); content != nil {
		t.Raw(content)
		w.end(last, true)
		return
	}
	t.Open('[')
	if len(parts) == 0 && responses.IsNull(refusal) {
		parts = []jsontext.Value{jsontext.Value(`""`)}
	}
	for j, v := range parts {
		w.part(v, j)
	}
	if !responses.IsNull(refusal) {
		t.Open('{')
		t.Literal(`"type":"refusal"`)
		t.Member("refusal", refusal)
		t.Close('}')
	}
	t.Close(']')
	w.end(last, true)
}

// plain is the content of a message of a request that is a string and may stay one.
func (w *itemWriter) plain(parts []jsontext.Value, refusal jsontext.Value) jsontext.Value {
	if w.newID != nil || !responses.IsNull(refusal) || len(parts) > 1 {
		return nil
	}
	if len(parts) == 0 {
		return jsontext.Value(`""`)
	}
	if parts[0].Kind() == '"' {
		return parts[0]
	}
	return nil
}

// part writes one part: a text, or a part that came as one.
func (w *itemWriter) part(v jsontext.Value, j int) {
	if v.Kind() != '"' {
		_ = inputPart(w.t, v, "output_text", "content", j) // checkPart has looked at it
		return
	}
	w.t.Open('{')
	w.t.Literal(`"type":"output_text"`)
	w.t.Member("text", v)
	annotations, _ := w.msg.Get("annotations")
	if annotations.Kind() != '[' {
		annotations = jsontext.Value("[]")
	}
	w.t.Member("annotations", annotations)
	if w.logprobs != nil {
		w.t.Member("logprobs", w.logprobs)
	}
	w.t.Close('}')
}

// call writes a call. An id that is missing is made up, arguments that are no text become one.
func (w *itemWriter) call(call responses.Object, i int, last bool) error {
	loc := append(slices.Clone(w.loc), "tool_calls", i)
	if kind, ok := call.String("type"); ok && kind != "function" {
		return toResponses(fmt.Sprintf("a call of type %.64q", kind), loc...)
	}
	f, _ := call.Sub("function")
	name, ok := f.Get("name")
	if !ok || name.Kind() != '"' {
		return responses.FieldErrors{responses.Missing(call.AppendTo(nil), append(loc, "function", "name")...)}
	}
	id := w.callID(call, i)
	t := w.t
	t.Open('{')
	t.Literal(`"type":"function_call"`)
	if w.newID != nil {
		t.Member("id", id)
	}
	t.Member("call_id", id)
	t.Member("name", name)
	t.Name("arguments")
	switch arguments, _ := f.Get("arguments"); {
	case responses.IsNull(arguments):
		t.String("{}")
	case arguments.Kind() == '"':
		t.Raw(arguments)
	default:
		t.String(string(arguments))
	}
	if w.newID != nil {
		t.Literal(`"status":"completed"`)
	}
	w.moreCall(call, f)
	w.end(last, false)
	return nil
}

func (w *itemWriter) callID(call responses.Object, i int) jsontext.Value {
	id, _ := call.Get("id")
	if s, _ := responses.Text(id); s != "" {
		return id
	}
	if w.newID != nil {
		return splice.AppendString(nil, w.newID("call_"))
	}
	return splice.AppendString(nil, fmt.Sprintf("call_%v_%d", w.loc[len(w.loc)-1], i))
}

// moreCall writes the members of a call that nobody here knows, and those of its message when they have no place yet.
func (w *itemWriter) moreCall(call, f responses.Object) {
	for name, v := range call.All() {
		switch name {
		case "id", "type", "function", "call_id", "name", "arguments", "status", "namespace", moreMessage:
		default:
			if !responses.IsTokenMember(name) && v.Kind() != 'n' {
				w.t.Member(name, v)
			}
		}
	}
	var more responses.Object
	for name, v := range f.All() {
		if name != "name" && name != "arguments" && v.Kind() != 'n' {
			more.Set(name, v)
		}
	}
	if more.Len() > 0 {
		w.t.Member(moreFunction, more.AppendTo(nil))
	}
	if !w.pending {
		return
	}
	w.pending = false
	more = responses.Object{}
	for name, v := range w.msg.All() {
		if w.unknown(name, v) {
			more.Set(name, v)
		}
	}
	if more.Len() > 0 {
		w.t.Member(moreMessage, more.AppendTo(nil))
	}
}

// unknown reports whether a member of the message is one that nobody here knows, to be carried along.
func (w *itemWriter) unknown(name string, v jsontext.Value) bool {
	switch name {
	case "reasoning", "reasoning_content", "summary", "encrypted_content", "call_id", "output":
		return false
	case "annotations":
		return w.newID == nil
	}
	return !isMessageMember(name) && v.Kind() != 'n'
}

// end closes an item: with the message's own members, when the item is the one for them, and the tokens, when it is the
// last.
func (w *itemWriter) end(last, own bool) {
	if own && w.pending {
		w.pending = false
		for name, v := range w.msg.All() {
			if w.unknown(name, v) {
				w.t.Member(name, v)
			}
		}
	}
	if last && w.tokens && responses.HasTokens(w.msg) {
		for name, v := range w.msg.All() {
			if responses.IsTokenMember(name) && v.Kind() != 'n' {
				w.t.Member(name, v)
			}
		}
	}
	w.t.Close('}')
}
