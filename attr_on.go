package lens

import (
	"math"
	"sync"

	"go.opentelemetry.io/otel/attribute"
)

// keyValue turns an attribute into OpenTelemetry's form, redacted and with lists copied. The zero Attr gives one that is
// not valid, which providers leave out.
func (a Attr) keyValue() attribute.KeyValue {
	switch a.kind {
	case attrStr:
		return attribute.String(a.key, Redact(a.key, a.str))
	case attrInt:
		return attribute.Int64(a.key, int64(a.num))
	case attrFloat:
		return attribute.Float64(a.key, math.Float64frombits(a.num))
	case attrBool:
		return attribute.Bool(a.key, a.num != 0)
	case attrStrs:
		return attribute.StringSlice(a.key, a.strs) // copies
	}
	return attribute.KeyValue{}
}

// keyValues turns a list around without letting it escape.
func keyValues(attrs []Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		if a.kind != attrNone {
			out = append(out, a.keyValue())
		}
	}
	return out
}

const (
	bufferSize  = 16 // attributes that a fresh buffer holds: more than most spans have
	bufferFlush = 64 // a span's buffer is handed to the provider when it holds so many, which bounds the memory
)

// buffer collects the attributes of one open span, so that the provider gets them in one call and in memory that is
// used again. Providers copy what SetAttributes is given.
type buffer struct {
	attrs []attribute.KeyValue
}

var buffers = sync.Pool{New: func() any { return &buffer{attrs: make([]attribute.KeyValue, 0, bufferSize)} }}

func newBuffer() *buffer { return buffers.Get().(*buffer) }

// free gives the buffer back, emptied of what it points to.
func (b *buffer) free() {
	clear(b.attrs)
	b.attrs = b.attrs[:0]
	buffers.Put(b)
}
