package responses

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Streamed is a request of a streaming client, cleaned up as far as Gym's servers need it.
type Streamed struct {
	// Params is the request without what this dialect does not know, and without stream.
	Params CreateParams
	// Dropped names what was left out: members, tools and items, with their places.
	Dropped []string
}

// WantsStream reports whether a request body asks for a stream: stream is the literal true.
func WantsStream(b jsontext.Value) bool { return false }

// ParseStreamed checks the request body of a streaming client. The error is a [FieldErrors].
func ParseStreamed(b jsontext.Value) (Streamed, error) { return Streamed{}, errors.ErrUnsupported }

// Restore gives tools in the answer the names by which the client knows them.
func (s Streamed) Restore(r Response) Response { return r }
