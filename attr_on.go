//go:build !lens_off

package lens

import (
	"math"
	"sync"

	"go.opentelemetry.io/otel/attribute"
)

// value turns an attribute's value into OpenTelemetry's form, redacted and with lists copied. The zero Attr has none.
func (a Attr) value() attribute.Value {
	switch a.kind {
	case attrStr:
		return attribute.StringValue(Redact(a.key, a.str))
	case attrInt:
		return attribute.Int64Value(int64(a.num))
	case attrFloat:
		return attribute.Float64Value(math.Float64frombits(a.num))
	case attrBool:
		return attribute.BoolValue(a.num != 0)
	case attrStrs:
		return attribute.StringSliceValue(a.strs) // copies
	}
	return attribute.Value{}
}

// keyValues turns a list into OpenTelemetry's form, and does not let it escape.
func keyValues(attrs []Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		if a.kind != attrNone {
			out = append(out, attribute.KeyValue{Key: attribute.Key(a.key), Value: a.value()})
		}
	}
	return out
}

const (
	bufferSize  = 16 // attributes that a fresh buffer holds: more than most spans have
	bufferFlush = 64 // a span's buffer is handed to the provider when it holds so many, which bounds the memory
)

// buffer collects the attributes of one open span, so that the provider gets them in one call and from memory that is
// used again. Providers copy what SetAttributes is given.
type buffer struct {
	list []attribute.KeyValue
}

var buffers = sync.Pool{New: func() any { return &buffer{list: make([]attribute.KeyValue, 0, bufferSize)} }}

func newBuffer() *buffer { return buffers.Get().(*buffer) }

func (b *buffer) add(key string, v attribute.Value) {
	b.list = append(b.list, attribute.KeyValue{Key: attribute.Key(key), Value: v})
}

// free gives the buffer back, emptied of what it points to.
func (b *buffer) free() {
	clear(b.list)
	b.list = b.list[:0]
	buffers.Put(b)
}
