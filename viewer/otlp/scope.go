package otlp

import (
	"iter"
	"strings"
)

// Scope is the library that made the spans of a group. Its strings are views into the request.
type Scope struct {
	Name, Version     string
	SchemaURL         string
	DroppedAttributes uint32

	raw   string
	attrs string
}

const scopeAttributes = 3

// Attributes returns the attributes in their order, also those whose key stands twice.
func (sc *Scope) Attributes() iter.Seq2[string, Value] {
	return attributes{sc.attrs, scopeAttributes}.all()
}

// Attr returns the first attribute of that key.
func (sc *Scope) Attr(key string) (Value, bool) {
	return attributes{sc.attrs, scopeAttributes}.get(key)
}

// Raw returns the bytes of the InstrumentationScope message; with SchemaURL they are its identity. They are part of the
// request and must not be changed. They are empty where a sender gave no scope.
func (sc *Scope) Raw() []byte { return bytesOf(sc.raw) }

// Clone returns the scope with bytes of its own: it lives on when the request does not.
func (sc *Scope) Clone() *Scope {
	return readScope(strings.Clone(sc.raw), strings.Clone(sc.SchemaURL))
}

func readScope(msg, schemaURL string) *Scope {
	sc := &Scope{SchemaURL: schemaURL, raw: msg}
	var attrs region
	for pos := 0; pos < len(msg); {
		f, at := next(msg, pos), pos
		pos = f.end
		switch f.num() {
		case 1:
			sc.Name = f.in(msg)
		case 2:
			sc.Version = f.in(msg)
		case scopeAttributes:
			attrs.add(at, pos)
		case 4:
			sc.DroppedAttributes = uint32(f.u)
		}
	}
	sc.attrs = attrs.of(msg)
	return sc
}
