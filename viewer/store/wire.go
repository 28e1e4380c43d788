package store

import "google.golang.org/protobuf/encoding/protowire"

// wellFormed reports whether b is a protobuf message on its outside: its fields are whole, whatever is in them.
func wellFormed(b []byte) bool {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return false
		}
		b = b[n:]
	}
	return true
}
