// Package packed reads numbers and texts that were appended to one another, as the footers of chunks are. The first mistake ends a
// reading: what is read after it is zero, so that a caller need not look after each number.
//
//	r := packed.NewReader(footer)
//	for range r.Count(2) {
//		name, n := r.Bytes(r.Count(1)), r.Uvarint()
//		...
//	}
//	if err := r.Err(); err != nil { ... }
//
// Whatever the bytes are, no reading panics, and none gives more than there is: a count is checked against the bytes that are left.
package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// Reader reads from the front. The zero Reader has nothing to give.
type Reader struct {
	b   []byte
	err error
}

// NewReader reads b, which must not change meanwhile.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Fail ends the reading. Only the first reason counts.
func (r *Reader) Fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.b = nil
}

// Err is the first mistake.
func (r *Reader) Err() error { return r.err }

// Len is the number of bytes that are left.
func (r *Reader) Len() int { return len(r.b) }

// Uvarint reads what binary.AppendUvarint wrote.
func (r *Reader) Uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		x := uint64(r.b[0])
		r.b = r.b[1:]
		return x
	}
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.Fail("it ends in the middle of a number")
		return 0
	}
	r.b = r.b[n:]
	return x
}

// Varint reads what binary.AppendVarint wrote.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.b) == 0 {
		r.Fail("it ends in the middle of a number")
		return 0
	}
	x := r.b[0]
	r.b = r.b[1:]
	return x
}

// Word reads eight bytes, little end first.
func (r *Reader) Word() uint64 {
	if len(r.b) < 8 {
		r.Fail("it ends in the middle of a number")
		return 0
	}
	x := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return x
}

// Float reads a Word that is a float64.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Word()) }

// Count reads the number of things that follow, each at least so many bytes long.
func (r *Reader) Count(least int) int {
	n := r.Uvarint()
	if n > uint64(len(r.b)/least) {
		r.Fail("it ends before its last entry")
		return 0
	}
	return int(n)
}

// Bytes reads n bytes, which are those of the reader. They are nil when there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.b) {
		r.Fail("it ends in the middle of a text")
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}
