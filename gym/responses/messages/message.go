package messages

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Message is an answer of /v1/messages.
type Message struct{ responses.Object }

// ParseMessage checks an answer and returns a view of it: there must be a list of blocks. An error that the endpoint
// reported with a status of 200 is a [*responses.UpstreamError]; no error is a [responses.FieldErrors], because a bad answer
// is no fault of the caller's request.
func ParseMessage(b []byte) (Message, error) {
	o, err := responses.ParseObject(b)
	if err != nil {
		return Message{}, responses.ExplainNonJSON(fmt.Errorf("cannot parse message: %w", err), b)
	}
	if v, _ := o.Get("error"); !responses.IsNull(v) && !o.Has("content") {
		return Message{}, responses.ParseUpstreamError(v)
	}
	blocks, ok := o.Array("content")
	if !ok {
		return Message{}, errors.New("cannot parse message: it has no list of content")
	}
	for i, v := range blocks {
		if v.Kind() != '{' {
			return Message{}, fmt.Errorf("cannot parse message: block %d of its content is no object", i)
		}
	}
	return Message{o}, nil
}

// stopReasons are the reasons for which a response is incomplete.
var stopReasons = map[string]string{
	"max_tokens": "max_output_tokens", "model_context_window_exceeded": "max_output_tokens", "refusal": "content_filter",
}

// ToResponse converts an answer to the Responses dialect; p is the request that it answers. Members that nobody here knows
// are carried along.
func ToResponse(m Message, p responses.CreateParams, o Options) (responses.Response, error) {
	content, _ := m.Get("content")
	t := &splice.Text{B: make([]byte, 0, len(content)+len(content)/4+256)}
	t.Open('[')
	w := itemWriter{t: t, role: "assistant", loc: []any{"content"}, newID: o.newID}
	if err := w.blocks(content); err != nil {
		return responses.Response{}, answerError("message", err)
	}
	if len(t.B) == len("[") { // an answer has an item at least
		w.parts = []placed{{0, jsontext.Value(`{"type":"text","text":""}`)}}
		_ = w.flush() // an answer's texts have no errors
	}
	t.Close(']')
	stop, _ := m.String("stop_reason")
	model, _ := m.String("model")
	usage, _ := m.Get("usage")
	r := responses.Answer{ID: o.newID("resp_"), Model: model, Output: t.B, Incomplete: stopReasons[stop],
		Usage: responsesUsage(usage)}.Response(p)
	r.Merge(m.Where(func(name string, v jsontext.Value) bool {
		return !isMessageMember(name) && !responses.IsResponseMember(name) && v.Kind() != 'n'
	}))
	return r, nil
}

func isMessageMember(name string) bool {
	switch name {
	case "id", "type", "role", "model", "content", "stop_reason", "usage":
		return true
	}
	return false
}

// responsesUsage converts token counts; nil for none. Members that nobody here knows stay.
func responsesUsage(v jsontext.Value) jsontext.Value {
	u, ok := responses.View(v)
	if !ok {
		return nil
	}
	in, _ := u.Int("input_tokens")
	written, _ := u.Int("output_tokens")
	out := responses.NewUsage(in, written)
	if cached, _ := u.Get("cache_read_input_tokens"); cached.Kind() == '0' {
		var details responses.Object
		details.Set("cached_tokens", cached)
		out.Set("input_tokens_details", details.AppendTo(nil))
	}
	for name, v := range u.All() {
		if !out.Has(name) {
			out.Set(name, v)
		}
	}
	return out.AppendTo(nil)
}

// messageUsage is the reverse of responsesUsage; counts that are not known are 0, which this dialect asks for.
func messageUsage(u responses.Object) jsontext.Value {
	var out responses.Object
	for _, name := range []string{"input_tokens", "output_tokens"} {
		v, _ := u.Get(name)
		if responses.IsNull(v) {
			v = jsontext.Value("0")
		}
		out.Set(name, v)
	}
	for name, v := range u.All() {
		switch name {
		case "input_tokens", "output_tokens", "input_tokens_details", "output_tokens_details", "total_tokens":
		default:
			out.Set(name, v)
		}
	}
	return out.AppendTo(nil)
}

// answerError is the error of an answer that is wrong, which is no fault of the caller's request.
func answerError(what string, err error) error {
	if bad, ok := errors.AsType[responses.FieldErrors](err); ok {
		return fmt.Errorf("cannot convert %s: %s", what, strings.TrimPrefix(bad.Error(), "cannot accept body: "))
	}
	return fmt.Errorf("cannot convert %s: %w", what, err)
}

// FromResponse converts an answer of the Responses dialect. The tokens of a turn have no place in this dialect. A response
// that failed is a [*responses.UpstreamError].
func FromResponse(r responses.Response) (Message, error) {
	if status, _ := r.String("status"); status == "failed" {
		v, _ := r.Get("error")
		return Message{}, responses.ParseUpstreamError(v)
	}
	items, err := r.Output()
	if err != nil {
		return Message{}, err
	}
	w := &blockWriter{list: "output", role: "assistant"}
	w.t.Open('[')
	called := false
	for i, it := range items {
		kind := it.Type()
		if kind == responses.TypeFunctionCallOutput || kind == responses.TypeMessage && it.Role() != "assistant" {
			return Message{}, answerError("response", unsupported(fmt.Sprintf("an item of type %.64q that is not the model's", kind), "output", i))
		}
		called = called || kind == responses.TypeFunctionCall
		if err := w.item(it, i); err != nil {
			return Message{}, answerError("response", err)
		}
	}
	w.t.Close(']')
	return messageOf(r, w.t.B, called), nil
}

// messageOf puts blocks into a message.
func messageOf(r responses.Response, content jsontext.Value, called bool) Message {
	t := splice.Text{B: make([]byte, 0, len(content)+512)}
	t.Open('{')
	id, _ := r.String("id")
	t.StringMember("id", "msg_"+strings.TrimPrefix(id, "resp_"))
	t.Literal(`"type":"message","role":"assistant"`)
	model, _ := r.Get("model")
	t.Member("model", model)
	t.Member("content", content)
	t.StringMember("stop_reason", stopReason(r, called))
	if sequence, _ := r.Get("stop_sequence"); responses.IsNull(sequence) {
		t.Literal(`"stop_sequence":null`)
	}
	usage, _ := r.Sub("usage")
	t.Member("usage", messageUsage(usage))
	for name, v := range r.All() {
		if !isMessageMember(name) && !responses.IsResponseMember(name) && v.Kind() != 'n' {
			t.Member(name, v)
		}
	}
	t.Close('}')
	m, _ := responses.View(t.B)
	return Message{m}
}

func stopReason(r responses.Response, called bool) string {
	sequence, _ := r.Get("stop_sequence")
	switch {
	case r.IncompleteReason() == "content_filter":
		return "refusal"
	case r.Incomplete():
		return "max_tokens"
	case called:
		return "tool_use"
	case !responses.IsNull(sequence):
		return "stop_sequence"
	}
	return "end_turn"
}
