package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// dialect is the name of this dialect in errors.
const dialect = "Anthropic Messages"

// Options says how conversions treat what the two dialects do not share. The zero value is usable.
type Options struct {
	// Model is the upstream's name of the model; "" keeps the request's.
	Model string
	// MaxTokens is the bound for requests that have none, which this dialect does not allow; 0 is [DefaultMaxTokens].
	MaxTokens int64
	// ExtraBody are members for requests that do not have them; metadata.extra_body wins over it.
	ExtraBody responses.Object
	// NewID makes ids from a prefix like "msg_"; nil makes random ones.
	NewID func(prefix string) string
}

// DefaultMaxTokens bounds the answer to a request that names no bound.
const DefaultMaxTokens = 32_000

func (o Options) newID(prefix string) string {
	if o.NewID == nil {
		return responses.NewID(prefix)
	}
	return o.NewID(prefix)
}

// Prepare makes a request that a client sent in this dialect ready for the upstream: the model's name, a bound of the answer,
// extra_body, and no stream. Everything else goes on as it came. There is no error; the result is as in package chat.
func (o Options) Prepare(r Request) (Request, error) {
	r.Delete("stream")
	o.finish(&r, responses.Object{})
	return r, nil
}

// finish sets what the options say about the request as a whole.
func (o Options) finish(r *Request, extra responses.Object) {
	if o.Model != "" {
		r.SetString("model", o.Model)
	}
	if v, _ := r.Get("max_tokens"); responses.IsNull(v) {
		bound := o.MaxTokens
		if bound == 0 {
			bound = DefaultMaxTokens
		}
		r.SetInt("max_tokens", bound)
	}
	members := o.ExtraBody
	members.Merge(extra)
	r.Fill(members)
}

// Request is the request body of /v1/messages.
type Request struct{ responses.Object }

// ParseRequest checks a request body and returns a view of it: messages must be a list of objects with a role and a content
// that is a text or a list of objects. Members that nobody here knows are kept. The error is a [responses.FieldErrors].
func ParseRequest(b []byte) (Request, error) {
	o, err := responses.Body(b)
	if err != nil {
		return Request{}, err
	}
	if bad := checkRequest(o); len(bad) > 0 {
		return Request{}, bad
	}
	return Request{o}, nil
}

func checkRequest(o responses.Object) responses.FieldErrors {
	v, ok := o.Get("messages")
	if !ok {
		return responses.FieldErrors{responses.Missing(o.AppendTo(nil), "body", "messages")}
	}
	list, ok := responses.Elements(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("list", v, "body", "messages")}
	}
	var bad responses.FieldErrors
	for i, v := range list {
		m, ok := responses.View(v)
		if !ok {
			bad = append(bad, responses.WrongType("object", v, "body", "messages", i))
			continue
		}
		for _, name := range []string{"role", "content"} {
			if !m.Has(name) {
				bad = append(bad, responses.Missing(v, "body", "messages", i, name))
			}
		}
		if role, ok := m.Get("role"); ok && role.Kind() != '"' {
			bad = append(bad, responses.WrongType("string", role, "body", "messages", i, "role"))
		}
		content, _ := m.Get("content")
		bad = append(bad, checkContent(content, i)...)
	}
	return bad
}

func checkContent(v jsontext.Value, i int) responses.FieldErrors {
	if len(v) == 0 || v.Kind() == '"' {
		return nil
	}
	blocks, ok := responses.Elements(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("list", v, "body", "messages", i, "content")}
	}
	var bad responses.FieldErrors
	for j, b := range blocks {
		if b.Kind() != '{' {
			bad = append(bad, responses.WrongType("object", b, "body", "messages", i, "content", j))
		}
	}
	return bad
}

// Stream reports whether the client wants a stream: stream is the literal true.
func (r Request) Stream() bool {
	v, _ := r.Bool("stream")
	return v
}

// ToParams converts a request to the Responses dialect. Members of messages, blocks and tools that nobody here knows are
// carried along. What steers Anthropic's own service only (cache_control, is_error, thinking, and members of the request
// beyond those that the other dialect has) is left out, as in Python: other endpoints refuse it.
//
// The error is a [responses.FieldErrors] when the request is wrong, and a [*responses.UnsupportedError] when it holds what
// the Responses dialect does not have.
func ToParams(r Request) (responses.CreateParams, error) {
	if bad := checkRequest(r.Object); len(bad) > 0 {
		return responses.CreateParams{}, bad
	}
	var p responses.CreateParams
	if v, _ := r.Get("model"); !responses.IsNull(v) {
		p.Set("model", v)
	}
	if v, ok := r.Get("system"); ok {
		text, err := systemText(v)
		if err != nil {
			return responses.CreateParams{}, err
		}
		if text != "" {
			p.SetString("instructions", text)
		}
	}
	input, err := inputText(r)
	if err != nil {
		return responses.CreateParams{}, err
	}
	p.Set("input", input)
	for _, m := range [...]struct{ here, there string }{
		{"max_tokens", "max_output_tokens"}, {"temperature", "temperature"}, {"top_p", "top_p"},
	} {
		if v, _ := r.Get(m.here); !responses.IsNull(v) {
			p.Set(m.there, v)
		}
	}
	if err := setToolParams(&p, r); err != nil {
		return responses.CreateParams{}, err
	}
	return responses.ParseCreateParams(p.AppendTo(nil))
}

// systemText is the system prompt: a text, or text blocks joined by line breaks.
func systemText(v jsontext.Value) (string, error) {
	if responses.IsNull(v) {
		return "", nil
	}
	if s, ok := responses.Text(v); ok {
		return s, nil
	}
	return joinBlocks(v, "body", "system")
}

// joinBlocks joins the texts of text blocks by line breaks.
func joinBlocks(v jsontext.Value, loc ...any) (string, error) {
	blocks, ok := responses.Elements(v)
	if !ok {
		return "", responses.FieldErrors{responses.WrongType("list", v, loc...)}
	}
	var text []byte
	for i, v := range blocks {
		block, _ := responses.View(v)
		if kind, _ := block.String("type"); kind != "text" {
			return "", toResponses(kind, append(loc, i)...)
		}
		s, _ := block.String("text")
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, s...)
	}
	return string(text), nil
}

// FromParams converts a request of the Responses dialect and makes it ready for the upstream. System and developer messages
// join the instructions in system, wherever they stand; messages of one role in a row become one; empty texts, which the
// endpoint refuses, are left out. Arguments of a call that are no JSON object, which models write at times and this dialect
// cannot hold, stand as a text in the member _arguments of an object. The errors are those of [ToParams].
func FromParams(p responses.CreateParams, o Options) (Request, error) {
	for _, name := range []string{"previous_response_id", "conversation", "prompt"} {
		if v, _ := p.Get(name); !responses.IsNull(v) {
			return Request{}, &responses.UnsupportedError{Loc: []any{"body", name}, What: name, Dialect: dialect}
		}
	}
	items, err := p.Input()
	if err != nil {
		return Request{}, err
	}
	w := newBlockWriter(p)
	for i, it := range items {
		if err := w.item(it, i); err != nil {
			return Request{}, err
		}
	}
	var r Request
	for _, m := range [...]struct{ there, here string }{
		{"model", "model"}, {"max_output_tokens", "max_tokens"}, {"temperature", "temperature"}, {"top_p", "top_p"},
	} {
		if v, _ := p.Get(m.there); !responses.IsNull(v) {
			r.Set(m.here, v)
		}
	}
	if system := w.systemBlocks(); system != nil {
		r.Set("system", system)
	}
	r.Set("messages", w.messages())
	if err := setTools(&r, p); err != nil {
		return Request{}, err
	}
	metadata, _ := p.Sub("metadata")
	extra, err := extraBody(metadata)
	if err != nil {
		return Request{}, err
	}
	o.finish(&r, extra)
	return r, nil
}

// extraBody is the object that metadata.extra_body holds as JSON in a string.
func extraBody(metadata responses.Object) (responses.Object, error) {
	v, _ := metadata.Get("extra_body")
	if o, ok := responses.View(v); ok {
		return o, nil
	}
	text, _ := responses.Text(v)
	if text == "" {
		return responses.Object{}, nil
	}
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		return responses.Object{}, responses.FieldErrors{{Type: "json_invalid", Loc: []any{"body", "metadata", "extra_body"},
			Msg: "The text should be a JSON object", Input: v, Ctx: map[string]string{"error": err.Error()}}}
	}
	return o, nil
}

// joined writes checked values as an array.
func joined(list []jsontext.Value) jsontext.Value {
	var t splice.Text
	t.Open('[')
	for _, v := range list {
		t.Raw(v)
	}
	t.Close(']')
	return t.B
}
