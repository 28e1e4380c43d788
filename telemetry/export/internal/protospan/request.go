package protospan

import (
	"encoding/binary"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/semconv"
)

// Span is one as bytes, with what is needed to sort it.
type Span struct {
	ID         [24]byte // trace id and span id
	Start, End uint64   // nanoseconds of Unix time
	Origin     []byte   // of AppendOrigin; nil is unknown
	Body       []byte
}

// Parse reads what [Append] has written. It is not ok for anything else.
func Parse(body []byte) (s Span, ok bool) {
	s.Body = body
	ids := 0
	ok = fields(body, func(field protowire.Number, kind protowire.Type, value []byte) {
		switch {
		case field == fieldTraceID && len(value) == 16:
			ids += copy(s.ID[:16], value)
		case field == fieldSpanID && len(value) == 8:
			ids += copy(s.ID[16:], value)
		case field == fieldStart && kind == protowire.Fixed64Type:
			s.Start = binary.LittleEndian.Uint64(value)
		case field == fieldEnd && kind == protowire.Fixed64Type:
			s.End = binary.LittleEndian.Uint64(value)
		}
	})
	return s, ok && ids == len(s.ID)
}

// fields calls f for each field of a message, with the value of bytes, or as it is written. It is false for what is no message.
func fields(b []byte, f func(field protowire.Number, kind protowire.Type, value []byte)) bool {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(field, kind, b)
		if size < 0 {
			return false
		}
		value := b[:size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(b)
		}
		f(field, kind, value)
		b = b[size:]
	}
	return true
}

// Truncate returns the span with an end, if that is not before its start, and with the marks of one that was cut off. In
// protobuf what comes later is added, so nothing has to be taken apart.
func (s Span) Truncate(at time.Time, reason string) Span {
	s.End = max(uint64(max(0, at.UnixNano())), s.Start)
	b := append([]byte(nil), s.Body...)
	b = appendFixed64(b, fieldEnd, s.End)
	b, attr := begin(b, fieldAttributes)
	b = appendText(b, fieldKey, semconv.SpanTruncated)
	b, value := begin(b, fieldValue)
	b = protowire.AppendVarint(protowire.AppendTag(b, fieldBool, protowire.VarintType), 1)
	b = finish(finish(b, value), attr)
	b, event := begin(b, fieldEvents)
	b = appendFixed64(b, fieldEventTime, s.End)
	b = appendText(b, fieldEventName, semconv.SpanTruncated)
	b, attr = begin(b, fieldEventAttributes)
	b = appendText(b, fieldKey, semconv.SpanTruncatedReason)
	b, value = begin(b, fieldValue)
	b = appendString(b, fieldString, reason)
	s.Body = finish(finish(finish(b, value), attr), event)
	return s
}

// Request makes an export request of spans.
func Request(spans []Span) (b []byte) {
	var origins []string
	of := map[string][]Span{}
	for _, s := range spans {
		key := string(s.Origin)
		if _, there := of[key]; !there {
			origins = append(origins, key)
		}
		of[key] = append(of[key], s)
	}
	for _, key := range origins {
		b = appendResourceSpans(b, []byte(key), of[key])
	}
	return b
}

func appendResourceSpans(b, origin []byte, spans []Span) []byte {
	var res, scope []byte
	fields(origin, func(field protowire.Number, kind protowire.Type, value []byte) {
		switch {
		case field == fieldOriginResource && kind == protowire.BytesType:
			res = value
		case field == fieldOriginScope && kind == protowire.BytesType:
			scope = value
		}
	})
	b, outer := begin(b, fieldResourceSpans)
	b = append(b, res...)
	b, inner := begin(b, fieldScopeSpans)
	b = append(b, scope...)
	for _, s := range spans {
		b = appendBytes(b, fieldSpans, s.Body)
	}
	return finish(finish(b, inner), outer)
}
