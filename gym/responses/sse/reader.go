package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Options says what a [Reader] puts up with. The zero value is usable.
type Options struct {
	// MaxEvent is the largest line and the largest event, in bytes; 0 is [DefaultMaxEvent].
	MaxEvent int
	// MaxStream is the longest stream, in bytes; 0 is [DefaultMaxStream].
	MaxStream int64
}

// The bounds of a [Reader] that is not told others, in bytes. An answer with a long list of token ids comes in one line.
const (
	DefaultMaxEvent  = 64 << 20
	DefaultMaxStream = 256 << 20
)

// ErrTooLong is the error of a line, an event or a stream beyond its bound; the error that wraps it says which.
var ErrTooLong = errors.New("it is longer than allowed")

// Reader reads the events of a stream. It is not safe for concurrent use.
type Reader struct {
	r         io.Reader
	maxEvent  int
	maxStream int64

	chunk []byte // what was read and not looked at yet
	buf   []byte
	line  []byte // the beginning of a line that goes on in the next chunk
	total int64
	begun bool // the first line was read: a byte order mark may stand before it
	afterCR,
	ended bool

	name, id string
	data     []byte
	hasData  bool
	err      error
}

// NewReader returns a reader of the events of r, which it reads no further than it must.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxEvent <= 0 {
		o.MaxEvent = DefaultMaxEvent
	}
	if o.MaxStream <= 0 {
		o.MaxStream = DefaultMaxStream
	}
	return &Reader{r: r, maxEvent: o.MaxEvent, maxStream: o.MaxStream}
}

// Next returns the next event that has data. The error is io.EOF at the end of the stream; it stays the same from then on.
// An event that the stream ended without the empty line is returned before it: some endpoints leave it out, and whether
// an answer is complete is for the caller to see in the events.
func (r *Reader) Next() (Event, error) {
	for r.err == nil {
		line, err := r.readLine()
		if err != nil {
			r.err = err
			break
		}
		if len(line) > 0 {
			r.err = r.field(line)
			continue
		}
		if r.hasData {
			return r.dispatch(), nil
		}
		r.name = ""
	}
	if errors.Is(r.err, io.EOF) && r.hasData {
		return r.dispatch(), nil
	}
	return Event{}, r.err
}

// dispatch hands out the event that the lines so far make up.
func (r *Reader) dispatch() Event {
	e := Event{Name: r.name, ID: r.id, Data: r.data}
	r.name, r.data, r.hasData = "", nil, false
	return e
}

// field takes one line that is not empty.
func (r *Reader) field(line []byte) error {
	name, value, found := bytes.Cut(line, []byte(":"))
	if len(name) == 0 {
		return nil // a comment
	}
	if found {
		value = bytes.TrimPrefix(value, []byte(" "))
	}
	switch string(name) {
	case "data":
		if len(r.data)+len(value)+1 > r.maxEvent {
			return fmt.Errorf("cannot read event of stream beyond %d bytes: %w", r.maxEvent, ErrTooLong)
		}
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	case "event":
		r.name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	}
	return nil
}

// readLine returns the next line without its end, which is CR LF, LF or CR. It is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if len(r.chunk) == 0 {
			if err := r.fill(); err != nil {
				return r.lastLine(err)
			}
		}
		if r.afterCR {
			r.afterCR = false
			if r.chunk[0] == '\n' {
				r.chunk = r.chunk[1:]
				continue
			}
		}
		n := lineEnd(r.chunk)
		if n < 0 {
			if len(r.line)+len(r.chunk) > r.maxEvent+len("data: ") {
				return nil, fmt.Errorf("cannot read line of stream beyond %d bytes: %w", r.maxEvent, ErrTooLong)
			}
			r.line = append(r.line, r.chunk...)
			r.chunk = nil
			continue
		}
		line := r.chunk[:n]
		r.afterCR = r.chunk[n] == '\r'
		r.chunk = r.chunk[n+1:]
		if len(r.line) > 0 {
			r.line = append(r.line, line...)
			line = r.line
		}
		return r.withoutMark(line), nil
	}
}

// lastLine returns what stands after the last line end, once.
func (r *Reader) lastLine(err error) ([]byte, error) {
	if errors.Is(err, io.EOF) && len(r.line) > 0 && !r.ended {
		r.ended = true
		return r.withoutMark(r.line), nil
	}
	return nil, err
}

// withoutMark takes a byte order mark off the first line.
func (r *Reader) withoutMark(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
}

func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		n = len(b)
	}
	if cr := bytes.IndexByte(b[:n], '\r'); cr >= 0 {
		return cr
	}
	if n == len(b) {
		return -1
	}
	return n
}

// emptyReads is how many reads without a byte and without an error are put up with in a row.
const emptyReads = 100

// fill reads the next chunk.
func (r *Reader) fill() error {
	if r.buf == nil {
		r.buf = make([]byte, 16<<10)
	}
	for range emptyReads {
		n, err := r.r.Read(r.buf)
		if n > 0 {
			r.chunk = r.buf[:n]
			if r.total += int64(n); r.total > r.maxStream {
				return fmt.Errorf("cannot read stream beyond %d bytes: %w", r.maxStream, ErrTooLong)
			}
			return nil // an error comes again
		}
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return fmt.Errorf("cannot read stream: %w", err)
		}
	}
	return fmt.Errorf("cannot read stream: %w", io.ErrNoProgress)
}
