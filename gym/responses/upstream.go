package responses

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// UnsupportedError says that a dialect has no counterpart for something in a body, as opposed to a body that is wrong. It
// names types and places, never content.
type UnsupportedError struct {
	// Loc is the place, as in [Detail].
	Loc []any
	// What is the thing, with the article: an item of type "compaction".
	What string
	// Dialect is the one that lacks it: Chat Completions.
	Dialect string
}

func (e *UnsupportedError) Error() string {
	var loc strings.Builder
	for i, p := range e.Loc {
		if i > 0 {
			loc.WriteByte('.')
		}
		fmt.Fprint(&loc, p)
	}
	return fmt.Sprintf("cannot convert %s to %s, which has no counterpart for %s: use a model server that speaks the dialect itself",
		loc.String(), e.Dialect, e.What)
}

// ErrTruncated is the error of a stream that ended before the answer was complete.
var ErrTruncated = errors.New("the stream ended before the answer was complete")

// UpstreamError is an error that a model's endpoint reported inside a stream, or with a status of 200.
type UpstreamError struct {
	// Status is the HTTP status that the endpoint gave as a code, or that its type stands for; else 502.
	Status int
	// Type and Code are as the endpoint named them; either may be "".
	Type, Code string
	// Message is the endpoint's text, cut at 1 KiB.
	Message string
}

func (e *UpstreamError) Error() string {
	kind := e.Type
	if kind == "" {
		kind = e.Code
	}
	if kind != "" {
		kind = ", " + kind
	}
	return fmt.Sprintf("the model's endpoint reported an error (%d%s): %s", e.Status, kind, e.Message)
}

// upstreamStatus are the statuses that go with the types and codes of errors.
var upstreamStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429, "insufficient_quota": 429,
	"api_error": 500, "server_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

// ParseUpstreamError reads the member error of a body or an event: an object with a message, or a text.
func ParseUpstreamError(v jsontext.Value) *UpstreamError {
	const most = 1 << 10
	e := &UpstreamError{Status: 502}
	if o, ok := View(v); ok {
		e.Message, _ = o.String("message")
		e.Type, _ = o.String("type")
		code, _ := o.Get("code")
		e.Code, _ = Text(code)
		if code.Kind() == '0' {
			e.Code = string(code)
		}
	} else if s, ok := Text(v); ok {
		e.Message = s
	}
	if e.Message == "" {
		e.Message = "it gave no text"
	}
	if len(e.Message) > most {
		e.Message = strings.ToValidUTF8(e.Message[:most], "") + " ..."
	}
	for _, word := range []string{e.Type, e.Code} {
		if status := upstreamStatus[word]; status != 0 {
			e.Status = status
		}
	}
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n <= 599 {
		e.Status = n
	}
	return e
}

// ExplainNonJSON says in an error about a body that is no JSON what often is the reason: numbers that only Python has.
func ExplainNonJSON(err error, b []byte) error {
	for _, word := range []string{"-Infinity", "Infinity", "NaN"} {
		if bytes.Contains(b, []byte(word)) {
			return fmt.Errorf("%w (it may be a bare %s, which JSON does not have)", err, word)
		}
	}
	return err
}
