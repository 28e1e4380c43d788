package lens

import "math"

// Attr is one attribute, for the places that take a list of them: [Span.Set], [Span.Event] and [Span.Link]. Make it with
// Str, Int, Int64, Float, Bool or Strs; the zero Attr is skipped. Making one allocates nothing and costs the same
// whether a span is on or off, so hot paths use the setters of [Span] instead.
type Attr struct {
	key  string
	kind attrKind
	num  uint64 // an int64, the bits of a float64, or a bool
	str  string
	strs []string
}

type attrKind uint8

const (
	attrNone attrKind = iota
	attrStr
	attrInt
	attrFloat
	attrBool
	attrStrs
)

// Str makes a string attribute. It is redacted as [Span.Str] is, when it is written.
func Str(key, v string) Attr { return Attr{key: key, kind: attrStr, str: v} }

// Int makes an integer attribute.
func Int(key string, v int) Attr { return Int64(key, int64(v)) }

// Int64 makes an integer attribute.
func Int64(key string, v int64) Attr { return Attr{key: key, kind: attrInt, num: uint64(v)} }

// Float makes a floating-point attribute.
func Float(key string, v float64) Attr {
	return Attr{key: key, kind: attrFloat, num: math.Float64bits(v)}
}

// Bool makes a boolean attribute.
func Bool(key string, v bool) Attr {
	a := Attr{key: key, kind: attrBool}
	if v {
		a.num = 1
	}
	return a
}

// Strs makes a list attribute. The list is copied when the attribute is written or kept by [With], not before.
func Strs(key string, v []string) Attr { return Attr{key: key, kind: attrStrs, strs: v} }
