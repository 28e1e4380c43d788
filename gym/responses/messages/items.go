package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// inputText turns the messages of a checked request into items.
func inputText(r Request) (jsontext.Value, error) {
	list, _ := r.Get("messages")
	messages, _ := responses.Elements(list)
	t := &splice.Text{B: make([]byte, 0, len(list)+len(list)/4+64)}
	t.Open('[')
	for i, v := range messages {
		m, _ := responses.View(v)
		role, _ := m.String("role")
		if role != "user" && role != "assistant" && role != "system" {
			return nil, &responses.UnsupportedError{Loc: []any{"body", "messages", i, "role"}, What: fmt.Sprintf("a message of role %.64q", role), Dialect: "Responses"}
		}
		w := itemWriter{t: t, role: role, loc: []any{"body", "messages", i, "content"}, m: m}
		if err := w.message(); err != nil {
			return nil, err
		}
	}
	t.Close(']')
	return t.B, nil
}

// itemWriter turns the blocks of one message into items. Texts and images in a row are one message.
type itemWriter struct {
	t     *splice.Text
	role  string
	loc   []any
	m     responses.Object           // members that nobody knows go into the first message item
	newID func(prefix string) string // nil: the message is part of a request, where items need no ids
	parts []placed                   // blocks of the message item that is to be written
	done  bool                       // the members of m were written
}

// placed is a block with its place in the content.
type placed struct {
	j int
	v jsontext.Value
}

// message writes the items of a message of a request.
func (w *itemWriter) message() error {
	content, _ := w.m.Get("content")
	if content.Kind() == '"' {
		w.open()
		w.t.Member("content", content)
		w.t.Close('}')
		return nil
	}
	return w.blocks(content)
}

// open begins a message item.
func (w *itemWriter) open() {
	w.t.Open('{')
	if w.newID != nil {
		w.t.StringMember("id", w.newID("msg_"))
	}
	w.t.Literal(`"type":"message"`)
	w.t.StringMember("role", w.role)
	if w.newID != nil {
		w.t.Literal(`"status":"completed"`)
	}
	if w.done || w.newID != nil {
		return
	}
	w.done = true
	for name, v := range w.m.All() {
		switch name {
		case "role", "content", "type", "id", "status", "phase":
		default:
			if !responses.IsTokenMember(name) {
				w.t.Member(name, v)
			}
		}
	}
}

func (w *itemWriter) blocks(list jsontext.Value) error {
	blocks, _ := responses.Elements(list)
	for j, v := range blocks {
		block, _ := responses.View(v)
		if err := w.block(v, block, j); err != nil {
			return err
		}
	}
	return w.flush()
}

// at is a place in a block, for errors.
func (w *itemWriter) at(j int, more ...any) []any {
	return append(append(slices.Clone(w.loc), j), more...)
}

func (w *itemWriter) block(v jsontext.Value, block responses.Object, j int) error {
	kind, _ := block.String("type")
	if kind == "text" || kind == "image" && w.newID == nil {
		if text, _ := block.Get("text"); kind == "text" && text.Kind() != '"' {
			return responses.FieldErrors{responses.Missing(v, w.at(j, "text")...)}
		}
		w.parts = append(w.parts, placed{j, v})
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	switch kind {
	case "tool_use":
		return w.call(block, j)
	case "tool_result":
		return w.output(block, j)
	case "thinking":
		return w.thinking(block, j)
	case "redacted_thinking":
		return w.redacted(block, j)
	}
	return toResponses(kind, w.at(j)...)
}

// flush writes the message item of the texts and images so far.
func (w *itemWriter) flush() error {
	if len(w.parts) == 0 {
		return nil
	}
	parts := w.parts
	w.parts = nil
	w.open()
	w.t.Name("content")
	if len(parts) == 1 && w.newID == nil {
		if block, _ := responses.View(parts[0].v); plainText(block) {
			text, _ := block.Get("text")
			w.t.Raw(text)
			w.t.Close('}')
			return nil
		}
	}
	w.t.Open('[')
	for i := 0; i < len(parts); i++ {
		if w.newID != nil {
			i = w.joinedText(parts, i)
			continue
		}
		block, _ := responses.View(parts[i].v)
		if err := w.part(block, parts[i].j); err != nil {
			return err
		}
	}
	w.t.Close(']')
	w.t.Close('}')
	return nil
}

// plainText reports whether a block is a text and nothing else that has to be carried.
func plainText(block responses.Object) bool {
	kind, _ := block.String("type")
	if kind != "text" {
		return false
	}
	for name, v := range block.All() {
		if !isTextMember(name) && v.Kind() != 'n' {
			return false
		}
	}
	return true
}

// isTextMember reports whether a member of a text block has its place elsewhere or none.
func isTextMember(name string) bool {
	switch name {
	case "type", "text", "cache_control", "annotations", "logprobs":
		return true
	}
	return false
}

// joinedText writes one output_text for the plain texts from i on, and returns the last of them: readers look at the first
// part only. A text with members of its own is a part of its own.
func (w *itemWriter) joinedText(parts []placed, i int) int {
	block, _ := responses.View(parts[i].v)
	first, _ := block.String("text")
	text := []byte(first)
	plain := plainText(block)
	for plain && i+1 < len(parts) {
		next, _ := responses.View(parts[i+1].v)
		if !plainText(next) {
			break
		}
		s, _ := next.String("text")
		text = append(text, s...)
		i++
	}
	w.t.Open('{')
	w.t.Literal(`"type":"output_text"`)
	w.t.StringMember("text", string(text))
	w.t.Literal(`"annotations":[]`)
	if !plain {
		w.textMembers(block)
	}
	w.t.Close('}')
	return i
}

func (w *itemWriter) textMembers(block responses.Object) {
	for name, v := range block.All() {
		if !isTextMember(name) && v.Kind() != 'n' {
			w.t.Member(name, v)
		}
	}
}

// part writes a text or an image of a request.
func (w *itemWriter) part(block responses.Object, j int) error {
	t := w.t
	if kind, _ := block.String("type"); kind == "text" {
		t.Open('{')
		text, _ := block.Get("text")
		if w.role == "assistant" {
			t.Literal(`"type":"output_text"`)
			t.Member("text", text)
			t.Literal(`"annotations":[]`)
		} else {
			t.Literal(`"type":"input_text"`)
			t.Member("text", text)
		}
		w.textMembers(block)
		t.Close('}')
		return nil
	}
	return appendInputImage(t, block, w.at(j))
}

// appendInputImage writes an image: its bytes as a data URL, or its URL.
func appendInputImage(t *splice.Text, block responses.Object, loc []any) error {
	source, _ := block.Sub("source")
	kind, _ := source.String("type")
	var url string
	switch kind {
	case "base64":
		media, _ := source.String("media_type")
		data, _ := source.String("data")
		if media == "" || data == "" {
			return responses.FieldErrors{responses.Missing(source.AppendTo(nil), append(loc, "source", "data")...)}
		}
		url = "data:" + media + ";base64," + data
	case "url":
		url, _ = source.String("url")
	default:
		return toResponses("image from "+kind, loc...)
	}
	t.Open('{')
	t.Literal(`"type":"input_image"`)
	t.StringMember("image_url", url)
	t.Literal(`"detail":"auto"`)
	for name, v := range block.All() {
		switch name {
		case "type", "source", "cache_control", "image_url", "detail", "file_id":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// call writes a call of a tool. Its input becomes the arguments byte by byte.
func (w *itemWriter) call(block responses.Object, j int) error {
	id, okID := block.Get("id")
	name, okName := block.Get("name")
	if !okID || !okName {
		missing := "id"
		if okID {
			missing = "name"
		}
		return responses.FieldErrors{responses.Missing(block.AppendTo(nil), w.at(j, missing)...)}
	}
	input, _ := block.Get("input")
	if responses.IsNull(input) {
		input = jsontext.Value("{}")
	}
	t := w.t
	t.Open('{')
	t.Literal(`"type":"function_call"`)
	t.Member("id", id)
	t.Member("call_id", id)
	t.Member("name", name)
	t.StringMember("arguments", string(input))
	t.Literal(`"status":"completed"`)
	for name, v := range block.All() {
		switch name {
		case "type", "id", "name", "input", "cache_control", "call_id", "arguments", "status":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// output writes the answer of a tool: texts joined by line breaks, or parts when there is an image among them.
func (w *itemWriter) output(block responses.Object, j int) error {
	id, ok := block.Get("tool_use_id")
	if !ok {
		return responses.FieldErrors{responses.Missing(block.AppendTo(nil), w.at(j, "tool_use_id")...)}
	}
	t := w.t
	t.Open('{')
	t.Literal(`"type":"function_call_output"`)
	t.Member("call_id", id)
	t.Name("output")
	content, _ := block.Get("content")
	switch {
	case responses.IsNull(content):
		t.String("")
	case content.Kind() == '"':
		t.Raw(content)
	case hasImage(content):
		t.Open('[')
		blocks, _ := responses.Elements(content)
		for k, v := range blocks {
			inner, _ := responses.View(v)
			if err := outputPart(t, inner, w.at(j, "content", k)); err != nil {
				return err
			}
		}
		t.Close(']')
	default:
		text, err := joinBlocks(content, w.at(j, "content")...)
		if err != nil {
			return err
		}
		t.String(text)
	}
	for name, v := range block.All() {
		switch name {
		case "type", "tool_use_id", "content", "is_error", "cache_control", "call_id", "output", "id", "status":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

func hasImage(content jsontext.Value) bool {
	blocks, _ := responses.Elements(content)
	for _, v := range blocks {
		block, _ := responses.View(v)
		if kind, _ := block.String("type"); kind == "image" {
			return true
		}
	}
	return false
}

func outputPart(t *splice.Text, block responses.Object, loc []any) error {
	switch kind, _ := block.String("type"); kind {
	case "image":
		return appendInputImage(t, block, loc)
	case "text":
		text, _ := block.String("text")
		t.Open('{')
		t.Literal(`"type":"input_text"`)
		t.StringMember("text", text)
		t.Close('}')
		return nil
	default:
		return toResponses(kind, loc...)
	}
}

// thinking writes a thought, with its signature as encrypted_content.
func (w *itemWriter) thinking(block responses.Object, j int) error {
	thought, ok := block.Get("thinking")
	if !ok {
		thought, ok = block.Get("text")
	}
	if !ok || thought.Kind() != '"' {
		return responses.FieldErrors{responses.Missing(block.AppendTo(nil), w.at(j, "thinking")...)}
	}
	w.openReasoning(block)
	w.t.Open('{')
	w.t.Literal(`"type":"summary_text"`)
	w.t.Member("text", thought)
	w.t.B = append(w.t.B, "}]"...)
	if signature, ok := block.Get("signature"); ok {
		w.t.Member("encrypted_content", signature)
	}
	w.closeReasoning(block)
	return nil
}

// redacted writes a thought that nobody may read: reasoning without a summary.
func (w *itemWriter) redacted(block responses.Object, j int) error {
	data, ok := block.Get("data")
	if !ok {
		return responses.FieldErrors{responses.Missing(block.AppendTo(nil), w.at(j, "data")...)}
	}
	w.openReasoning(block)
	w.t.Close(']')
	w.t.Member("encrypted_content", data)
	w.closeReasoning(block)
	return nil
}

func (w *itemWriter) openReasoning(block responses.Object) {
	w.t.Open('{')
	w.t.StringMember("id", w.reasoningID(block))
	w.t.Literal(`"type":"reasoning","summary":[`)
}

func (w *itemWriter) closeReasoning(block responses.Object) {
	if w.newID != nil {
		w.t.Literal(`"status":"completed"`)
	}
	for name, v := range block.All() {
		switch name {
		case "type", "thinking", "text", "signature", "data", "cache_control", "id", "summary", "encrypted_content", "status", "content":
		default:
			w.t.Member(name, v)
		}
	}
	w.t.Close('}')
}

// reasoningID is an id that the reasoning of a request has each time it is converted: endpoints want one.
func (w *itemWriter) reasoningID(block responses.Object) string {
	if w.newID != nil {
		return w.newID("rs_")
	}
	sum := sha256.Sum256(block.AppendTo(nil))
	return "rs_" + hex.EncodeToString(sum[:16])
}
