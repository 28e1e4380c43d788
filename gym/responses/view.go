package responses

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// View returns an object that is part of text that was checked before, such as an element of [Object.Array], or that the
// program has written itself. It checks nothing but the first byte.
func View(v jsontext.Value) (Object, bool) {
	v = trim(v)
	if v.Kind() != '{' {
		return Object{}, false
	}
	return Object{raw: v}, true
}

// Elements returns the elements of an array in text that was checked before, as [Object.Array] does for a member.
func Elements(v jsontext.Value) ([]jsontext.Value, bool) {
	if v.Kind() != '[' {
		return nil, false
	}
	return elements(v), true
}

// Text returns a JSON string of text that was checked before; "" and false when the value is something else.
func Text(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	return unquote(trim(v)), true
}

// IsNull reports whether a value of text that was checked before is null or not there.
func IsNull(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// isTrue reports whether v is the literal true.
func isTrue(v jsontext.Value) bool { return bytes.Equal(trim(v), []byte("true")) }
