package messages

import (
	"errors"

	"github.com/lensgo/lens/gym/responses"
)

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

// Prepare makes a request that a client sent in this dialect ready for the upstream, as [FromParams] does with the ones
// that it converts.
func (o Options) Prepare(r Request) (Request, error) { return r, nil }

// Request is the request body of /v1/messages.
type Request struct{ responses.Object }

// ParseRequest checks a request body and returns a view of it. The error is a [responses.FieldErrors].
func ParseRequest(b []byte) (Request, error) { return Request{}, errors.ErrUnsupported }

// Stream reports whether the client wants a stream: stream is the literal true.
func (r Request) Stream() bool { return false }

// FromParams converts a request of the Responses dialect and makes it ready for the upstream.
func FromParams(p responses.CreateParams, o Options) (Request, error) {
	return Request{}, errors.ErrUnsupported
}

// ToParams converts a request to the Responses dialect.
func ToParams(r Request) (responses.CreateParams, error) {
	return responses.CreateParams{}, errors.ErrUnsupported
}
