package ingest

import "encoding/binary"

// maxWeight is how many bytes in memory a body may take for each that MaxDecoded allows it. Spans of programs take one to
// five, so that a body near MaxDecoded must be ordinary, and a smaller one may be anything that real programs send.
const maxWeight = 4

// maxDepth is where the weighing stops; the decoder refuses what nests deeper.
const maxDepth = 200

// spanWeight is what an empty span takes in memory, about.
const spanWeight = 264

// message is a kind of message of a request.
type message struct {
	size   int64 // what an empty one takes in memory, about
	fields fields
	packed int // the field of packed numbers, each of which takes eight bytes; 0: none
}

// fields are those of a message that are messages themselves, by number; none is above 15 but the deprecated one.
type fields [16]*message

// deprecatedScopes is the number of a field that some decoders read like field 2, which took its place in 2022.
const deprecatedScopes = 1000

// The schemas, as far as messages are in messages.
var traceSchema, metricSchema, logSchema = func() (t, m, l *message) {
	value := &message{size: 24}
	attribute := &message{size: 48, fields: fields{2: value}}
	list := &message{size: 24, fields: fields{1: value}}
	pairs := &message{size: 24, fields: fields{1: attribute}}
	value.fields = fields{5: list, 6: pairs}

	entity := &message{size: 88}
	resource := &message{size: 64, fields: fields{1: attribute, 3: entity}}
	scope := &message{size: 72, fields: fields{3: attribute}}
	request := func(item *message) *message {
		scopes := &message{size: 128, fields: fields{1: scope, 2: item}}
		return &message{fields: fields{1: {size: 128, fields: fields{1: resource, 2: scopes}}}}
	}

	event := &message{size: 72, fields: fields{3: attribute}}
	link := &message{size: 104, fields: fields{4: attribute}}
	status := &message{size: 24}
	span := &message{size: spanWeight, fields: fields{9: attribute, 11: event, 13: link, 15: status}}

	record := &message{size: 144, fields: fields{5: value, 6: attribute}}
	return request(span), request(metricMessage(attribute)), request(record)
}()

func metricMessage(attribute *message) *message {
	exemplar := &message{size: 96, fields: fields{7: attribute}}
	buckets := &message{size: 32, packed: 2}
	points := func(point *message) *message { return &message{size: 48, fields: fields{1: point}} }
	return &message{size: 136, fields: fields{
		5:  points(&message{size: 128, fields: fields{5: exemplar, 7: attribute}}),
		7:  points(&message{size: 128, fields: fields{5: exemplar, 7: attribute}}),
		9:  points(&message{size: 176, fields: fields{8: exemplar, 9: attribute}}),
		10: points(&message{size: 208, fields: fields{1: attribute, 8: buckets, 9: buckets, 11: exemplar}}),
		11: points(&message{size: 104, fields: fields{6: {size: 32}, 7: attribute}}),
		12: attribute,
	}}
}

// checkWeight refuses a body that would take too much in memory.
func checkWeight(size int, weight, maxDecoded int64) error {
	if weight/maxWeight > maxDecoded {
		return tooLarge("body of %d bytes would take about %d in memory, must be at most %d", size, weight, maxWeight*maxDecoded)
	}
	return nil
}

// weight estimates what a request takes in memory when it is decoded. An empty span is two bytes in a body and hundreds in
// memory, so the size of the body alone bounds nothing. Of a body that is no protobuf it weighs what comes before the
// first mistake, which the decoder finds too.
func (m *message) weight(body []byte) int64 { return int64(len(body)) + m.weigh(body, 0) }

func (m *message) weigh(b []byte, depth int) int64 {
	sum := m.size
	if depth > maxDepth {
		return sum
	}
	for len(b) > 0 {
		tag, value, rest, ok := nextField(b) // what is in a group is weighed as if it were beside it
		if !ok {
			break
		}
		switch number := tag >> 3; {
		case value == nil:
		case m.child(number) != nil:
			sum += m.child(number).weigh(value, depth+1)
		case m.packed > 0 && number == uint64(m.packed):
			sum += 8 * int64(len(value))
		}
		b = rest
	}
	return sum
}

// child returns what kind of message a field is, or nil.
func (m *message) child(number uint64) *message {
	if number == deprecatedScopes {
		number = 2
	}
	if number < uint64(len(m.fields)) {
		return m.fields[number]
	}
	return nil
}

// countSpans counts the spans of an ExportTraceServiceRequest without a look into them. open tells that a group begins around them and
// does not end, which decoders read in different ways.
func countSpans(req []byte) (n int, open bool) {
	w := walk{b: req}
	for w.next(1) {
		scopes, found, unclosed := countIn(w.value, 2)
		if !found { // decoders look at the old field only then
			scopes, _, unclosed = countIn(w.value, deprecatedScopes)
		}
		n, open = n+scopes, open || unclosed
	}
	return n, open || w.groups > 0
}

// countIn counts the spans in a field of resource spans, and tells whether the field is there and whether a group stays open.
func countIn(resourceSpans []byte, field uint64) (n int, found, open bool) {
	scopes := walk{b: resourceSpans}
	for ; scopes.next(field); found = true {
		spans := walk{b: scopes.value}
		for spans.next(2) {
			n++
		}
		open = open || spans.groups > 0
	}
	return n, found, open || scopes.groups > 0
}

// walk goes from one message to the next in one field.
type walk struct {
	b      []byte
	value  []byte
	groups int
}

// next finds the next message, up to the first mistake.
func (w *walk) next(field uint64) bool {
	for len(w.b) > 0 {
		tag, value, rest, ok := nextField(w.b)
		if !ok {
			return false
		}
		w.b = rest
		switch {
		case tag&7 == startGroup:
			w.groups++
		case tag&7 == endGroup:
			w.groups--
		case w.groups == 0 && tag == field<<3|2:
			w.value = value
			return true
		}
	}
	return false
}

// Types of fields that have no value of their own.
const startGroup, endGroup = 3, 4

// nextField cuts the first field off b. value is nil unless the field is bytes. A group has no length: its start and its
// end are fields like others.
func nextField(b []byte) (tag uint64, value, rest []byte, ok bool) {
	tag, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, nil, false
	}
	b = b[n:]
	tag &= 1<<35 - 1 // some decoders keep 32 bits of a field's number
	size := uint64(0)
	switch tag & 7 {
	case 0:
		_, n = binary.Uvarint(b)
		return tag, nil, b[max(n, 0):], n > 0
	case 1:
		size = 8
	case 2:
		if size, n = binary.Uvarint(b); n <= 0 {
			return 0, nil, nil, false
		}
		b = b[n:]
	case startGroup, endGroup:
	case 5:
		size = 4
	default:
		return 0, nil, nil, false
	}
	if size > uint64(len(b)) {
		return 0, nil, nil, false
	}
	if tag&7 == 2 {
		value = b[:size:size]
	}
	return tag, value, b[size:], true
}
