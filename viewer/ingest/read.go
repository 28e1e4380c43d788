package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TornError says that the last line of a file has no line break and is not whole: the writer died, or is still at it.
// Everything before it was read.
type TornError struct {
	// Path and Line, counted from 1, say where.
	Path string
	Line int
	// Offset is where the torn line starts: the size to cut the file to.
	Offset int64
	// Err is why the rest is not a request.
	Err error
}

func (e *TornError) Error() string {
	return fmt.Sprintf("cannot read traces at %s:%d: the last line is torn: %v", e.Path, e.Line, e.Err)
}

// Unwrap returns why the rest is not a request.
func (e *TornError) Unwrap() error { return e.Err }

// ReadFile calls fn with each line of a file in the OTLP JSON file format, in order. Lines may be of any length; blank
// lines and a byte order mark are passed over. It stops at the first error, which names the file and the line, whether the
// line is bad or fn failed; a torn last line is a [*TornError].
func ReadFile(path string, fn func(td ptrace.Traces) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read traces: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	r := bufio.NewReaderSize(f, 64<<10)
	var line []byte
	var offset int64
	for n := 1; ; n++ {
		line, err = readLine(r, line[:0])
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return fmt.Errorf("cannot read traces at %s:%d: %w", path, n, err)
		}
		if err := readOne(line, n == 1, fn); err != nil {
			var bad *badLine
			if last && errors.As(err, &bad) {
				return &TornError{Path: path, Line: n, Offset: offset, Err: bad.err}
			}
			return fmt.Errorf("cannot read traces at %s:%d: %w", path, n, err)
		}
		if last {
			return nil
		}
		offset += int64(len(line))
	}
}

// readLine appends the next line, with its line break, to dst.
func readLine(r *bufio.Reader, dst []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		dst = append(dst, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return dst, err
		}
	}
}

// badLine is an error of the line itself, not of what is done with it.
type badLine struct{ err error }

func (e *badLine) Error() string { return e.err.Error() }
func (e *badLine) Unwrap() error { return e.err }

func readOne(line []byte, first bool, fn func(td ptrace.Traces) error) error {
	if first {
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	td, err := decodeLine(line)
	if err != nil {
		return &badLine{err}
	}
	return fn(td)
}

// decodeLine reads one request.
func decodeLine(line []byte) (ptrace.Traces, error) {
	var u ptrace.JSONUnmarshaler
	return u.UnmarshalTraces(line)
}
