package chat

import (
	"errors"

	"github.com/lensgo/lens/gym/responses"
)

// Request is the request body of /v1/chat/completions.
type Request struct{ responses.Object }

// ParseRequest checks a request body and returns a view of it. The error is a [responses.FieldErrors].
func ParseRequest(b []byte) (Request, error) { return Request{}, errors.ErrUnsupported }

// Stream reports whether the client wants a stream: stream is the literal true.
func (r Request) Stream() bool { return false }

// IncludeUsage reports whether the client wants token counts at the end of the stream.
func (r Request) IncludeUsage() bool { return false }

// FromParams converts a request of the Responses dialect and makes it ready for the upstream.
func FromParams(p responses.CreateParams, o Options) (Request, error) {
	return Request{}, errors.ErrUnsupported
}

// ToParams converts a request to the Responses dialect.
func ToParams(r Request) (responses.CreateParams, error) {
	return responses.CreateParams{}, errors.ErrUnsupported
}
