package otlp

import (
	"encoding/binary"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// The package reads from strings rather than from bytes: a part of a string is a string, so a view costs nothing.

// stringOf is a view of bytes as a string.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf is a view of a string as bytes, to be read only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// field is one field of a message, as next reads it. Loops over a message have this form:
//
//	for pos := 0; pos < len(msg); {
//		f := next(msg, pos)
//		pos = f.end
//		switch f.num() { ... }
//	}
//
// The struct is small enough for registers: with one word more, or as an iterator, a walk takes twice as long.
type field struct {
	tag  uint64
	u    uint64 // the value of a varint, fixed32 or fixed64
	from int    // where the value of a length-delimited field begins
	end  int    // where the field ends, and the next begins
}

func (f field) num() uint64 { return f.tag >> 3 }

func (f field) wire() protowire.Type { return protowire.Type(f.tag & 7) }

// in returns the value of a length-delimited field of msg; "" of others.
func (f field) in(msg string) string { return msg[f.from:f.end] }

// next reads the field at pos. Where there is none, because the message is malformed there, it returns a field of number 0,
// which no field has, and that ends with the message.
func next(msg string, pos int) field {
	tag, pos := uint64(msg[pos]), pos+1
	if tag >= 0x80 {
		if tag, pos = varint(msg, pos-1); pos < 0 {
			return field{end: len(msg)}
		}
	}
	if tag&7 == uint64(protowire.BytesType) && pos < len(msg) {
		size := uint64(msg[pos])
		pos++
		if size >= 0x80 {
			if size, pos = varint(msg, pos-1); pos < 0 {
				return field{end: len(msg)}
			}
		}
		if size <= uint64(len(msg)-pos) {
			return field{tag, 0, pos, pos + int(size)}
		}
		return field{end: len(msg)}
	}
	return number(msg, pos, tag)
}

// number reads the value of a field that is not length-delimited.
func number(msg string, pos int, tag uint64) field {
	var u uint64
	switch rest := msg[pos:]; protowire.Type(tag & 7) {
	case protowire.VarintType:
		if len(rest) > 0 && rest[0] < 0x80 {
			u, pos = uint64(rest[0]), pos+1
		} else {
			u, pos = varint(msg, pos)
		}
	case protowire.Fixed64Type:
		if len(rest) < 8 {
			return field{end: len(msg)}
		}
		u, pos = binary.LittleEndian.Uint64(bytesOf(rest)), pos+8
	case protowire.Fixed32Type:
		if len(rest) < 4 {
			return field{end: len(msg)}
		}
		u, pos = uint64(binary.LittleEndian.Uint32(bytesOf(rest))), pos+4
	case protowire.StartGroupType:
		pos = skipGroup(msg, pos, tag)
	default:
		pos = -1
	}
	if pos < 0 {
		return field{end: len(msg)}
	}
	return field{tag, u, pos, pos}
}

// varint reads at pos, and returns the position behind, below zero when there is no varint of 64 bits.
func varint(msg string, pos int) (uint64, int) {
	u, n := protowire.ConsumeVarint(bytesOf(msg[pos:]))
	if n < 0 {
		return 0, -1
	}
	return u, pos + n
}

// skipGroup returns the position behind the group whose first tag ends at pos, below zero when there is none. Groups are
// older than OTLP: one can only be an unknown field.
func skipGroup(msg string, pos int, tag uint64) int {
	n := protowire.ConsumeFieldValue(protowire.Number(tag>>3), protowire.StartGroupType, bytesOf(msg[pos:]))
	if n < 0 {
		return -1
	}
	return pos + n
}

// region is the part of a message from the first field of a kind to the last: as a rule only they are in it.
type region struct{ from, to int }

func (r *region) add(from, to int) {
	if r.to == 0 {
		r.from = from
	}
	r.to = to
}

func (r region) of(msg string) string { return msg[r.from:r.to] }
