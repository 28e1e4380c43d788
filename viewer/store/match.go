package store

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/viewer/otlp"
)

// match copies the spans of one trace out of a chunk: a request of them with their resources and scopes, everything else in
// these as it is. Most spans of a chunk are of other traces, so it does not decode them as a walk would.
type match struct {
	id    otlp.TraceID
	chunk uint64
	out   []byte // the request
	at    []Ref  // of each span in it

	next  uint32 // index in the chunk of the span that comes
	group []byte // the ResourceSpans, and the ScopeSpans in it, that grow
	spans []byte
}

// The fields that lead to a span.
const (
	fieldResourceSpans = 1    // of the request
	fieldScopeSpans    = 2    // of ResourceSpans
	fieldOldScopeSpans = 1000 // of ResourceSpans before OTLP 0.15; they count when there are no others
	fieldSpan          = 2    // of ScopeSpans
	fieldTraceID       = 1    // of Span
)

// request takes what matches in the requests of a chunk.
func (m *match) request(b []byte) {
	for f := (fields{rest: b}); f.next(); {
		if f.num == fieldResourceSpans {
			m.resource(f.body)
		}
	}
}

func (m *match) resource(b []byte) {
	scopes := protowire.Number(fieldOldScopeSpans)
	for f := (fields{rest: b}); f.next(); {
		if f.num == fieldScopeSpans {
			scopes = fieldScopeSpans
			break
		}
	}
	m.group = m.group[:0]
	before := len(m.at)
	for f := (fields{rest: b}); f.next(); {
		if f.num != scopes {
			m.group = append(m.group, f.whole...)
		} else if m.scope(f.body) {
			m.group = appendMessage(m.group, f.num, m.spans)
		}
	}
	if len(m.at) > before {
		m.out = appendMessage(m.out, fieldResourceSpans, m.group)
	}
}

// scope makes spans of a ScopeSpans. It is false when none matches.
func (m *match) scope(b []byte) bool {
	m.spans = m.spans[:0]
	before := len(m.at)
	for f := (fields{rest: b}); f.next(); {
		if f.num == fieldSpan {
			at := Ref{m.chunk, m.next}
			m.next++
			if !m.has(f.body) {
				continue
			}
			m.at = append(m.at, at)
		}
		m.spans = append(m.spans, f.whole...)
	}
	return len(m.at) > before
}

// has reports whether a span is of the trace. Of a field that stands twice the last counts.
func (m *match) has(span []byte) bool {
	if !m.id.IsZero() && !bytes.Contains(span, m.id[:]) { // zero may be left out
		return false
	}
	var id otlp.TraceID
	for f := (fields{rest: span}); f.next(); {
		if f.num == fieldTraceID {
			id = otlp.TraceID{}
			copy(id[:], f.body)
		}
	}
	return id == m.id
}

// fields reads a message field by field, to its end or the first mistake.
type fields struct {
	rest  []byte
	num   protowire.Number
	whole []byte
	body  []byte // of a field with a length
}

func (f *fields) next() bool {
	num, kind, n := protowire.ConsumeTag(f.rest)
	if n < 0 {
		return false
	}
	f.num, f.body = num, nil
	var size int
	if kind == protowire.BytesType {
		f.body, size = protowire.ConsumeBytes(f.rest[n:])
	} else {
		size = protowire.ConsumeFieldValue(num, kind, f.rest[n:])
	}
	if size < 0 {
		return false
	}
	f.whole, f.rest = f.rest[:n+size], f.rest[n+size:]
	return true
}

// wellFormed reports whether b is a protobuf message on its outside: its fields are whole, whatever is in them.
func wellFormed(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
	}
	return len(f.rest) == 0
}

func appendMessage(dst []byte, num protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, num, protowire.BytesType), b)
}
