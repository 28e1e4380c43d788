package otlp

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
)

// AppendJSON appends the value as JSON: an empty one is null, bytes are base64, lists are arrays, maps are objects. What
// JSON or its usual readers cannot hold is text: "NaN", "Infinity", "-Infinity", and integers that a reader with 64-bit
// floats would round (beyond ±(2^53-1)). Strings are made valid by [Text]; of members with the same name the first is
// written.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case ValueStr:
		return appendQuoted(dst, v.data)
	case ValueInt:
		return appendInt(dst, v.Int())
	case ValueFloat:
		return appendFloat(dst, v.Float())
	case ValueBool:
		return strconv.AppendBool(dst, v.Bool())
	case ValueBytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
		return append(dst, '"')
	case ValueList:
		dst = append(dst, '[')
		start := len(dst)
		for item := range v.List() {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	case ValueMap:
		return AppendJSONObject(dst, v.Map())
	}
	return append(dst, "null"...)
}

// AppendJSONObject appends attributes as one JSON object, each as [Value.AppendJSON] does.
func AppendJSONObject(dst []byte, members func(yield func(string, Value) bool)) []byte {
	dst = append(dst, '{')
	start := len(dst)
	var seen names
	for key, v := range members {
		key = Text(key) // first, because two keys may become one
		if !seen.add(key) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, key)
		dst = append(dst, ':')
		dst = v.AppendJSON(dst)
	}
	return append(dst, '}')
}

// names is a set of strings that allocates nothing while it is small.
type names struct {
	few  [16]string
	n    int
	many map[string]struct{}
}

// add tells whether the name is new.
func (s *names) add(name string) bool {
	if slices.Contains(s.few[:s.n], name) {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	if _, have := s.many[name]; have {
		return false
	}
	if s.many == nil {
		s.many = make(map[string]struct{})
	}
	s.many[name] = struct{}{}
	return true
}

// String returns the value as text for people: a string made valid by [Text], "" for an empty value, everything else as in
// JSON but without quotes around it.
func (v Value) String() string {
	switch v.kind {
	case ValueEmpty:
		return ""
	case ValueStr:
		return Text(v.data)
	case ValueInt:
		return strconv.FormatInt(v.Int(), 10)
	case ValueFloat, ValueBytes:
		b := v.AppendJSON(nil)
		if b[0] == '"' {
			b = b[1 : len(b)-1]
		}
		return string(b)
	}
	return string(v.AppendJSON(nil))
}

const maxExact = 1<<53 - 1

func appendInt(dst []byte, i int64) []byte {
	if i >= -maxExact && i <= maxExact {
		return strconv.AppendInt(dst, i, 10)
	}
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, i, 10)
	return append(dst, '"')
}

func appendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, x, format, -1, 64)
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string. Besides what JSON demands it escapes what would end a script or a line where the
// JSON is put into a page: < and the two line separators of Unicode.
func appendQuoted(dst []byte, s string) []byte {
	s = Text(s)
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != 0xe2 {
			continue
		}
		if c == 0xe2 {
			if s[i+1] == 0x80 && s[i+2]&^1 == 0xa8 { // s is valid, so that two bytes follow
				dst = append(dst, s[start:i]...)
				dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[s[i+2]&0xf])
				start = i + 3
			}
			i += 2
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, c)
		start = i + 1
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
