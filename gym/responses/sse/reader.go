package sse

import (
	"errors"
	"io"
)

// Options says what a [Reader] puts up with. The zero value is usable.
type Options struct {
	// MaxEvent is the largest event, in bytes; 0 is [DefaultMaxEvent].
	MaxEvent int
}

// DefaultMaxEvent is the largest event that a [Reader] takes unless told otherwise, in bytes.
const DefaultMaxEvent = 64 << 20

// ErrTooLong is the error of an event beyond the bound.
var ErrTooLong = errors.New("event is too long")

// Reader reads the events of a stream. It is not safe for concurrent use.
type Reader struct{}

// NewReader returns a reader of the events of r.
func NewReader(r io.Reader, o Options) *Reader { return &Reader{} }

// Next returns the next event; the error is io.EOF at the end of the stream, and an event that was not ended by an empty
// line is returned before it.
func (r *Reader) Next() (Event, error) { return Event{}, io.EOF }
