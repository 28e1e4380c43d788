package chat

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
	"github.com/lensgo/lens/gym/responses/sse"
)

// Replay returns the body of an event stream that gives c as if it had been streamed, each choice in turn: its role,
// reasoning_content, content, refusal, tool_calls, the finish reason; then the usage when the client wants it, and [DONE].
// The tokens of a turn are not in a stream.
func Replay(c Completion, includeUsage bool) []byte {
	r := replay{head: chunkHead(c)}
	choices, _ := c.Array("choices")
	for i, v := range choices {
		choice, _ := responses.View(v)
		r.choice(choice, i)
	}
	if usage, _ := c.Get("usage"); includeUsage && !responses.IsNull(usage) {
		t := r.chunk()
		t.Literal(`"choices":[]`)
		t.Member("usage", usage)
		r.send(t)
	}
	return sse.AppendEvent(r.body, sse.Event{Data: []byte(responses.Done)})
}

type replay struct {
	head []byte // what begins each chunk
	body []byte
}

// chunkHead is what all chunks of a completion have in common, without the end.
func chunkHead(c Completion) []byte {
	var t splice.Text
	t.Open('{')
	for _, name := range []string{"id", "created", "model"} {
		v, _ := c.Get(name)
		t.Member(name, v)
	}
	t.Literal(`"object":"chat.completion.chunk"`)
	for name, v := range c.All() {
		if !isCompletionMember(name) && v.Kind() != 'n' {
			t.Member(name, v)
		}
	}
	return t.B
}

func (r *replay) chunk() splice.Text {
	return splice.Text{B: append(make([]byte, 0, len(r.head)+256), r.head...)}
}

// delta begins the chunk of a choice, up to what is in its delta.
func (r *replay) delta(i int) splice.Text {
	t := r.chunk()
	t.Literal(`"choices":[{"index":`)
	t.B = fmt.Appendf(t.B, "%d", i)
	t.Literal(`"delta":{`)
	return t
}

// close ends a chunk that delta began.
func (r *replay) close(t splice.Text) {
	t.Close('}')
	t.Literal(`"finish_reason":null}]`)
	r.send(t)
}

func (r *replay) send(t splice.Text) {
	t.Close('}')
	r.body = sse.AppendEvent(r.body, sse.Event{Data: splice.OneLine(t.B)})
}

func (r *replay) choice(choice responses.Object, i int) {
	message, _ := choice.Sub("message")
	t := r.delta(i)
	role, _ := message.Get("role")
	if responses.IsNull(role) {
		role = jsontext.Value(`"assistant"`)
	}
	t.Member("role", role)
	for name, v := range message.All() {
		switch name {
		case "role", "content", "refusal", "tool_calls", "reasoning_content", "reasoning":
		default:
			if !responses.IsTokenMember(name) && v.Kind() != 'n' {
				t.Member(name, v)
			}
		}
	}
	r.close(t)
	thought, _ := message.Get("reasoning_content")
	if !hasText(thought) {
		thought, _ = message.Get("reasoning")
	}
	r.text(i, "reasoning_content", thought)
	for _, name := range []string{"content", "refusal"} {
		v, _ := message.Get(name)
		r.text(i, name, v)
	}
	r.calls(i, message)
	r.end(i, choice)
}

func hasText(v jsontext.Value) bool { return !responses.IsNull(v) && len(v) > len(`""`) }

// text sends a member of a message that has something in it.
func (r *replay) text(i int, name string, v jsontext.Value) {
	if !hasText(v) {
		return
	}
	t := r.delta(i)
	t.Member(name, v)
	r.close(t)
}

func (r *replay) calls(i int, message responses.Object) {
	calls, _ := message.Array("tool_calls")
	if len(calls) == 0 {
		return
	}
	t := r.delta(i)
	t.Name("tool_calls")
	t.Open('[')
	for j, v := range calls {
		call, _ := responses.View(v)
		t.Open('{')
		t.Name("index")
		t.Int(int64(j))
		for name, v := range call.All() {
			if name != "index" {
				t.Member(name, v)
			}
		}
		t.Close('}')
	}
	t.Close(']')
	r.close(t)
}

// end sends the finish reason, with what else a choice has.
func (r *replay) end(i int, choice responses.Object) {
	t := r.delta(i)
	t.Close('}')
	reason, _ := choice.Get("finish_reason")
	t.Member("finish_reason", reason)
	if v, _ := choice.Get("logprobs"); !responses.IsNull(v) {
		t.Member("logprobs", v)
	}
	for name, v := range moreOf(choice).All() {
		if name != "delta" && name != "token_ids" {
			t.Member(name, v)
		}
	}
	t.B = append(t.B, "}]"...)
	r.send(t)
}

// Collect reads a stream of chunks to its end and returns the completion that they make up: texts and lists are joined,
// calls put together by their index, and members that nobody here knows kept. An error that the endpoint reported in the
// stream is a [*responses.UpstreamError]; a stream that ends before each choice has a finish reason, and without [DONE], is
// [responses.ErrTruncated].
func Collect(s *sse.Reader) (Completion, error) {
	var g gathered
	for {
		o, name, err := responses.NextObject(s)
		switch {
		case errors.Is(err, io.EOF) && g.finished():
			return g.completion()
		case err != nil:
			return Completion{}, responses.CollectError("completion", err)
		case name == responses.Done:
			return g.completion()
		case name == "error":
			return Completion{}, responses.EventError(o)
		}
		if err := g.chunk(o); err != nil {
			return Completion{}, responses.CollectError("completion", err)
		}
	}
}
