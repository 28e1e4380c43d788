package packed_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/lensgo/lens/viewer/internal/packed"
)

func whole() []byte {
	b := binary.AppendUvarint(nil, 300)
	b = binary.AppendVarint(b, -7)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1.5))
	b = binary.AppendUvarint(b, 3)
	return append(b, "abc"...)
}

func TestReader(t *testing.T) {
	r := packed.NewReader(whole())
	if u, v, f, s := r.Uvarint(), r.Varint(), r.Float(), string(r.Bytes(r.Count(1))); u != 300 || v != -7 || f != 1.5 || s != "abc" {
		t.Errorf("read %d, %d, %v, %q", u, v, f, s)
	}
	if r.Len() != 0 || r.Err() != nil {
		t.Errorf("%d bytes are left, %v", r.Len(), r.Err())
	}
}

// What is cut anywhere is an error, and all that is read from there on is zero.
func TestReader_cut(t *testing.T) {
	for n := range len(whole()) {
		r := packed.NewReader(whole()[:n])
		r.Uvarint()
		r.Varint()
		r.Float()
		r.Bytes(r.Count(1))
		if r.Err() == nil || r.Len() != 0 {
			t.Errorf("cut at %d: %v, %d bytes are left", n, r.Err(), r.Len())
		}
		first := r.Err()
		if u, v, f, s, c := r.Uvarint(), r.Varint(), r.Float(), r.Bytes(1), r.Count(1); u != 0 || v != 0 || f != 0 || s != nil || c != 0 {
			t.Errorf("after the cut at %d: %d, %d, %v, %q, %d", n, u, v, f, s, c)
		}
		if r.Fail("another"); r.Err() != first {
			t.Errorf("the first mistake was %v, then %v", first, r.Err())
		}
	}
}

// A count that cannot be true costs no memory.
func TestReader_Count_too_large(t *testing.T) {
	r := packed.NewReader(append(binary.AppendUvarint(nil, 4), 1, 2, 3, 4, 5, 6, 7))
	if n := r.Count(2); n != 0 || r.Err() == nil {
		t.Errorf("%d things of two bytes in seven: %v", n, r.Err())
	}
	r = packed.NewReader(binary.AppendUvarint(nil, math.MaxUint64))
	if n := r.Count(1); n != 0 || r.Err() == nil {
		t.Errorf("%d, %v", n, r.Err())
	}
}
