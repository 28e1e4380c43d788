package otlp

import (
	"iter"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// ValueKind is which kind of value an attribute has.
type ValueKind uint8

// The kinds of values.
const (
	ValueEmpty ValueKind = iota // nothing was set
	ValueStr
	ValueInt
	ValueFloat
	ValueBool
	ValueBytes
	ValueList
	ValueMap
)

var valueKindNames = [...]string{"empty", "string", "int", "float", "bool", "bytes", "list", "map"}

// String returns the name in lower case.
func (k ValueKind) String() string {
	if int(k) >= len(valueKindNames) {
		return "unknown"
	}
	return valueKindNames[k]
}

// Value is the value of an attribute, or of a member of a list or map. The zero value is empty. It is a view into the
// request.
type Value struct {
	kind ValueKind
	num  uint64
	data string
}

// merge reads an AnyValue over what v is, as protobuf does when a field stands twice.
func (v Value) merge(msg string) Value {
	if len(msg) >= 2 && msg[0] == 1<<3|byte(protowire.BytesType) && msg[1] < 0x80 && int(msg[1]) == len(msg)-2 { // most are short strings
		return Value{ValueStr, 0, msg[2:]}
	}
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		switch f.num() {
		case 1:
			v = Value{ValueStr, 0, f.in(msg)}
		case 2:
			v = Value{ValueBool, f.u, ""}
		case 3:
			v = Value{ValueInt, f.u, ""}
		case 4:
			v = Value{ValueFloat, f.u, ""}
		case 5:
			v = Value{ValueList, 0, f.in(msg)}
		case 6:
			v = Value{ValueMap, 0, f.in(msg)}
		case 7:
			v = Value{ValueBytes, 0, f.in(msg)}
		case 8: // an index into a dictionary, which traces do not have
			v = Value{}
		}
	}
	return v
}

// Kind returns the kind of the value.
func (v Value) Kind() ValueKind { return v.kind }

// Str returns a string as it came, "" if the value is of another kind. It may be invalid UTF-8: show it with [Text].
func (v Value) Str() string {
	if v.kind != ValueStr {
		return ""
	}
	return v.data
}

// Int returns an integer, 0 if the value is of another kind.
func (v Value) Int() int64 {
	if v.kind != ValueInt {
		return 0
	}
	return int64(v.num)
}

// Float returns a float, 0 if the value is of another kind.
func (v Value) Float() float64 {
	if v.kind != ValueFloat {
		return 0
	}
	return math.Float64frombits(v.num)
}

// Bool returns a boolean, false if the value is of another kind.
func (v Value) Bool() bool { return v.kind == ValueBool && v.num != 0 }

// Bytes returns bytes, nil if there are none or the value is of another kind. They are part of the request and must not be
// changed.
func (v Value) Bytes() []byte {
	if v.kind != ValueBytes || v.data == "" {
		return nil
	}
	return bytesOf(v.data)
}

// List returns the members of a list, none if the value is of another kind.
func (v Value) List() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.eachItem(yield) }
}

func (v Value) eachItem(yield func(Value) bool) {
	if v.kind != ValueList {
		return
	}
	for pos := 0; pos < len(v.data); {
		f := next(v.data, pos)
		pos = f.end
		if f.num() == 1 && !yield(Value{}.merge(f.in(v.data))) {
			return
		}
	}
}

// Map returns the members of a map in their order, also those whose key stands twice, none if the value is of another kind.
func (v Value) Map() iter.Seq2[string, Value] { return v.members().all() }

// Get returns the first member of a map that has the key.
func (v Value) Get(key string) (Value, bool) { return v.members().get(key) }

func (v Value) members() attributes {
	if v.kind != ValueMap {
		return attributes{}
	}
	return attributes{v.data, 1}
}

// Clone returns the value with bytes of its own.
func (v Value) Clone() Value {
	v.data = strings.Clone(v.data)
	return v
}
