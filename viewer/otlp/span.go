package otlp

import (
	"iter"
	"strings"
)

// Span is one span of a request. Its strings are views into the request.
type Span struct {
	TraceID           TraceID
	SpanID            SpanID
	Parent            SpanID // zero for a root
	Name              string
	Kind              Kind
	Start, End        uint64 // nanoseconds since 1970
	Flags             uint32 // W3C trace flags and OTLP's own bits
	State             string // W3C tracestate
	Status            Status
	Message           string // of the status
	DroppedAttributes uint32
	DroppedEvents     uint32
	DroppedLinks      uint32

	raw    string
	attrs  string // the parts of raw that these fields take
	events string
	links  string
}

// Attributes returns the attributes in their order, also those whose key stands twice.
func (s *Span) Attributes() iter.Seq2[string, Value] {
	return attributes{s.attrs, spanAttributes}.all()
}

// Attr returns the first attribute of that key.
func (s *Span) Attr(key string) (Value, bool) { return attributes{s.attrs, spanAttributes}.get(key) }

// Events returns the events in their order.
func (s *Span) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { s.eachEvent(yield) }
}

func (s *Span) eachEvent(yield func(Event) bool) {
	for pos := 0; pos < len(s.events); {
		f := next(s.events, pos)
		pos = f.end
		if f.num() == spanEvents && !yield(readEvent(f.in(s.events))) {
			return
		}
	}
}

// Links returns the links in their order.
func (s *Span) Links() iter.Seq[Link] {
	return func(yield func(Link) bool) { s.eachLink(yield) }
}

func (s *Span) eachLink(yield func(Link) bool) {
	for pos := 0; pos < len(s.links); {
		f := next(s.links, pos)
		pos = f.end
		if f.num() == spanLinks && !yield(readLink(f.in(s.links))) {
			return
		}
	}
}

// Raw returns the bytes of the Span message, with everything that is in it. They are part of the request and must not be
// changed. Two copies of a span with equal bytes say the same.
func (s *Span) Raw() []byte { return bytesOf(s.raw) }

// Clone returns the span with bytes of its own: it lives on when the request does not.
func (s *Span) Clone() *Span {
	c := new(Span)
	c.read(strings.Clone(s.raw))
	return c
}

const (
	spanAttributes = 9
	spanEvents     = 11
	spanLinks      = 13
)

// read reads a Span message over whatever s was.
func (s *Span) read(msg string) {
	*s = Span{raw: msg}
	var attrs, events, links region
	for pos := 0; pos < len(msg); {
		f, at := next(msg, pos), pos
		pos = f.end
		switch f.num() {
		case 1:
			s.TraceID = traceID(f.in(msg))
		case 2:
			s.SpanID = spanID(f.in(msg))
		case 3:
			s.State = f.in(msg)
		case 4:
			s.Parent = spanID(f.in(msg))
		case 5:
			s.Name = f.in(msg)
		case 6:
			s.Kind = Kind(f.u)
		case 7:
			s.Start = f.u
		case 8:
			s.End = f.u
		case spanAttributes:
			attrs.add(at, pos)
		case 10:
			s.DroppedAttributes = uint32(f.u)
		case spanEvents:
			events.add(at, pos)
		case 12:
			s.DroppedEvents = uint32(f.u)
		case spanLinks:
			links.add(at, pos)
		case 14:
			s.DroppedLinks = uint32(f.u)
		case 15:
			s.readStatus(f.in(msg))
		case 16:
			s.Flags = uint32(f.u)
		}
	}
	s.attrs, s.events, s.links = attrs.of(msg), events.of(msg), links.of(msg)
}

func (s *Span) readStatus(msg string) {
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		switch f.num() {
		case 2:
			s.Message = f.in(msg)
		case 3:
			s.Status = Status(f.u)
		}
	}
}

// traceID copies the bytes of an id; none, or too few, are the zero id.
func traceID(data string) (id TraceID) {
	if len(data) == len(id) {
		copy(id[:], data)
	}
	return id
}

func spanID(data string) (id SpanID) {
	if len(data) == len(id) {
		copy(id[:], data)
	}
	return id
}
