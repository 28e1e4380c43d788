package ingest

import "encoding/binary"

// maxWeight is how many bytes in memory a body may take for each that MaxDecoded allows it. Spans of programs take one to
// five, so that a body near MaxDecoded must be ordinary, and a smaller one may be anything that real programs send.
const maxWeight = 4

// maxDepth is where the weighing stops; the decoder refuses what nests deeper.
const maxDepth = 200

// message is a kind of message of an ExportTraceServiceRequest.
type message struct {
	size   int64 // what an empty one takes in memory, about
	fields fields
}

// fields are those of a message that are messages themselves, by number; none is above 15.
type fields [16]*message

// exportRequest is the schema, as far as messages are in messages.
var exportRequest = func() *message {
	value := &message{size: 24}
	attribute := &message{size: 48, fields: fields{2: value}}
	list := &message{size: 24, fields: fields{1: value}}
	pairs := &message{size: 24, fields: fields{1: attribute}}
	value.fields = fields{5: list, 6: pairs}

	event := &message{size: 72, fields: fields{3: attribute}}
	link := &message{size: 104, fields: fields{4: attribute}}
	status := &message{size: 24}
	span := &message{size: 264, fields: fields{9: attribute, 11: event, 13: link, 15: status}}
	scope := &message{size: 72, fields: fields{3: attribute}}
	scopeSpans := &message{size: 128, fields: fields{1: scope, 2: span}}
	entity := &message{size: 88}
	resource := &message{size: 64, fields: fields{1: attribute, 3: entity}}
	return &message{fields: fields{
		1: {size: 128, fields: fields{1: resource, 2: scopeSpans}},
	}}
}()

// weight estimates what an ExportTraceServiceRequest takes in memory when it is decoded. An empty span is two bytes in a
// body and hundreds in memory, so the size of the body alone bounds nothing. Of a body that is no protobuf it weighs what
// comes before the first mistake, which the decoder finds too.
func weight(body []byte) int64 { return int64(len(body)) + exportRequest.weigh(body, 0) }

func (m *message) weigh(b []byte, depth int) int64 {
	sum := m.size
	if depth > maxDepth {
		return sum
	}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			break
		}
		value, rest, ok := cutField(tag, b[n:])
		if !ok {
			break
		}
		if field := tag >> 3; value != nil && field < uint64(len(m.fields)) && m.fields[field] != nil {
			sum += m.fields[field].weigh(value, depth+1)
		}
		b = rest
	}
	return sum
}

// cutField cuts a field off b, which starts behind its tag. value is nil unless the field is bytes. A group has no length:
// what is in it is looked at as if it were beside it.
func cutField(tag uint64, b []byte) (value, rest []byte, ok bool) {
	size, n := uint64(0), 0
	switch tag & 7 {
	case 0:
		_, n = binary.Uvarint(b)
		return nil, b[max(n, 0):], n > 0
	case 1:
		size = 8
	case 2:
		if size, n = binary.Uvarint(b); n <= 0 {
			return nil, nil, false
		}
	case 3, 4:
	case 5:
		size = 4
	default:
		return nil, nil, false
	}
	if b = b[n:]; size > uint64(len(b)) {
		return nil, nil, false
	}
	if tag&7 == 2 {
		value = b[:size:size]
	}
	return value, b[size:], true
}
