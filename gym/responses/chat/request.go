package chat

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// dialect is the name of this dialect in errors.
const dialect = "Chat Completions"

// Request is the request body of /v1/chat/completions.
type Request struct{ responses.Object }

// ParseRequest checks a request body and returns a view of it: messages must be a list of objects with a role, stream a
// boolean, and the tokens of a turn all there or not at all. Members that nobody here knows are kept. The error is a
// [responses.FieldErrors].
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
	var bad responses.FieldErrors
	v, ok := o.Get("messages")
	switch {
	case !ok:
		bad = append(bad, responses.Missing(o.AppendTo(nil), "body", "messages"))
	case v.Kind() != '[':
		bad = append(bad, responses.WrongType("list", v, "body", "messages"))
	default:
		bad = append(bad, checkMessages(v)...)
	}
	if v, ok := o.Get("stream"); ok && v.Kind() != 't' && v.Kind() != 'f' && v.Kind() != 'n' {
		bad = append(bad, responses.WrongType("boolean", v, "body", "stream"))
	}
	return bad
}

func checkMessages(list jsontext.Value) responses.FieldErrors {
	var bad responses.FieldErrors
	messages, _ := responses.Elements(list)
	for i, v := range messages {
		m, ok := responses.View(v)
		if !ok {
			bad = append(bad, responses.WrongType("object", v, "body", "messages", i))
			continue
		}
		if role, ok := m.Get("role"); !ok {
			bad = append(bad, responses.Missing(v, "body", "messages", i, "role"))
		} else if role.Kind() != '"' {
			bad = append(bad, responses.WrongType("string", role, "body", "messages", i, "role"))
		}
		bad = append(bad, responses.CheckTokens(m, "body", "messages", i)...)
	}
	return bad
}

// Stream reports whether the client wants a stream: stream is the literal true.
func (r Request) Stream() bool {
	v, _ := r.Bool("stream")
	return v
}

// IncludeUsage reports whether the client wants token counts at the end of the stream.
func (r Request) IncludeUsage() bool {
	options, _ := r.Sub("stream_options")
	v, _ := options.Bool("include_usage")
	return v
}

// shared are the params that both dialects have, with the same meaning.
var shared = []string{
	"metadata", "parallel_tool_calls", "service_tier", "store", "temperature", "top_logprobs", "top_p", "user",
}

// FromParams converts a request of the Responses dialect and makes it ready for the upstream. Everything that the model
// says in a row, reasoning, text and calls, is one message. Members, items' and parts' members that nobody here knows are
// carried along; null params are left out.
//
// The error is a [responses.FieldErrors] when the request is wrong, and a [*responses.UnsupportedError] when it asks for
// what this dialect does not have.
func FromParams(p responses.CreateParams, o Options) (Request, error) {
	w := newMessageWriter(o, p)
	if err := w.input(p); err != nil {
		return Request{}, err
	}
	var r Request
	if v, _ := p.Get("model"); !responses.IsNull(v) {
		r.Set("model", v)
	}
	if err := r.setParams(p); err != nil {
		return Request{}, err
	}
	r.Set("messages", w.messages())
	if err := r.setTools(p); err != nil {
		return Request{}, err
	}
	if err := o.finish(&r); err != nil {
		return Request{}, err
	}
	return r, nil
}

// setParams sets what is neither a message nor a tool.
func (r *Request) setParams(p responses.CreateParams) error {
	for _, name := range []string{"previous_response_id", "conversation", "prompt"} {
		if v, _ := p.Get(name); !responses.IsNull(v) {
			return &responses.UnsupportedError{Loc: []any{"body", name}, What: name, Dialect: dialect}
		}
	}
	if background, _ := p.Bool("background"); background {
		return &responses.UnsupportedError{Loc: []any{"body", "background"}, What: "background: true", Dialect: dialect}
	}
	for _, name := range shared {
		if v, _ := p.Get(name); !responses.IsNull(v) {
			r.Set(name, v)
		}
	}
	if v, _ := p.Get("max_output_tokens"); !responses.IsNull(v) {
		r.Set("max_tokens", v)
	}
	reasoning, _ := p.Sub("reasoning")
	if v, _ := reasoning.Get("effort"); !responses.IsNull(v) {
		r.Set("reasoning_effort", v)
	}
	text, _ := p.Sub("text")
	if v, _ := text.Get("verbosity"); !responses.IsNull(v) {
		r.Set("verbosity", v)
	}
	if format, ok := text.Sub("format"); ok {
		r.Set("response_format", responseFormat(format))
	}
	return nil
}

// ToParams converts a request to the Responses dialect. Members that dialect does not have (seed, stop and the like) go
// into metadata.extra_body, from where [FromParams] takes them again; what only says how the answer travels (stream, n) is
// left out. The errors are those of [FromParams].
func ToParams(r Request) (responses.CreateParams, error) {
	if bad := checkRequest(r.Object); len(bad) > 0 {
		return responses.CreateParams{}, bad
	}
	var p responses.CreateParams
	list, _ := r.Get("messages")
	input, err := inputText(list)
	if err != nil {
		return responses.CreateParams{}, err
	}
	if v, _ := r.Get("model"); !responses.IsNull(v) {
		p.Set("model", v)
	}
	p.Set("input", input)
	if err := setToolParams(&p, r); err != nil {
		return responses.CreateParams{}, err
	}
	if err := setOtherParams(&p, r); err != nil {
		return responses.CreateParams{}, err
	}
	return responses.ParseCreateParams(p.AppendTo(nil))
}

// converted are the members that have a place of their own in the other dialect, or say only how the answer travels.
var converted = []string{
	"messages", "model", "tools", "tool_choice", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens",
	"reasoning_effort", "verbosity", "response_format",
}

func setOtherParams(p *responses.CreateParams, r Request) error {
	rest := r.Where(func(name string, _ jsontext.Value) bool {
		return !slices.Contains(converted, name) && !slices.Contains(shared, name)
	})
	p.Merge(r.Where(func(name string, v jsontext.Value) bool {
		return !slices.Contains(converted, name) && slices.Contains(shared, name) && v.Kind() != 'n'
	}))
	for _, name := range []string{"max_completion_tokens", "max_tokens"} { // the first is the newer name
		if v, _ := r.Get(name); !responses.IsNull(v) {
			p.Set("max_output_tokens", v)
			break
		}
	}
	if v, _ := r.Get("reasoning_effort"); !responses.IsNull(v) {
		var reasoning responses.Object
		reasoning.Set("effort", v)
		p.Set("reasoning", reasoning.AppendTo(nil))
	}
	setText(p, r)
	return setExtraBody(p, rest)
}

func setText(p *responses.CreateParams, r Request) {
	var text responses.Object
	if v, _ := r.Get("verbosity"); !responses.IsNull(v) {
		text.Set("verbosity", v)
	}
	if format, ok := r.Sub("response_format"); ok {
		text.Set("format", textFormat(format))
	}
	if text.Len() > 0 {
		p.Set("text", text.AppendTo(nil))
	}
}

// setExtraBody puts members that the other dialect does not have where FromParams looks for them.
func setExtraBody(p *responses.CreateParams, rest responses.Object) error {
	if rest.Len() == 0 {
		return nil
	}
	metadata, _ := p.Sub("metadata")
	own, err := jsonMember(metadata, "extra_body")
	if err != nil {
		return err
	}
	own.Merge(rest) // a request's own members win
	metadata.SetString("extra_body", string(own.AppendTo(nil)))
	p.Set("metadata", metadata.AppendTo(nil))
	return nil
}

// responseFormat wraps a format of the Responses dialect, whose schema stands beside its type here.
func responseFormat(format responses.Object) jsontext.Value {
	kind, _ := format.String("type")
	if kind != "json_schema" {
		return format.AppendTo(nil)
	}
	inner := format
	inner.Delete("type")
	var outer responses.Object
	outer.SetString("type", kind)
	outer.Set("json_schema", inner.AppendTo(nil))
	return outer.AppendTo(nil)
}

// textFormat is the reverse of responseFormat.
func textFormat(format responses.Object) jsontext.Value {
	inner, ok := format.Sub("json_schema")
	if !ok {
		return format.AppendTo(nil)
	}
	format.Delete("json_schema")
	inner.Delete("type")
	format.Merge(inner)
	return format.AppendTo(nil)
}
