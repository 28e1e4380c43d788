package content

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// messages is a list of messages as the GenAI conventions have it, made of items of the Responses dialect: each a role and
// parts.
//
// An item becomes the parts of one message; what a model said in one go (reasoning, texts, calls) is one message of the
// assistant. Parts of kinds that nobody here knows keep their type, with their JSON as content.
type messages struct {
	losses
	out     []byte
	bound   int
	role    string // of the message that is open, "" when none is
	count   int    // messages
	parts   int    // of the open message
	another bool   // a new item has begun
	skipped int    // bytes of items for which there was no room; from the first of them on nothing is written
}

// reserve is what is kept free for the end of a list: a mark in a message of its own, and why the model stopped.
const reserve = 512

// newMessages returns a list that may have bound bytes.
func newMessages(bound int) *messages {
	return &messages{out: []byte{'['}, bound: bound}
}

// add adds an item. said tells that the model said it now.
func (m *messages) add(it responses.Item, said bool) {
	m.another = true
	switch kind := it.Type(); kind {
	case responses.TypeMessage:
		m.message(it)
	case responses.TypeFunctionCall:
		m.call(it)
	case responses.TypeFunctionCallOutput:
		m.response(it)
	case responses.TypeReasoning:
		m.reasoning(it)
	default:
		m.unknown(roleOf(it, said), kind, it.AppendTo(nil))
	}
}

// roleOf guesses who an item of an unknown type comes from.
func roleOf(it responses.Item, said bool) string {
	switch role := it.Role(); {
	case role != "":
		return role
	case !said && strings.HasSuffix(it.Type(), "_output"):
		return "tool"
	}
	return "assistant"
}

func (m *messages) message(it responses.Item) {
	role := it.Role()
	if role == "" {
		role = "user"
	}
	v, _ := it.Get("content")
	if v.Kind() == '"' {
		m.text(role, "text", v)
		return
	}
	parts, _ := it.Array("content")
	for _, p := range parts {
		m.contentPart(role, p)
	}
}

// contentPart adds a part of a message's content.
func (m *messages) contentPart(role string, raw jsontext.Value) {
	p, err := responses.ParseItem(raw)
	if err != nil {
		m.text(role, "text", raw)
		return
	}
	kind := p.Type()
	text, _ := p.Get("text")
	refusal, _ := p.Get("refusal")
	switch {
	case (kind == "input_text" || kind == "output_text" || kind == "text" || kind == "summary_text") && text.Kind() == '"':
		m.text(role, "text", text)
	case kind == "refusal" && refusal.Kind() == '"':
		m.text(role, "refusal", refusal)
	case strings.HasPrefix(kind, "input_"):
		m.media(role, strings.TrimPrefix(kind, "input_"), p)
	default:
		m.unknown(role, kind, raw)
	}
}

// media adds an image, a sound, a video or a file: where it is, and not what is in it.
func (m *messages) media(role, modality string, p responses.Item) {
	size := sizeOf(p)
	before, ok := m.begin(role, size)
	if !ok {
		return
	}
	if modality == "file" {
		modality = "document"
	}
	uri, _ := p.String(modality + "_url")
	id, _ := p.String("file_id")
	kind, key, value := "blob", "content", ""
	switch {
	case id != "":
		kind, key, value = "file", "file_id", id
	case uri != "" && !strings.HasPrefix(uri, "data:"):
		kind, key, value = "uri", "uri", uri
	default:
		m.cut += size
	}
	m.field("type", kind)
	m.field("modality", modality)
	if mime, _, ok := strings.Cut(strings.TrimPrefix(uri, "data:"), ";"); ok && kind == "blob" {
		m.field("mime_type", mime)
	}
	m.field(key, value)
	m.end(before, size)
}

func (m *messages) call(it responses.Item) {
	arguments, _ := it.Get("arguments")
	before, ok := m.begin("assistant", len(arguments))
	if !ok {
		return
	}
	m.field("type", "tool_call")
	m.field("id", it.CallID())
	m.field("name", it.Name())
	m.key("arguments")
	m.value(arguments)
	m.end(before, len(arguments))
}

func (m *messages) response(it responses.Item) {
	output, _ := it.Get("output")
	before, ok := m.begin("tool", len(output))
	if !ok {
		return
	}
	m.field("type", "tool_call_response")
	m.field("id", it.CallID())
	m.key("response")
	m.value(output)
	m.end(before, len(output))
}

// reasoning adds what can be read of it; what is encrypted says nothing to anybody here.
func (m *messages) reasoning(it responses.Item) {
	for _, name := range []string{"summary", "content"} {
		v, _ := it.Get(name)
		if v.Kind() == '"' {
			m.text("assistant", "reasoning", v)
		}
		parts, _ := it.Array(name)
		for _, p := range parts {
			if text, ok := textOf(p); ok {
				m.text("assistant", "reasoning", text)
			}
		}
	}
}

// textOf is the text member of a part.
func textOf(raw jsontext.Value) (jsontext.Value, bool) {
	p, err := responses.ParseItem(raw)
	if err != nil {
		return nil, false
	}
	v, _ := p.Get("text")
	return v, v.Kind() == '"'
}

// unknown adds something of a type that nobody here knows.
func (m *messages) unknown(role, kind string, raw jsontext.Value) {
	before, ok := m.begin(role, len(raw))
	if !ok {
		return
	}
	if kind == "" {
		kind = "unknown"
	}
	m.field("type", kind)
	m.key("content")
	m.json(raw)
	m.end(before, len(raw))
}

// text adds a part that is a text.
func (m *messages) text(role, kind string, quoted jsontext.Value) {
	before, ok := m.begin(role, len(quoted))
	if !ok {
		return
	}
	m.field("type", kind)
	m.key("content")
	m.out = appendQuote(m.out, m.clean(excerptOfJSON(quoted)))
	m.end(before, len(quoted))
}

// state is what taking a part back restores.
type state struct {
	out, count, parts int
	role              string
	losses            losses
}

// begin opens a part in a message of that role. It is not ok when there is no room any more; size is then counted.
func (m *messages) begin(role string, size int) (before state, ok bool) {
	if m.skipped > 0 {
		m.skipped += size
		return state{}, false
	}
	before = state{len(m.out), m.count, m.parts, m.role, m.losses}
	if m.role != role || m.another && role != "assistant" {
		m.open(role)
	}
	m.another = false
	if m.parts > 0 {
		m.out = append(m.out, ',')
	}
	m.parts++
	m.out = append(m.out, '{')
	return before, true
}

// end closes a part, and takes it back when it is too much.
func (m *messages) end(before state, size int) {
	m.out = append(m.out, '}')
	if len(m.out)+reserve <= m.bound {
		return
	}
	m.out = m.out[:before.out]
	m.count, m.parts, m.role, m.losses = before.count, before.parts, before.role, before.losses
	m.skipped = max(size, 1)
}

// open begins a message.
func (m *messages) open(role string) {
	m.shut()
	if m.count > 0 {
		m.out = append(m.out, ',')
	}
	m.count++
	m.role, m.parts = role, 0
	m.out = append(m.out, `{"role":`...)
	m.out = appendQuote(m.out, cut(role, markRoom))
	m.out = append(m.out, `,"parts":[`...)
}

// shut ends the open message.
func (m *messages) shut() {
	if m.role != "" {
		m.out = append(m.out, "]}"...)
		m.role = ""
	}
}

func (m *messages) key(name string) {
	if m.out[len(m.out)-1] != '{' {
		m.out = append(m.out, ',')
	}
	m.out = append(append(append(m.out, '"'), name...), `":`...)
}

func (m *messages) field(name, text string) {
	m.key(name)
	m.out = appendQuote(m.out, m.clean(excerptOf(text)))
}

// value appends what is inside a JSON string when that is JSON itself, as arguments are, else the value as it is.
func (m *messages) value(v jsontext.Value) {
	switch {
	case len(v) == 0:
		m.out = append(m.out, "null"...)
		return
	case v.Kind() != '"':
		m.json(v)
		return
	}
	if len(v) <= maxJSON {
		inside, _ := jsontext.AppendUnquote(nil, v) // the error only says that a byte was replaced
		var ok bool
		if m.out, ok = m.appendJSON(m.out, inside, m.bound-reserve-1); ok {
			return
		}
	}
	m.out = appendQuote(m.out, m.clean(excerptOfJSON(v)))
}

// json appends a JSON value; one that is too long as text.
func (m *messages) json(v jsontext.Value) {
	var ok bool
	if m.out, ok = m.appendJSON(m.out, v, m.bound-reserve-1); ok {
		return
	}
	if v.Kind() == '"' {
		m.out = appendQuote(m.out, m.clean(excerptOfJSON(v)))
		return
	}
	m.out = appendQuote(m.out, m.clean(excerptOfBytes(v)))
}

// finish ends the list, with a mark when not all of it is there. finishReason goes on the last message unless it is "".
func (m *messages) finish(finishReason string) string {
	if m.skipped > 0 {
		m.cut += m.skipped
		if m.role == "" {
			m.open("assistant")
		}
		if m.parts > 0 {
			m.out = append(m.out, ',')
		}
		m.out = append(m.out, `{"type":"text","content":`...)
		m.out = appendQuote(m.out, markOf(m.skipped))
		m.out = append(m.out, '}')
	}
	if m.role != "" && finishReason != "" {
		m.out = append(m.out, `],"finish_reason":`...)
		m.out = appendQuote(m.out, cut(finishReason, markRoom))
		m.out = append(m.out, '}')
		m.role = ""
	}
	m.shut()
	return string(append(m.out, ']'))
}

// sizeOf is about how long an item is.
func sizeOf(it responses.Item) (n int) {
	for name, v := range it.All() {
		n += len(name) + len(v)
	}
	return n
}
