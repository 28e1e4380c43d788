package rollout

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line of a JSONL file.
type line struct {
	number int    // from 1
	offset int64  // of the text's first byte
	text   []byte // without the line end, valid until the next line is read
	blank  bool   // nothing but blanks
	torn   bool   // the file ends inside the line: no line end follows
}

// lines reads lines of any length. A byte order mark before the first is passed over, and a carriage return before a
// line end belongs to the line end.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	number int
	offset int64
}

var byteOrderMark = []byte("\uFEFF")

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, 1<<16)}
}

// next is the next line; io.EOF after the last.
func (l *lines) next() (line, error) {
	l.buf = l.buf[:0]
	torn := false
	for {
		part, err := l.r.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) {
			if len(l.buf) == 0 {
				return line{}, io.EOF
			}
			torn = true
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line{}, err
		}
	}
	l.number++
	at := line{number: l.number, offset: l.offset, torn: torn}
	l.offset += int64(len(l.buf))
	at.text = l.buf
	if !torn {
		at.text = bytes.TrimSuffix(at.text[:len(at.text)-1], []byte("\r"))
	}
	if l.number == 1 && bytes.HasPrefix(at.text, byteOrderMark) {
		at.text = at.text[len(byteOrderMark):]
		at.offset += int64(len(byteOrderMark))
	}
	at.blank = len(bytes.TrimSpace(at.text)) == 0
	return at, nil
}
