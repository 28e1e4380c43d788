package otlp

import (
	"iter"
	"strings"
)

// Resource is what the spans of a group come from: a process, a service, a host. Its strings are views into the request.
type Resource struct {
	SchemaURL         string
	DroppedAttributes uint32

	raw   string
	attrs string
}

const resourceAttributes = 1

// Attributes returns the attributes in their order, also those whose key stands twice.
func (r *Resource) Attributes() iter.Seq2[string, Value] {
	return attributes{r.attrs, resourceAttributes}.all()
}

// Attr returns the first attribute of that key.
func (r *Resource) Attr(key string) (Value, bool) {
	return attributes{r.attrs, resourceAttributes}.get(key)
}

// Raw returns the bytes of the Resource message; with SchemaURL they are its identity. They are part of the request and
// must not be changed. They are empty where a sender gave no resource.
func (r *Resource) Raw() []byte { return bytesOf(r.raw) }

// Clone returns the resource with bytes of its own: it lives on when the request does not.
func (r *Resource) Clone() *Resource {
	return readResource(strings.Clone(r.raw), strings.Clone(r.SchemaURL))
}

func readResource(msg, schemaURL string) *Resource {
	r := &Resource{SchemaURL: schemaURL, raw: msg}
	var attrs region
	for pos := 0; pos < len(msg); {
		f, at := next(msg, pos), pos
		pos = f.end
		switch f.num() {
		case resourceAttributes:
			attrs.add(at, pos)
		case 2:
			r.DroppedAttributes = uint32(f.u)
		}
	}
	r.attrs = attrs.of(msg)
	return r
}
