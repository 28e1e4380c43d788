package otlp

import (
	"errors"
	"io"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Error says where a request is no ExportTraceServiceRequest.
type Error struct {
	Offset int    // of the field's tag in the request, in bytes
	Field  string // its path by the names of OTLP, "resource_spans.scope_spans.spans.trace_id"; "" where it has none
	Reason string // what is wrong and what would be right
}

func (e *Error) Error() string {
	text := "cannot read trace request at byte " + strconv.Itoa(e.Offset)
	if e.Field != "" {
		text += ", field " + e.Field
	}
	return text + ": " + e.Reason
}

// maxPath bounds the path of a field: that of a value may be 100 messages long, and its outer part says enough.
const maxPath = 160

// in puts the error into a field of the message around it.
func (e *Error) in(field string) *Error {
	switch {
	case e.Field == "":
		e.Field = field
	case len(e.Field) > maxPath:
		e.Field = field + "..." + e.Field[len(e.Field)-maxPath/2:]
	default:
		e.Field = field + "." + e.Field
	}
	return e
}

// explain says what is wrong with the field of a message that begins at offset at.
func explain(m *message, msg string, at int) *Error {
	fail := func(field, reason string) *Error { return &Error{Offset: at, Field: field, Reason: reason} }
	b := bytesOf(msg[at:])
	tag, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return fail("", "tag "+cut(n))
	}
	num, wire, rest := tag>>3, protowire.Type(tag&7), b[n:]
	if num == 0 || num > maxField {
		return fail("", "field number is "+strconv.FormatUint(num, 10)+", must be 1 to "+strconv.Itoa(maxField))
	}
	known := m.field(num)
	name := known.name
	switch {
	case name == "":
		name = strconv.FormatUint(num, 10)
	case wire != known.wire:
		return fail(name, "wire type is "+wireName(wire)+", must be "+wireName(known.wire))
	}
	if wire != protowire.BytesType {
		return fail(name, wireName(wire)+" "+cut(protowire.ConsumeFieldValue(protowire.Number(num), wire, rest)))
	}
	size, n := protowire.ConsumeVarint(rest)
	if n < 0 {
		return fail(name, "length "+cut(n))
	}
	if have := len(rest) - n; size > uint64(have) {
		return fail(name, "length is "+strconv.FormatUint(size, 10)+", but only "+strconv.Itoa(have)+" bytes are left")
	}
	return fail(name, "length is "+strconv.FormatUint(size, 10)+", must be "+strconv.Itoa(known.size)+" or 0")
}

// cut says what an error code of protowire means for what was read.
func cut(code int) string {
	if errors.Is(protowire.ParseError(code), io.ErrUnexpectedEOF) {
		return "is cut off"
	}
	return "is malformed"
}

func wireName(t protowire.Type) string {
	switch t {
	case protowire.VarintType:
		return "varint"
	case protowire.Fixed64Type:
		return "fixed64"
	case protowire.BytesType:
		return "length-delimited"
	case protowire.StartGroupType:
		return "group"
	case protowire.EndGroupType:
		return "end of group"
	case protowire.Fixed32Type:
		return "fixed32"
	}
	return "reserved (" + strconv.Itoa(int(t)) + ")"
}

// moved counts the offset from base on.
func (e *Error) moved(base int) *Error {
	e.Offset += base
	return e
}
