package otlp

import "iter"

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
