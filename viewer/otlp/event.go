package otlp

import "iter"

// Event is something that happened at a moment of a span. Its strings are views into the request.
type Event struct {
	Time              uint64 // nanoseconds since 1970
	Name              string
	DroppedAttributes uint32

	attrs string
}

const eventAttributes = 3

// Attributes returns the attributes in their order, also those whose key stands twice.
func (e Event) Attributes() iter.Seq2[string, Value] {
	return attributes{e.attrs, eventAttributes}.all()
}

// Attr returns the first attribute of that key.
func (e Event) Attr(key string) (Value, bool) { return attributes{e.attrs, eventAttributes}.get(key) }

func readEvent(msg string) (e Event) {
	var attrs region
	for pos := 0; pos < len(msg); {
		f, at := next(msg, pos), pos
		pos = f.end
		switch f.num() {
		case 1:
			e.Time = f.u
		case 2:
			e.Name = f.in(msg)
		case eventAttributes:
			attrs.add(at, pos)
		case 4:
			e.DroppedAttributes = uint32(f.u)
		}
	}
	e.attrs = attrs.of(msg)
	return e
}
