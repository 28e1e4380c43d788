package responses

import (
	"errors"

	"github.com/lensgo/lens/gym/responses/sse"
)

// Replay returns the body of an event stream that gives r as if it had been streamed: response.created, an
// response.output_item.done for each item, response.completed (or response.incomplete).
func Replay(r Response) []byte { return nil }

// ReplayFailure returns the body of an event stream that says that there is no answer to p: response.created,
// response.failed with the code server_error and the message.
func ReplayFailure(p CreateParams, message string) []byte { return nil }

// Collect reads a stream of the Responses dialect to its end and returns the answer. An error that the endpoint reported
// in the stream is an [*UpstreamError].
func Collect(s *sse.Reader) (Response, error) { return Response{}, errors.ErrUnsupported }
