package responses

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses/internal/splice"
	"github.com/lensgo/lens/gym/responses/sse"
)

// NewID returns a random id with the prefix: msg_ and 32 hexadecimal digits.
func NewID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return prefix + hex.EncodeToString(b[:])
}

// Replay returns the body of an event stream that gives r as if it had been streamed: response.created, a
// response.output_item.done for each item, response.completed. Token counts that are unknown are 0 in it, because clients
// that read streams refuse null there and ask again.
func Replay(r Response) []byte {
	r = withWireUsage(r)
	items, _ := r.Array("output")
	begun := r
	begun.SetString("status", "in_progress")
	begun.Set("output", jsontext.Value("[]"))
	body := make([]byte, 0, 2*r.size()+begun.size()+512)
	body = appendLifecycle(body, "response.created", begun)
	for i, item := range items {
		t := splice.Text{B: append(make([]byte, 0, len(item)+80), '{')}
		t.Literal(`"type":"response.output_item.done"`)
		t.Name("output_index")
		t.Int(int64(i))
		t.Member("item", item)
		t.Close('}')
		body = sse.AppendEvent(body, sse.Event{Name: "response.output_item.done", Data: splice.OneLine(t.B)})
	}
	return appendLifecycle(body, "response.completed", r)
}

// ReplayFailure returns the body of an event stream that says that there is no answer to p: response.created and
// response.failed, with the code server_error and the message.
func ReplayFailure(p CreateParams, message string) []byte {
	r := Answer{ID: NewID("resp_"), Output: jsontext.Value("[]")}.Response(p)
	r.SetString("status", "in_progress")
	body := appendLifecycle(nil, "response.created", r)
	r.SetString("status", "failed")
	var fault Object
	fault.SetString("code", "server_error")
	fault.SetString("message", message)
	r.Set("error", fault.AppendTo(nil))
	return appendLifecycle(body, "response.failed", r)
}

func appendLifecycle(body []byte, event string, r Response) []byte {
	t := splice.Text{B: append(make([]byte, 0, r.size()+80), '{')}
	t.StringMember("type", event)
	t.Name("response")
	t.B = r.AppendTo(t.B)
	t.Close('}')
	return sse.AppendEvent(body, sse.Event{Name: event, Data: splice.OneLine(t.B)})
}

// withWireUsage gives unknown details of the usage as 0.
func withWireUsage(r Response) Response {
	usage, ok := r.Sub("usage")
	if !ok {
		return r
	}
	changed := false
	for _, d := range [...]struct{ object, name string }{
		{"input_tokens_details", "cached_tokens"}, {"output_tokens_details", "reasoning_tokens"},
	} {
		details, _ := usage.Sub(d.object)
		if v, _ := details.Get(d.name); IsNull(v) {
			details.SetInt(d.name, 0)
			usage.Set(d.object, details.AppendTo(nil))
			changed = true
		}
	}
	if changed {
		r.Set("usage", usage.AppendTo(nil))
	}
	return r
}

// Collect reads a stream of this dialect to its end and returns the answer. An error that the endpoint reported in the
// stream is an [*UpstreamError], an end before the answer is complete [ErrTruncated].
func Collect(s *sse.Reader) (Response, error) {
	items := map[int64]jsontext.Value{}
	for {
		o, name, err := NextObject(s)
		if err != nil {
			return Response{}, CollectError("response", err)
		}
		switch name {
		case Done:
			return Response{}, CollectError("response", io.EOF)
		case "error":
			return Response{}, EventError(o)
		case "response.output_item.done":
			index, _ := o.Int("output_index")
			if item, ok := o.Sub("item"); ok {
				items[index] = item.AppendTo(nil)
			}
		case "response.failed":
			r, _ := o.Sub("response")
			v, _ := r.Get("error")
			return Response{}, ParseUpstreamError(v)
		case "response.completed", "response.incomplete", "response.done":
			return collected(o, items)
		}
	}
}

// collected is the answer in the last event, with the items of the events before when it has none itself.
func collected(o Object, items map[int64]jsontext.Value) (Response, error) {
	v, _ := o.Get("response")
	view, ok := View(v)
	if !ok {
		return Response{}, fmt.Errorf("cannot collect response: the last event holds %s, not a response", describe(v))
	}
	if list, _ := view.Array("output"); len(list) == 0 && len(items) > 0 {
		order := make([]int64, 0, len(items))
		for i := range items {
			order = append(order, i)
		}
		slices.Sort(order)
		t := splice.Text{}
		t.Open('[')
		for _, i := range order {
			t.Raw(items[i])
		}
		t.Close(']')
		view.Set("output", t.B)
	}
	return ParseResponse(view.AppendTo(nil))
}

// EventError is the error that an event of type error reports, in its member error or in the event itself.
func EventError(o Object) *UpstreamError {
	if v, ok := o.Get("error"); ok && v.Kind() != 'n' {
		return ParseUpstreamError(v)
	}
	o.Delete("type") // it says that it is an error
	return ParseUpstreamError(o.AppendTo(nil))
}

// Done is what endpoints send when a stream is complete; some leave it out.
const Done = "[DONE]"

// NextObject returns the next event of a stream whose events are JSON objects, with the event's type: the member type, or
// the event's name. An event with the member error is of type error, and [Done] has that as type and no object. The error
// is io.EOF at the end of the stream.
func NextObject(s *sse.Reader) (o Object, name string, err error) {
	var e sse.Event
	for len(trim(e.Data)) == 0 { // some keep a connection alive with empty events
		if e, err = s.Next(); err != nil {
			return Object{}, "", err
		}
	}
	if string(trim(e.Data)) == Done {
		return Object{}, Done, nil
	}
	o, err = ParseObject(e.Data)
	if err != nil {
		if e.Name == "error" {
			return Object{}, "", ParseUpstreamError(splice.AppendString(nil, string(e.Data)))
		}
		return Object{}, "", ExplainNonJSON(fmt.Errorf("cannot read event of stream: %w", err), e.Data)
	}
	name, ok := o.String("type")
	if !ok {
		name = e.Name
	}
	if v, ok := o.Get("error"); ok && v.Kind() != 'n' && name != "response.failed" {
		name = "error"
	}
	return o, name, nil
}

// CollectError is the error of reading a stream: io.EOF is [ErrTruncated] in it, and an [*UpstreamError] stands for itself.
func CollectError(what string, err error) error {
	if _, ok := errors.AsType[*UpstreamError](err); ok {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = ErrTruncated
	}
	return fmt.Errorf("cannot collect %s: %w", what, err)
}
