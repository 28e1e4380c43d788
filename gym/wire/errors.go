package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

const (
	maxSpanText  = 1 << 10 // error text on a span, bytes
	maxErrorBody = 4 << 10 // an inner body in an error's text, bytes
)

// StatusError says that a call was answered with something else than a 2xx. [Result.Err] makes it.
type StatusError struct {
	Server string // the instance, or scheme and host of a call that left the run
	Method string
	Path   string
	Status int
	Body   []byte
}

// Error has server, path, status and body, the body cut at 4 KiB. A body that is a JSON string, as that of a 500 is, is
// shown decoded, so that a cause from three hops below can still be read.
func (e *StatusError) Error() string {
	text := bodyText(e.Body)
	if text == "" {
		return e.brief() + " with an empty body"
	}
	return e.brief() + ": " + cutText(text, maxErrorBody)
}

// brief is Error without the body: what a span may show.
func (e *StatusError) brief() string {
	method := e.Method
	if method == "" {
		method = "POST"
	}
	return fmt.Sprintf("%s answered %d to %s %s", e.Server, e.Status, method, e.Path)
}

// HTTPError is an answer that a handler chose: its status and the "detail" member of its body.
type HTTPError struct {
	Status int
	Detail any // encoded as JSON; most often a string
}

func (e *HTTPError) Error() string { return fmt.Sprintf("%s: %v", e.brief(), e.Detail) }

func (e *HTTPError) brief() string { return fmt.Sprintf("the answer is %d", e.Status) }

// BodyTooLargeError says that the body of an answer is larger than the client takes.
type BodyTooLargeError struct {
	Max int64 // the bound, in bytes
}

func (e *BodyTooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than the bound of %d bytes", e.Max)
}

// NoAnswerError says that a server of the run gave no whole answer, though there was time: it died, or is not there.
type NoAnswerError struct {
	Server string // the instance
	err    error
}

func (e *NoAnswerError) Error() string { return e.err.Error() }
func (e *NoAnswerError) Unwrap() error { return e.err }

// isLost reports whether a request failed because another server of the run died, now or since the session began: then it
// may well succeed from the beginning, while any other failure would come again.
func isLost(err error) bool {
	if _, ok := errors.AsType[*NoAnswerError](err); ok {
		return true
	}
	inner, ok := errors.AsType[*StatusError](err)
	return ok && inner.Status == http.StatusGone
}

// SpanError returns err as it may stand on a span: at most 1 KiB of text, the bodies of inner answers, the details of
// [HTTPError] taken out. An error that is fit already is returned as it is; the others
// still unwrap to what they were made of. nil is nil.
func SpanError(err error) error {
	if err == nil {
		return nil
	}
	whole := err.Error()
	text := whole
	for _, p := range private(err, nil) {
		if !strings.Contains(text, p.whole) {
			// Somebody rewrote the text on the way up; only the short form is sure to be clean.
			text = p.brief
			break
		}
		text = strings.ReplaceAll(text, p.whole, p.brief)
	}
	if text = cutText(text, maxSpanText); text == whole {
		return err
	}
	return &spanError{text: text, err: err}
}

type spanError struct {
	text string
	err  error
}

func (e *spanError) Error() string { return e.text }
func (e *spanError) Unwrap() error { return e.err }

// privateText is a part of an error's text that may hold somebody's data, and what stands for it on a span.
type privateText struct{ whole, brief string }

// private collects the private parts of a tree of errors.
func private(err error, found []privateText) []privateText {
	switch e := err.(type) {
	case nil:
		return found
	case *StatusError:
		return append(found, privateText{e.Error(), e.brief()})
	case *HTTPError:
		return append(found, privateText{e.Error(), e.brief()})
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		found = private(e.Unwrap(), found)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			found = private(inner, found)
		}
	}
	return found
}

// errorReply is the reply that a handler's error becomes.
func (s *Server) errorReply(method, route string, err error) *Reply {
	if fields, ok := errors.AsType[responses.FieldErrors](err); ok {
		return withStatus(http.StatusUnprocessableEntity, fields)
	}
	if chosen, ok := errors.AsType[*HTTPError](err); ok {
		return detailReply(chosen.Status, chosen.Detail)
	}
	reply := failure(fmt.Sprintf("%s cannot serve %s %s: %v", s.name, method, route, err))
	if isLost(err) {
		reply.Status = http.StatusBadGateway
	}
	return reply
}

// detailReply is a reply of the form {"detail": ...}.
func detailReply(status int, detail any) *Reply {
	return withStatus(status, struct {
		Detail any `json:"detail"`
	}{detail})
}

func withStatus(status int, v any) *Reply {
	r, err := JSON(v)
	if err != nil {
		return failure(err.Error())
	}
	r.Status = status
	return r
}

// failure is a 500: a JSON string with the cause.
func failure(cause string) *Reply {
	b, _ := jsontext.AppendQuote(nil, cause) // an error only says that bytes outside UTF-8 were replaced
	return &Reply{Status: http.StatusInternalServerError, Body: b}
}

// bodyText shows a body in an error: a JSON string decoded, anything else as it is.
func bodyText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, `"`) {
		if b, err := jsontext.AppendUnquote(nil, text); err == nil {
			return string(b)
		}
	}
	return text
}

// cutText cuts a text at limit bytes, between two characters, and says that it did.
func cutText(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	const mark = " [cut]"
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
