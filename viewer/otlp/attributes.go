package otlp

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// attributes are the KeyValue fields of a message, by the number that they have in it.
type attributes struct {
	msg string
	num uint64
}

// each calls yield for the attributes in their order until it returns false.
func (a attributes) each(yield func(string, Value) bool) {
	for pos := 0; pos < len(a.msg); {
		f := next(a.msg, pos)
		pos = f.end
		if f.num() == a.num && !yield(keyValue(f.in(a.msg))) {
			return
		}
	}
}

// all is each as an iterator. It is a literal because the compiler lets loops over a method value allocate.
func (a attributes) all() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) { a.each(yield) }
}

// get returns the first attribute of that key.
func (a attributes) get(key string) (Value, bool) {
	for pos := 0; pos < len(a.msg); {
		f := next(a.msg, pos)
		pos = f.end
		if f.num() == a.num && keyOf(f.in(a.msg)) == key {
			_, v := keyValue(f.in(a.msg))
			return v, true
		}
	}
	return Value{}, false
}

func keyOf(msg string) (key string) {
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() == 1 {
			key = f.in(msg)
		}
	}
	return key
}

func keyValue(msg string) (key string, v Value) {
	if key, msg, ok := split(msg); ok {
		return key, Value{}.merge(msg)
	}
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		switch f.num() {
		case 1:
			key = f.in(msg)
		case 2:
			v = v.merge(f.in(msg))
		}
	}
	return key, v
}

// split cuts a KeyValue of the form that nearly all have: a key and then a value, both short, and nothing else. Not to look at
// it field by field halves the time of a walk over attributes.
func split(msg string) (key, value string, ok bool) {
	const keyTag, valueTag = 1<<3 | byte(protowire.BytesType), 2<<3 | byte(protowire.BytesType)
	if len(msg) < 4 || msg[0] != keyTag || msg[1] >= 0x80 {
		return "", "", false
	}
	from := 2 + int(msg[1]) // the second field
	if len(msg) < from+2 || msg[from] != valueTag || msg[from+1] >= 0x80 || int(msg[from+1]) != len(msg)-from-2 {
		return "", "", false
	}
	return msg[2:from], msg[from+2:], true
}
