package messages

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// rawArguments is the member of a tool's input that holds arguments which are no JSON object.
const rawArguments = "_arguments"

// blockWriter turns items into messages with blocks. Items of one role in a row share a message.
type blockWriter struct {
	t      splice.Text
	list   string // the member that the items stand in, for errors
	system []string
	role   string           // of the message that is open; "" for none
	next   string           // of the item at hand; its message is opened by its first block, since one may have none
	more   responses.Object // members of its items that nobody knows
}

func newBlockWriter(p responses.CreateParams) *blockWriter {
	w := &blockWriter{list: "input"}
	if s, _ := p.String("instructions"); s != "" {
		w.system = append(w.system, s)
	}
	if v, ok := p.Get("input"); ok {
		w.t.B = make([]byte, 0, len(v)+len(v)/4+64)
	}
	w.t.Open('[')
	return w
}

// messages returns the list.
func (w *blockWriter) messages() jsontext.Value {
	w.turn("")
	w.t.Close(']')
	return w.t.B
}

// systemBlocks returns the system prompt, a block for each text; nil for none.
func (w *blockWriter) systemBlocks() jsontext.Value {
	var t splice.Text
	t.Open('[')
	for _, s := range w.system {
		if s != "" {
			appendText(&t, s)
		}
	}
	t.Close(']')
	if len(t.B) == len("[]") {
		return nil
	}
	return t.B
}

func appendText(t *splice.Text, s string) {
	t.Open('{')
	t.Literal(`"type":"text"`)
	t.StringMember("text", s)
	t.Close('}')
}

// turn makes the message that is open one of the role.
func (w *blockWriter) turn(role string) {
	if role == w.role {
		return
	}
	if w.role != "" {
		w.t.Close(']')
		for name, v := range w.more.All() {
			w.t.Member(name, v)
		}
		w.more = responses.Object{}
		w.t.Close('}')
	}
	w.role = role
	if role != "" {
		w.t.Open('{')
		w.t.StringMember("role", role)
		w.t.Literal(`"content":[`)
	}
}

func (w *blockWriter) item(it responses.Item, i int) error {
	switch kind := it.Type(); kind {
	case responses.TypeMessage:
		return w.message(it, i)
	case responses.TypeReasoning:
		w.next = "assistant"
		w.reasoning(it)
	case responses.TypeFunctionCall:
		w.next = "assistant"
		return w.call(it, i)
	case responses.TypeFunctionCallOutput:
		w.next = "user"
		return w.output(it, i)
	case "":
		return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, "type")}
	default:
		return unsupported(fmt.Sprintf("an item of type %.64q", kind), "body", w.list, i)
	}
	return nil
}

func (w *blockWriter) message(it responses.Item, i int) error {
	role := it.Role()
	content, _ := it.Get("content")
	parts, isList := responses.Elements(content)
	if !isList && content.Kind() != '"' {
		return responses.FieldErrors{responses.WrongType("list", content, "body", w.list, i, "content")}
	}
	switch role {
	case "system", "developer":
		return w.lead(it, parts, i)
	case "user", "assistant":
	default:
		return unsupported(fmt.Sprintf("a message of role %.64q", role), "body", w.list, i, "role")
	}
	w.next = role
	if !isList {
		w.text(content, responses.Object{})
	}
	for j, v := range parts {
		if err := w.part(v, "body", w.list, i, "content", j); err != nil {
			return err
		}
	}
	if w.role != role {
		return nil // there was nothing in it
	}
	for name, v := range it.All() {
		switch name {
		case "type", "role", "content", "id", "status", "phase":
		default:
			if !responses.IsTokenMember(name) && v.Kind() != 'n' {
				w.more.Set(name, v)
			}
		}
	}
	return nil
}

// lead adds a system message to the system prompt.
func (w *blockWriter) lead(it responses.Item, parts []jsontext.Value, i int) error {
	for j, v := range parts {
		part, _ := responses.View(v)
		switch kind, _ := part.String("type"); kind {
		case "input_text", "output_text", "text":
		default:
			return unsupported(fmt.Sprintf("a part of type %.64q in a system message", kind), "body", w.list, i, "content", j)
		}
	}
	w.system = append(w.system, it.Text())
	return nil
}

// text writes a text block. One that is empty is left out: the endpoint refuses it.
func (w *blockWriter) text(text jsontext.Value, part responses.Object) {
	if len(text) <= len(`""`) {
		return
	}
	w.turn(w.next)
	w.t.Open('{')
	w.t.Literal(`"type":"text"`)
	w.t.Member("text", text)
	for name, v := range part.All() {
		switch name {
		case "type", "text", "refusal", "annotations", "logprobs":
		default:
			if v.Kind() != 'n' {
				w.t.Member(name, v)
			}
		}
	}
	w.t.Close('}')
}

func (w *blockWriter) part(v jsontext.Value, loc ...any) error {
	part, ok := responses.View(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("object", v, loc...)}
	}
	kind, _ := part.String("type")
	name := "text"
	switch kind {
	case "input_text", "output_text", "text":
	case "refusal":
		name = "refusal"
	case "input_image":
		return w.image(part, loc)
	default:
		return unsupported(fmt.Sprintf("a part of type %.64q", kind), loc...)
	}
	text, _ := part.Get(name)
	if text.Kind() != '"' {
		return responses.FieldErrors{responses.Missing(v, append(loc, name)...)}
	}
	w.text(text, part)
	return nil
}

// mediaTypes are the images that this dialect takes.
var mediaTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// image writes an image: a data URL as its bytes, any other as a URL.
func (w *blockWriter) image(part responses.Object, loc []any) error {
	v, _ := part.Get("image_url")
	if o, ok := responses.View(v); ok {
		v, _ = o.Get("url")
	}
	url, _ := responses.Text(v)
	wrong := func(msg string) error {
		return responses.FieldErrors{{Type: "value_error", Loc: append(loc, "image_url"), Msg: "Value error, " + msg, Input: jsontext.Value("null")}}
	}
	t := &w.t
	switch rest, isData := strings.CutPrefix(url, "data:"); {
	case url == "":
		return wrong("the URL must not be empty")
	case isData:
		head, data, _ := strings.Cut(rest, ",")
		media, encoded := strings.CutSuffix(head, ";base64")
		media, _, _ = strings.Cut(strings.ToLower(media), ";")
		if media == "image/jpg" {
			media = "image/jpeg"
		}
		if !encoded || data == "" || !mediaTypes[media] {
			return wrong("the data URL must hold a JPEG, PNG, GIF or WebP image in base64")
		}
		w.turn(w.next)
		t.Open('{')
		t.Literal(`"type":"image","source":{"type":"base64"`)
		t.StringMember("media_type", media)
		t.StringMember("data", data)
	default:
		w.turn(w.next)
		t.Open('{')
		t.Literal(`"type":"image","source":{"type":"url"`)
		t.StringMember("url", url)
	}
	t.Close('}')
	for name, v := range part.All() {
		switch name {
		case "type", "image_url", "detail", "file_id", "source":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// reasoning writes thoughts, with what is encrypted as their signature; reasoning without a text as redacted.
func (w *blockWriter) reasoning(it responses.Item) {
	secret, _ := it.String("encrypted_content")
	summary, _ := it.Array("summary")
	thoughts := it.Thoughts()
	switch {
	case len(thoughts) == 0 && len(summary) == 0 && secret != "":
		w.turn(w.next)
		w.t.Open('{')
		w.t.Literal(`"type":"redacted_thinking"`)
		w.t.StringMember("data", secret)
		w.closeThought(it)
		return
	case len(thoughts) == 0 && len(summary) > 0 && secret != "":
		thoughts = []string{""} // a signed thought that the endpoint does not show
	}
	for _, s := range thoughts {
		w.turn(w.next)
		w.t.Open('{')
		w.t.Literal(`"type":"thinking"`)
		w.t.StringMember("thinking", s)
		w.t.StringMember("signature", secret)
		w.closeThought(it)
	}
}

func (w *blockWriter) closeThought(it responses.Item) {
	for name, v := range it.All() {
		switch name {
		case "type", "id", "summary", "content", "encrypted_content", "status", "thinking", "signature", "data":
		default:
			if !responses.IsTokenMember(name) && v.Kind() != 'n' {
				w.t.Member(name, v)
			}
		}
	}
	w.t.Close('}')
}

func (w *blockWriter) call(it responses.Item, i int) error {
	for _, name := range []string{"call_id", "name", "arguments"} {
		if !it.Has(name) {
			return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, name)}
		}
	}
	id, _ := it.Get("call_id")
	name, _ := it.Get("name")
	w.turn(w.next)
	t := &w.t
	t.Open('{')
	t.Literal(`"type":"tool_use"`)
	t.Member("id", id)
	t.Member("name", name)
	t.Member("input", toolInput(it.Arguments()))
	for name, v := range it.All() {
		switch name {
		case "type", "id", "call_id", "name", "arguments", "status", "input":
		default:
			if !responses.IsTokenMember(name) && v.Kind() != 'n' {
				t.Member(name, v)
			}
		}
	}
	t.Close('}')
	return nil
}

// toolInput is the object that arguments are, byte by byte.
func toolInput(arguments string) jsontext.Value {
	if strings.TrimSpace(arguments) == "" {
		return jsontext.Value("{}")
	}
	v, err := responses.ParseArguments(arguments)
	if err == nil && v.Kind() == '{' {
		return v
	}
	var o responses.Object
	o.SetString(rawArguments, arguments)
	return o.AppendTo(nil)
}

func (w *blockWriter) output(it responses.Item, i int) error {
	for _, name := range []string{"call_id", "output"} {
		if !it.Has(name) {
			return responses.FieldErrors{responses.Missing(it.AppendTo(nil), "body", w.list, i, name)}
		}
	}
	id, _ := it.Get("call_id")
	output, _ := it.Get("output")
	w.turn(w.next)
	t := &w.t
	t.Open('{')
	t.Literal(`"type":"tool_result"`)
	t.Member("tool_use_id", id)
	t.Name("content")
	parts, isList := responses.Elements(output)
	switch {
	case output.Kind() == '"':
		t.Raw(output)
	case isList:
		t.Open('[')
		for j, v := range parts {
			if err := w.part(v, "body", w.list, i, "output", j); err != nil {
				return err
			}
		}
		t.Close(']')
	default:
		return responses.FieldErrors{responses.WrongType("string", output, "body", w.list, i, "output")}
	}
	for name, v := range it.All() {
		switch name {
		case "type", "id", "call_id", "output", "status", "tool_use_id", "content":
		default:
			if v.Kind() != 'n' {
				t.Member(name, v)
			}
		}
	}
	t.Close('}')
	return nil
}
