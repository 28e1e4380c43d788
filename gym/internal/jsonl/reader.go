// Package jsonl reads files with one JSON object a line, as people, editors and crashes leave them: lines of any length, a byte
// order mark, CRLF, blank lines, a last line that is torn.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is how long a line may be: what one body may be, and some room for what the collector adds.
const MaxLine = 264 << 20

// Line is one line of a file.
type Line struct {
	Number int    // from 1
	Offset int64  // of the text's first byte
	Text   []byte // without the line end, valid until the next line is read
	Blank  bool   // nothing but blanks
	Torn   bool   // the file ends inside the line: no line end follows
}

// Reader reads lines. A byte order mark before the first is passed over, and a carriage return before a line end belongs to the
// line end.
type Reader struct {
	r      *bufio.Reader
	buf    []byte
	number int
	offset int64
}

var byteOrderMark = []byte("\uFEFF")

// NewReader reads lines from r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 1<<16)} }

// Number is that of the line that was read last; 0 before the first.
func (r *Reader) Number() int { return r.number }

// Offset is where the next line begins.
func (r *Reader) Offset() int64 { return r.offset }

// Next is the next line; io.EOF after the last.
func (r *Reader) Next() (Line, error) {
	const keep = 1 << 20 // one huge line must not hold its memory for ever
	if cap(r.buf) > keep {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	torn := false
	for {
		part, err := r.r.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		if len(r.buf) > MaxLine {
			return Line{}, fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)
		}
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) {
			if len(r.buf) == 0 {
				return Line{}, io.EOF
			}
			torn = true
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return Line{}, err
		}
	}
	r.number++
	at := Line{Number: r.number, Offset: r.offset, Torn: torn}
	r.offset += int64(len(r.buf))
	at.Text = r.buf
	if !torn {
		at.Text = bytes.TrimSuffix(at.Text[:len(at.Text)-1], []byte("\r"))
	}
	if r.number == 1 && bytes.HasPrefix(at.Text, byteOrderMark) {
		at.Text = at.Text[len(byteOrderMark):]
		at.Offset += int64(len(byteOrderMark))
	}
	at.Blank = len(bytes.TrimSpace(at.Text)) == 0
	return at, nil
}
