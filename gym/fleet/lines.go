package fleet

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

const (
	keptLines  = 12      // how many lines of a server's log an error message shows
	keptLen    = 1 << 10 // and how much of each
	maxLineLen = 1 << 20 // a longer line is passed on in pieces, so that memory stays bounded
)

// stdMu keeps the lines of several servers whole where they meet in one writer.
var stdMu sync.Mutex

// lineWriter passes whole lines on to dst, with a prefix, and remembers the last ones.
type lineWriter struct {
	dst    io.Writer // nil discards
	tee    io.Writer // nil: none
	prefix string

	mu      sync.Mutex
	partial []byte
	kept    []string
}

func newLineWriter(dst io.Writer, prefix string) *lineWriter {
	return &lineWriter{dst: dst, prefix: prefix}
}

// Write never fails: a supervisor whose own output is closed must not stop its servers from logging.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.partial = append(w.partial, p...)
	for {
		i := bytes.IndexByte(w.partial, '\n')
		if i < 0 && len(w.partial) < maxLineLen {
			return len(p), nil
		}
		if i < 0 {
			w.emit(w.partial)
			w.partial = w.partial[:0]
			return len(p), nil
		}
		w.emit(w.partial[:i])
		w.partial = w.partial[i+1:]
	}
}

// flush passes on a last line that has no end.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.partial) > 0 {
		w.emit(w.partial)
		w.partial = nil
	}
}

func (w *lineWriter) emit(line []byte) {
	text := strings.TrimSuffix(string(line), "\r")
	if len(w.kept) == keptLines {
		w.kept = append(w.kept[:0], w.kept[1:]...)
	}
	w.kept = append(w.kept, cut(text))
	whole := []byte(w.prefix + text + "\n")
	if w.tee != nil {
		w.tee.Write(whole[len(w.prefix):]) //nolint:errcheck // see Write
	}
	if w.dst != nil {
		stdMu.Lock()
		defer stdMu.Unlock()
		w.dst.Write(whole) //nolint:errcheck // see Write
	}
}

// cut keeps the beginning of a long line.
func cut(text string) string {
	if len(text) <= keptLen {
		return text
	}
	return strings.ToValidUTF8(text[:keptLen], "") + "..."
}

// last returns the remembered lines, oldest first.
func (w *lineWriter) last() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.kept...)
}
