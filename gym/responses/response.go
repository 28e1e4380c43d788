package responses

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Response is a model's answer, or a whole trajectory that has its form.
type Response struct{ Object }

// required are the members that every response has.
var required = []string{
	"id", "created_at", "model", "object", "output", "parallel_tool_calls", "tool_choice", "tools",
}

// ParseResponse checks an answer of /v1/responses and returns a view of it: the members that every response has must be
// there, and output must be a list of objects with a type. The error is not a [FieldErrors], because a bad answer of
// another server is no fault of the caller's request; see [CheckResponse] for a response inside a request.
func ParseResponse(b []byte) (Response, error) {
	o, err := ParseObject(b)
	if err != nil {
		return Response{}, fmt.Errorf("cannot parse response: %w", err)
	}
	if bad := checkResponse(o); len(bad) > 0 {
		return Response{}, fmt.Errorf("cannot parse response: %s", strings.TrimPrefix(bad.Error(), "cannot accept body: "))
	}
	return Response{o}, nil
}

// CheckResponse views a response that is part of a request body, such as /verify's. The details have places from
// "body" on; move them with [FieldErrors.Under].
func CheckResponse(v jsontext.Value) (Response, FieldErrors) {
	if v.Kind() != '{' {
		return Response{}, FieldErrors{WrongType("model", v, "body")}
	}
	raw := trim(v)
	o := Object{raw: raw, members: split(raw)}
	if bad := checkResponse(o); len(bad) > 0 {
		return Response{}, bad
	}
	return Response{o}, nil
}

func checkResponse(o Object) FieldErrors {
	var bad FieldErrors
	for _, name := range required {
		if !o.Has(name) {
			bad = append(bad, Missing(o.AppendTo(nil), "body", name))
		}
	}
	if v, ok := o.Get("output"); ok {
		bad = append(bad, checkOutput(v)...)
	}
	return bad
}

func checkOutput(v jsontext.Value) FieldErrors {
	if v.Kind() != '[' {
		return FieldErrors{WrongType("list", v, "body", "output")}
	}
	_, bad := checkItems(v, "body", "output")
	c := cursor{b: trim(v), i: 1}
	for i := 0; ; i++ {
		e, ok := c.element()
		if !ok {
			return bad
		}
		if e[0] == '{' && !(Object{raw: e}).Has("type") {
			bad = append(bad, Missing(e, "body", "output", i, "type"))
		}
	}
}

func parseOutput(o Object) ([]Item, FieldErrors) {
	v, _ := o.Get("output")
	if bad := checkOutput(v); len(bad) > 0 {
		return nil, bad
	}
	return parseItems(v, "body", "output")
}

// Output returns what the model produced. After ParseResponse there is no error.
func (r Response) Output() ([]Item, error) {
	items, bad := parseOutput(r.Object)
	if len(bad) > 0 {
		return nil, fmt.Errorf("cannot read output of response: %s", strings.TrimPrefix(bad.Error(), "cannot accept body: "))
	}
	return items, nil
}

// SetOutput replaces what the model produced.
func (r *Response) SetOutput(items []Item) { r.Set("output", joinItems(items)) }

// Text returns the text of the assistant's messages, joined.
func (r Response) Text() string {
	items, _ := parseOutput(r.Object)
	var text string
	for _, it := range items {
		if it.Type() == TypeMessage {
			text += it.Text()
		}
	}
	return text
}

// Incomplete reports whether the model was cut short: the response has incomplete_details that are not null.
func (r Response) Incomplete() bool {
	v, ok := r.Get("incomplete_details")
	return ok && v.Kind() != 'n'
}

// IncompleteReason returns why the model was cut short, max_output_tokens or content_filter; "" when it was not or did
// not say.
func (r Response) IncompleteReason() string {
	d, _ := r.Sub("incomplete_details")
	s, _ := d.String("reason")
	return s
}

// Usage returns the token counts; nil when the member is absent or null.
func (r Response) Usage() (*Usage, error) {
	v, ok := r.Get("usage")
	if !ok || v.Kind() == 'n' {
		return nil, nil
	}
	return ParseUsage(v)
}

// SetUsage replaces the token counts; nil is null.
func (r *Response) SetUsage(u *Usage) {
	if u == nil {
		r.Set("usage", nil)
		return
	}
	r.Set("usage", u.AppendTo(nil))
}
