package responses

import "fmt"

// UnsupportedError says that a conversion has no counterpart for something in the body, as opposed to a body that is
// wrong. It names types and places, never content.
type UnsupportedError struct {
	// Loc is the place, as in [Detail].
	Loc []any
	// What is the thing: item of type "compaction".
	What string
	// Dialect is the one that lacks it: Chat Completions.
	Dialect string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("cannot convert %v: %s", e.Loc, e.What)
}

// UpstreamError is an error that a model's endpoint reported inside a stream or an answer whose status was 200.
type UpstreamError struct {
	// Status is the HTTP status that the endpoint gave in place of a code, or 502.
	Status int
	// Type and Code are as the endpoint named them; either may be "".
	Type, Code string
	// Message is the endpoint's text.
	Message string
}

func (e *UpstreamError) Error() string {
	return fmt.Sprintf("the endpoint reported an error (status %d): %s", e.Status, e.Message)
}
