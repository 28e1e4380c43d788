package otlp

import "iter"

// Link names a span, of this trace or another, that a span has to do with. Its strings are views into the request.
type Link struct {
	TraceID           TraceID
	SpanID            SpanID
	Flags             uint32 // W3C trace flags and OTLP's own bits
	State             string // W3C tracestate
	DroppedAttributes uint32

	attrs string
}

const linkAttributes = 4

// Attributes returns the attributes in their order, also those whose key stands twice.
func (l Link) Attributes() iter.Seq2[string, Value] { return attributes{l.attrs, linkAttributes}.all() }

// Attr returns the first attribute of that key.
func (l Link) Attr(key string) (Value, bool) { return attributes{l.attrs, linkAttributes}.get(key) }

func readLink(msg string) (l Link) {
	var attrs region
	for pos := 0; pos < len(msg); {
		f, at := next(msg, pos), pos
		pos = f.end
		switch f.num() {
		case 1:
			l.TraceID = traceID(f.in(msg))
		case 2:
			l.SpanID = spanID(f.in(msg))
		case 3:
			l.State = f.in(msg)
		case linkAttributes:
			attrs.add(at, pos)
		case 5:
			l.DroppedAttributes = uint32(f.u)
		case 6:
			l.Flags = uint32(f.u)
		}
	}
	l.attrs = attrs.of(msg)
	return l
}
