package export

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// maxLine is about how many bytes of protobuf become one line. Readers bound the length of a line, DuckDB at 16 MiB; JSON is three
// times as long or so.
const maxLine = 1 << 20

// lines writes the OTLP JSON file format: a trace a line, or more where it is large.
type lines struct{ w *bufio.Writer }

func (l *lines) begin(context.Context, *selection) error { return nil }
func (l *lines) end() error                              { return nil }

func (l *lines) trace(t *store.Trace) error {
	if len(t.OTLP) <= maxLine {
		return l.line(t.OTLP)
	}
	var b otlp.Builder
	size := 0
	for i := range t.Spans {
		b.Add(t.Resources[t.ResourceOf[i]], t.Scopes[t.ScopeOf[i]], &t.Spans[i])
		if size += len(t.Spans[i].Raw()); size < maxLine && i < len(t.Spans)-1 {
			continue
		}
		if err := l.line(b.AppendTo(nil)); err != nil {
			return err
		}
		b.Reset()
		size = 0
	}
	return nil
}

func (l *lines) line(req []byte) error {
	decoded := ptraceotlp.NewExportRequest()
	return writeLine(l.w, &decoded, req)
}

// decoder is what the requests of pdata have in common.
type decoder interface {
	UnmarshalProto([]byte) error
	MarshalJSON() ([]byte, error)
}

// writeLine writes a request in protobuf as one line of JSON.
func writeLine(w *bufio.Writer, d decoder, req []byte) error {
	if err := d.UnmarshalProto(req); err != nil {
		return fmt.Errorf("cannot decode a stored request of %d bytes: %w", len(req), err)
	}
	return writeJSON(w, d)
}

func writeJSON(w *bufio.Writer, d decoder) error {
	text, err := d.MarshalJSON()
	if err != nil {
		return fmt.Errorf("cannot write a request as JSON: %w", err)
	}
	if !utf8.Valid(text) { // JSON cannot hold what real programs cut in the middle of a character
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// messages writes OTLP protobuf: requests one behind the other, which any reader takes as one.
type messages struct{ w *bufio.Writer }

func (m *messages) begin(context.Context, *selection) error { return nil }
func (m *messages) end() error                              { return nil }

func (m *messages) trace(t *store.Trace) error {
	_, err := m.w.Write(t.OTLP)
	return err
}
