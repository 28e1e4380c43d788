package messages

import (
	"errors"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/sse"
)

// Message is an answer of /v1/messages.
type Message struct{ responses.Object }

// ParseMessage checks an answer and returns a view of it. An error that the endpoint reported with a status of 200 is a
// [*responses.UpstreamError].
func ParseMessage(b []byte) (Message, error) { return Message{}, errors.ErrUnsupported }

// ToResponse converts an answer to the Responses dialect; p is the request that it answers.
func ToResponse(m Message, p responses.CreateParams, o Options) (responses.Response, error) {
	return responses.Response{}, errors.ErrUnsupported
}

// FromResponse converts an answer of the Responses dialect.
func FromResponse(r responses.Response) (Message, error) { return Message{}, errors.ErrUnsupported }

// Replay returns the body of an event stream that gives m as if it had been streamed.
func Replay(m Message) []byte { return nil }

// Collect reads a stream to its end and returns the message that its events make up. An error that the endpoint reported
// in the stream is a [*responses.UpstreamError].
func Collect(s *sse.Reader) (Message, error) { return Message{}, errors.ErrUnsupported }
