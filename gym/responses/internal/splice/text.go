// Package splice writes JSON by putting checked values in between new text, so that conversions between dialects copy
// what they do not change: no value is decoded, no number or string is written anew.
package splice

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is JSON under construction. The zero value is empty. Separators come by themselves; the caller opens and closes
// what belongs together.
type Text struct {
	// B is what was written so far.
	B []byte
}

// separate writes a comma when a value stands before. A string ends with a quote, so that what is last is no content.
func (t *Text) separate() {
	if n := len(t.B); n > 0 {
		switch t.B[n-1] {
		case '{', '[', ':':
		default:
			t.B = append(t.B, ',')
		}
	}
}

// Open begins an object or an array: '{' or '['.
func (t *Text) Open(bracket byte) {
	t.separate()
	t.B = append(t.B, bracket)
}

// Close ends what was opened: '}' or ']'.
func (t *Text) Close(bracket byte) { t.B = append(t.B, bracket) }

// Name writes the name of a member; its value follows.
func (t *Text) Name(name string) {
	t.separate()
	t.B = AppendString(t.B, name)
	t.B = append(t.B, ':')
}

// String writes a string; invalid UTF-8 in it becomes U+FFFD.
func (t *Text) String(s string) {
	t.separate()
	t.B = AppendString(t.B, s)
}

// Raw writes a checked value as it stands; nil is null.
func (t *Text) Raw(v jsontext.Value) {
	t.separate()
	if v == nil {
		v = jsontext.Value("null")
	}
	t.B = append(t.B, v...)
}

// Int writes an integer.
func (t *Text) Int(n int64) {
	t.separate()
	t.B = strconv.AppendInt(t.B, n, 10)
}

// Literal writes a piece of JSON that the program knows, a value or a run of members.
func (t *Text) Literal(s string) {
	t.separate()
	t.B = append(t.B, s...)
}

// Member writes a member with a checked value.
func (t *Text) Member(name string, v jsontext.Value) {
	t.Name(name)
	t.Raw(v)
}

// StringMember writes a member with a string.
func (t *Text) StringMember(name, s string) {
	t.Name(name)
	t.String(s)
}

// AppendString appends s as a JSON string; invalid UTF-8 in it becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only says that a byte was replaced
	return dst
}

// OneLine returns checked JSON without line breaks: it is put on one line when it has some, with numbers and strings as
// they are. b may be written to.
func OneLine(b []byte) []byte {
	if !bytes.ContainsAny(b, "\r\n") { // never inside of a JSON string
		return b
	}
	v := jsontext.Value(b)
	if err := v.Compact(); err != nil {
		return b
	}
	return v
}
