package chat

import (
	"errors"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/sse"
)

// Completion is an answer of /v1/chat/completions.
type Completion struct{ responses.Object }

// ParseCompletion checks an answer and returns a view of it. An error that the endpoint reported with a status of 200 is
// a [*responses.UpstreamError].
func ParseCompletion(b []byte) (Completion, error) { return Completion{}, errors.ErrUnsupported }

// Overflow returns the completion that stands for a request which was longer than the model's context: empty, with the
// finish reason length.
func Overflow(r Request, o Options) Completion { return Completion{} }

// ToResponse converts an answer to the Responses dialect; p is the request that it answers.
func ToResponse(c Completion, p responses.CreateParams, o Options) (responses.Response, error) {
	return responses.Response{}, errors.ErrUnsupported
}

// FromResponse converts an answer of the Responses dialect.
func FromResponse(r responses.Response) (Completion, error) {
	return Completion{}, errors.ErrUnsupported
}

// Replay returns the body of an event stream that gives c as if it had been streamed.
func Replay(c Completion, includeUsage bool) []byte { return nil }

// Collect reads a stream of chunks to its end and returns the completion that they make up. An error that the endpoint
// reported in the stream is a [*responses.UpstreamError].
func Collect(s *sse.Reader) (Completion, error) { return Completion{}, errors.ErrUnsupported }
