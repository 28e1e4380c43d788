package otlp

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxNesting is how many messages deep a value may be, as in pdata.
const maxNesting = 100

// maxField is the highest number of a field: the 32 bits that every implementation gives it, and no sign.
const maxField = 1<<31 - 1

// message is a kind of message of a request.
type message struct {
	fields [17]schema // by number
	nests  bool       // may be in itself
	pair   bool       // is a KeyValue
}

// schema is what OTLP says of a field.
type schema struct {
	name string // "" if OTLP does not know it
	wire protowire.Type
	size int      // of an id, which may also be left out
	msg  *message // what is in it
}

// request is the schema of ExportTraceServiceRequest.
var request = func() *message {
	varint := func(name string) schema { return schema{name: name, wire: protowire.VarintType} }
	fixed64 := func(name string) schema { return schema{name: name, wire: protowire.Fixed64Type} }
	fixed32 := func(name string) schema { return schema{name: name, wire: protowire.Fixed32Type} }
	text := func(name string) schema { return schema{name: name, wire: protowire.BytesType} }
	id := func(name string, size int) schema { return schema{name: name, wire: protowire.BytesType, size: size} }
	in := func(name string, m *message) schema { return schema{name: name, wire: protowire.BytesType, msg: m} }

	value := &message{nests: true}
	attribute := &message{nests: true, pair: true, fields: [17]schema{1: text("key"), 2: in("value", value), 3: varint("key_strindex")}}
	list := &message{nests: true, fields: [17]schema{1: in("values", value)}}
	pairs := &message{nests: true, fields: [17]schema{1: in("values", attribute)}}
	value.fields = [17]schema{
		1: text("string_value"), 2: varint("bool_value"), 3: varint("int_value"), 4: fixed64("double_value"),
		5: in("array_value", list), 6: in("kvlist_value", pairs), 7: text("bytes_value"), 8: varint("string_value_strindex"),
	}
	event := &message{fields: [17]schema{
		1: fixed64("time_unix_nano"), 2: text("name"), eventAttributes: in("attributes", attribute),
		4: varint("dropped_attributes_count"),
	}}
	link := &message{fields: [17]schema{
		1: id("trace_id", len(TraceID{})), 2: id("span_id", len(SpanID{})), 3: text("trace_state"),
		linkAttributes: in("attributes", attribute), 5: varint("dropped_attributes_count"), 6: fixed32("flags"),
	}}
	status := &message{fields: [17]schema{2: text("message"), 3: varint("code")}}
	span := &message{fields: [17]schema{
		1: id("trace_id", len(TraceID{})), 2: id("span_id", len(SpanID{})), 3: text("trace_state"),
		4: id("parent_span_id", len(SpanID{})), 5: text("name"), 6: varint("kind"),
		7: fixed64("start_time_unix_nano"), 8: fixed64("end_time_unix_nano"),
		spanAttributes: in("attributes", attribute), 10: varint("dropped_attributes_count"),
		spanEvents: in("events", event), 12: varint("dropped_events_count"),
		spanLinks: in("links", link), 14: varint("dropped_links_count"),
		15: in("status", status), 16: fixed32("flags"),
	}}
	scope := &message{fields: [17]schema{
		1: text("name"), 2: text("version"), scopeAttributes: in("attributes", attribute), 4: varint("dropped_attributes_count"),
	}}
	entity := &message{fields: [17]schema{1: text("schema_url"), 2: text("type"), 3: text("id_keys"), 4: text("description_keys")}}
	resource := &message{fields: [17]schema{
		resourceAttributes: in("attributes", attribute), 2: varint("dropped_attributes_count"), 3: in("entity_refs", entity),
	}}
	scopeSpans := &message{fields: [17]schema{1: in("scope", scope), 2: in("spans", span), 3: text("schema_url")}}
	resourceSpans := &message{fields: [17]schema{
		0: in("scope_spans", scopeSpans), // stands for oldScopeSpans: no field has the number 0
		1: in("resource", resource), currentScopeSpans: in("scope_spans", scopeSpans), 3: text("schema_url"),
	}}
	return &message{fields: [17]schema{1: in("resource_spans", resourceSpans)}}
}()

// field returns what the schema says of a number.
func (m *message) field(num uint64) *schema {
	if num < uint64(len(m.fields)) {
		return &m.fields[num]
	}
	if num == oldScopeSpans {
		return &m.fields[0]
	}
	return &unknown
}

var unknown schema

// Validate tells whether [WalkTraces] would accept the request. The error is an [*Error].
func Validate(req []byte) error {
	if err := request.check(stringOf(req), 0, 0); err != nil { // not returned as it is: a nil *Error is no nil error
		return err
	}
	return nil
}

// check looks at a message that begins at offset base of the request, in depth messages of values.
func (m *message) check(msg string, base, depth int) *Error {
	if m.pair && depth <= maxNesting-2 && plain(msg) {
		return nil
	}
	if m.nests {
		if depth++; depth > maxNesting {
			return &Error{Offset: base, Reason: "value is nested more than " + strconv.Itoa(maxNesting) + " messages deep"}
		}
	}
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		known := m.field(f.num())
		if f.num()-1 >= maxField || known.name != "" && !known.fits(f) {
			return explain(m, msg, pos).moved(base)
		}
		if known.msg != nil {
			if err := known.msg.check(f.in(msg), base+f.from, depth); err != nil {
				return err.in(known.name)
			}
		}
		pos = f.end
	}
	return nil
}

// fits tells whether a field is of the type that OTLP gives it.
func (s *schema) fits(f field) bool {
	return f.wire() == s.wire && (s.size == 0 || f.end == f.from || f.end == f.from+s.size)
}

// plain tells whether a KeyValue is of the form that nearly all have: a key and one string, boolean, integer or float, both
// short, in either order, and nothing else. Such a one is good, and not looking at it field by field halves the time of
// Validate.
func plain(msg string) bool {
	const key, value = 1<<3 | byte(protowire.BytesType), 2<<3 | byte(protowire.BytesType)
	if len(msg) < 4 || msg[1] >= 0x80 {
		return false
	}
	second := 2 + int(msg[1]) // where the second field begins
	if len(msg) < second+2 || msg[second+1] >= 0x80 || int(msg[second+1]) != len(msg)-second-2 {
		return false
	}
	switch {
	case msg[0] == key && msg[second] == value:
		return plainValue(msg[second+2:])
	case msg[0] == value && msg[second] == key:
		return plainValue(msg[2:second])
	}
	return false
}

func plainValue(msg string) bool {
	if len(msg) < 2 {
		return false
	}
	rest := msg[1:]
	switch msg[0] {
	case 1<<3 | byte(protowire.BytesType): // string_value
		return int(rest[0]) == len(rest)-1
	case 2<<3 | byte(protowire.VarintType), 3<<3 | byte(protowire.VarintType): // bool_value, int_value
		return isVarint(rest)
	case 4<<3 | byte(protowire.Fixed64Type): // double_value
		return len(rest) == 8
	}
	return false
}

// isVarint tells whether s, which is not empty, is one varint of at most 63 bits.
func isVarint(s string) bool {
	last := len(s) - 1
	for i := range last {
		if s[i] < 0x80 {
			return false
		}
	}
	return last < 9 && s[last] < 0x80
}
