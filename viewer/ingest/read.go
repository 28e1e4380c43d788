package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TornError says that the last line of a file has no line break and is not whole, or that a compressed file is cut off:
// the writer died, or is still at it. Everything before was read.
type TornError struct {
	// Path and Line, counted from 1, say where.
	Path string
	Line int
	// Offset is where the torn line starts in the text: the size to cut a file to that is not compressed.
	Offset int64
	// Err is why the rest is not a request.
	Err error
}

func (e *TornError) Error() string {
	return fmt.Sprintf("cannot read %s:%d: the last line is torn: %v", e.Path, e.Line, e.Err)
}

// Unwrap returns why the rest is not a request.
func (e *TornError) Unwrap() error { return e.Err }

// ReadFile calls fn with each line of a file in the OTLP JSON file format, in order; one of metrics or logs is a line
// without spans. The file may be compressed, see [OpenFile]. Lines may be of any length up to 256 MiB; blank lines and a
// byte order mark are passed over. It stops at the first error, which names the file and the line, whether the line is bad
// or fn failed; a torn last line is a [*TornError].
func ReadFile(path string, fn func(td ptrace.Traces) error) error {
	return readLines(path, func(line []byte) error {
		td, err := decodeLine(line)
		if err != nil {
			return &badLine{err}
		}
		return fn(td)
	})
}

// OpenFile opens a file to read its text. One that was compressed with gzip or zstd, which its first bytes tell and not its
// name, is decompressed on the way.
func OpenFile(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read file: %w", err)
	}
	text, err := textOf(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read %s: %w", path, err), f.Close())
	}
	return text, nil
}

// textFile is the text of a file.
type textFile struct {
	io.Reader
	close func() error
}

// Close closes the file.
func (t *textFile) Close() error { return t.close() }

// maxWindow is how far back zstd may look, which is what its decoder keeps in memory: that of `zstd --long`.
const maxWindow = 128 << 20

func textOf(f *os.File) (*textFile, error) {
	r := bufio.NewReaderSize(f, 64<<10)
	magic, err := r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		zr, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return &textFile{zr, f.Close}, nil
	case bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}), isSkippable(magic):
		zr, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return &textFile{zr, func() error { zr.Close(); return f.Close() }}, nil
	}
	return &textFile{r, f.Close}, nil
}

// isSkippable tells whether a file starts with a frame of zstd that holds something else.
func isSkippable(magic []byte) bool {
	return len(magic) == 4 && magic[0]&0xF0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2A, 0x4D, 0x18})
}

// readLines calls fn with each line that is not blank. An error of fn that is a badLine is that of a torn line when the
// line is the last and has no line break.
func readLines(path string, fn func(line []byte) error) (err error) {
	f, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	r := bufio.NewReaderSize(f, 64<<10)
	var line []byte
	var offset int64
	for n := 1; ; n++ {
		line, err = readLine(r, line[:0])
		last := errors.Is(err, io.EOF)
		if errors.Is(err, io.ErrUnexpectedEOF) { // compressed data is cut off
			return &TornError{Path: path, Line: n, Offset: offset, Err: err}
		}
		if err != nil && !last {
			return fmt.Errorf("cannot read %s:%d: %w", path, n, err)
		}
		if err := readOne(line, n == 1, fn); err != nil {
			var bad *badLine
			if last && errors.As(err, &bad) {
				return &TornError{Path: path, Line: n, Offset: offset, Err: bad.err}
			}
			return fmt.Errorf("cannot read %s:%d: %w", path, n, err)
		}
		if last {
			return nil
		}
		offset += int64(len(line))
	}
}

// maxLine bounds what one line takes in memory.
const maxLine = 256 << 20

// readLine appends the next line, with its line break, to dst.
func readLine(r *bufio.Reader, dst []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(dst)+len(part) > maxLine {
			return dst, fmt.Errorf("line is longer than %d bytes", maxLine)
		}
		dst = append(dst, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return dst, err
		}
	}
}

// byteOrderMark may stand before the text.
const byteOrderMark = "\xEF\xBB\xBF"

// badLine is an error of the line itself, not of what is done with it.
type badLine struct{ err error }

func (e *badLine) Error() string { return e.err.Error() }
func (e *badLine) Unwrap() error { return e.err }

func readOne(line []byte, first bool, fn func(line []byte) error) error {
	if first {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	return fn(line)
}

// decodeLine reads one request.
func decodeLine(line []byte) (ptrace.Traces, error) {
	var u ptrace.JSONUnmarshaler
	return u.UnmarshalTraces(line)
}
