package chat

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Completion is an answer of /v1/chat/completions.
type Completion struct{ responses.Object }

// ParseCompletion checks an answer and returns a view of it: there must be a choice with a message. An error that the
// endpoint reported with a status of 200 is a [*responses.UpstreamError]; no error is a [responses.FieldErrors], because a
// bad answer is no fault of the caller's request.
func ParseCompletion(b []byte) (Completion, error) {
	o, err := responses.ParseObject(b)
	if err != nil {
		return Completion{}, responses.ExplainNonJSON(fmt.Errorf("cannot parse completion: %w", err), b)
	}
	c := Completion{o}
	if v, _ := o.Get("error"); !responses.IsNull(v) && !o.Has("choices") {
		return Completion{}, responses.ParseUpstreamError(v)
	}
	if _, _, err := c.first(); err != nil {
		return Completion{}, fmt.Errorf("cannot parse completion: %w", err)
	}
	return c, nil
}

// first returns the first choice and its message.
func (c Completion) first() (choice, message responses.Object, err error) {
	choices, ok := c.Array("choices")
	if !ok {
		return choice, message, errors.New("it has no list of choices")
	}
	if len(choices) == 0 {
		return choice, message, errors.New("the endpoint answered without a choice: its list of choices is empty")
	}
	choice, ok = responses.View(choices[0])
	if ok {
		message, ok = choice.Sub("message")
	}
	if !ok {
		return choice, message, errors.New("its first choice has no message")
	}
	return choice, message, nil
}

// IsOverflow reports whether an endpoint's refusal says that the request was longer than the model's context: status 400
// and a text about the context length or max_tokens.
func IsOverflow(status int, body []byte) bool {
	text := string(body)
	return status == 400 && (strings.Contains(text, "context length") || strings.Contains(text, "max_tokens"))
}

// Overflow returns the completion that stands for a request which was longer than the model's context: empty, with the
// finish reason length.
func Overflow(r Request, o Options) Completion {
	var t splice.Text
	t.Open('{')
	t.StringMember("id", o.newID("chatcmpl-"))
	t.Literal(`"object":"chat.completion"`)
	t.Name("created")
	t.Int(time.Now().Unix())
	v, _ := r.Get("model")
	if responses.IsNull(v) {
		v = jsontext.Value(`""`)
	}
	t.Member("model", v)
	t.Literal(`"choices":[{"index":0,"message":{"role":"assistant","content":null},"logprobs":null,"finish_reason":"length"}]`)
	t.Close('}')
	c, _ := responses.View(t.B)
	return Completion{c}
}

// finishReasons are the reasons for which a response is incomplete.
var finishReasons = map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}

// ToResponse converts an answer to the Responses dialect; p is the request that it answers. Only the first choice counts.
// Members that nobody here knows are carried along, those of the choice in the member choice.
func ToResponse(c Completion, p responses.CreateParams, o Options) (responses.Response, error) {
	choice, message, err := c.first()
	if err != nil {
		return responses.Response{}, fmt.Errorf("cannot convert completion: %w", err)
	}
	v, _ := c.Get("choices")
	t := &splice.Text{B: make([]byte, 0, len(v)+256)}
	t.Open('[')
	w := itemWriter{t: t, loc: []any{"choices", 0, "message"}, newID: o.newID, parser: o.ReasoningParser, tokens: o.TokenIDs,
		logprobs: logprobs(choice)}
	if err := w.message(message); err != nil {
		return responses.Response{}, answerError("completion", err)
	}
	t.Close(']')
	reason, _ := choice.String("finish_reason")
	usage, _ := c.Get("usage")
	model, _ := c.String("model")
	created, _ := c.Get("created")
	r := responses.Answer{ID: o.newID("resp_"), CreatedAt: created, Model: model, Output: t.B,
		Incomplete: finishReasons[reason], Usage: responsesUsage(usage)}.Response(p)
	r.Merge(c.Where(func(name string, v jsontext.Value) bool {
		return !isCompletionMember(name) && (name == "service_tier" || !responses.IsResponseMember(name)) && v.Kind() != 'n'
	}))
	if more := moreOf(choice); more.Len() > 0 {
		r.Set(moreChoice, more.AppendTo(nil))
	}
	return r, nil
}

// moreChoice is the member of a response that holds what a choice had beside what has a place of its own.
const moreChoice = "choice"

func isCompletionMember(name string) bool {
	switch name {
	case "id", "object", "created", "model", "choices", "usage", moreChoice:
		return true
	}
	return false
}

// moreOf are the members of a choice that nobody here knows.
func moreOf(choice responses.Object) responses.Object {
	return choice.Where(func(name string, v jsontext.Value) bool {
		switch name {
		case "index", "message", "finish_reason", "logprobs":
			return false
		}
		return v.Kind() != 'n'
	})
}

// logprobs returns the log probabilities of a choice's text, which have the same form in both dialects; nil for none.
func logprobs(choice responses.Object) jsontext.Value {
	o, _ := choice.Sub("logprobs")
	v, _ := o.Get("content")
	if v.Kind() != '[' {
		return nil
	}
	return v
}

// answerError is the error of an answer that is wrong, which is no fault of the caller's request.
func answerError(what string, err error) error {
	if bad, ok := errors.AsType[responses.FieldErrors](err); ok {
		return fmt.Errorf("cannot convert %s: %s", what, strings.TrimPrefix(bad.Error(), "cannot accept body: "))
	}
	return fmt.Errorf("cannot convert %s: %w", what, err)
}

// FromResponse converts an answer of the Responses dialect. Reasoning goes into reasoning_content. A response that failed is
// a [*responses.UpstreamError].
func FromResponse(r responses.Response) (Completion, error) {
	if status, _ := r.String("status"); status == "failed" {
		v, _ := r.Get("error")
		return Completion{}, responses.ParseUpstreamError(v)
	}
	items, err := r.Output()
	if err != nil {
		return Completion{}, err
	}
	w := &messageWriter{o: Options{ReasoningParser: true, InterleavedReasoning: true, TokenIDs: true}, list: "output", answer: true}
	w.turn.begun = true
	called := false
	var probs jsontext.Value
	for i, it := range items {
		switch kind := it.Type(); kind {
		case responses.TypeMessage, responses.TypeReasoning, responses.TypeFunctionCall:
			called = called || kind == responses.TypeFunctionCall
			err = w.item(it, i)
		default:
			err = unsupported(fmt.Sprintf("an item of type %.64q", kind), "output", i)
		}
		if err != nil {
			return Completion{}, answerError("response", err)
		}
		if p := partLogprobs(it); p != nil {
			probs = p
		}
	}
	w.flush()
	return completionOf(r, w.t.B, probs, called), nil
}

// partLogprobs are the log probabilities of a message; nil for none.
func partLogprobs(it responses.Item) jsontext.Value {
	parts, _ := it.Array("content")
	for _, v := range parts {
		part, _ := responses.View(v)
		if list, _ := part.Array("logprobs"); len(list) > 0 {
			probs, _ := part.Get("logprobs")
			return probs
		}
	}
	return nil
}

// completionOf puts a message into a completion.
func completionOf(r responses.Response, message, probs jsontext.Value, called bool) Completion {
	var t splice.Text
	t.B = make([]byte, 0, len(message)+512)
	t.Open('{')
	id, _ := r.String("id")
	t.StringMember("id", "chatcmpl-"+strings.TrimPrefix(id, "resp_"))
	t.Literal(`"object":"chat.completion"`)
	created, _ := r.Float("created_at")
	t.Name("created")
	t.Int(int64(created))
	model, _ := r.Get("model")
	t.Member("model", model)
	t.Literal(`"choices":[{"index":0`)
	t.Member("message", message)
	if probs != nil {
		t.Literal(`"logprobs":{`)
		t.Member("content", probs)
		t.Close('}')
	} else {
		t.Literal(`"logprobs":null`)
	}
	t.StringMember("finish_reason", finishReason(r, called))
	more, _ := r.Sub(moreChoice)
	for name, v := range moreOf(more).All() {
		t.Member(name, v)
	}
	t.Close('}')
	t.Close(']')
	usage, ok := r.Sub("usage")
	if ok {
		t.Member("usage", chatUsage(usage))
	}
	for name, v := range r.All() {
		if !isCompletionMember(name) && (name == "service_tier" || !responses.IsResponseMember(name)) && v.Kind() != 'n' {
			t.Member(name, v)
		}
	}
	t.Close('}')
	c, _ := responses.View(t.B)
	return Completion{c}
}

func finishReason(r responses.Response, called bool) string {
	if r.Incomplete() {
		if r.IncompleteReason() == "content_filter" {
			return "content_filter"
		}
		return "length"
	}
	if called {
		return "tool_calls"
	}
	return "stop"
}
