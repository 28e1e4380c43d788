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
	at  int
	err error
}

// NewReader reads b, which must not change meanwhile.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Fail ends the reading. Only the first reason counts.
func (r *Reader) Fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.at = len(r.b)
}

// Err is the first mistake.
func (r *Reader) Err() error { return r.err }

// Len is the number of bytes that are left.
func (r *Reader) Len() int { return len(r.b) - r.at }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.at >= len(r.b) {
		r.Fail(midNumber)
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

const midNumber = "it ends in the middle of a number"

// Uvarint reads what binary.AppendUvarint wrote. Most numbers are small.
func (r *Reader) Uvarint() uint64 {
	if at := r.at; at < len(r.b) && r.b[at] < 0x80 {
		r.at = at + 1
		return uint64(r.b[at])
	}
	return r.uvarint()
}

func (r *Reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.Fail(midNumber)
		return 0
	}
	r.at += n
	return x
}

// Varint reads what binary.AppendVarint wrote.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Word reads eight bytes, little end first.
func (r *Reader) Word() uint64 {
	if r.Len() < 8 {
		r.Fail(midNumber)
		return 0
	}
	r.at += 8
	return binary.LittleEndian.Uint64(r.b[r.at-8:])
}

// Float reads a Word that is a float64.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Word()) }

// Count reads the number of things that follow, each at least so many bytes long.
func (r *Reader) Count(least int) int {
	n := r.Uvarint()
	if n > uint64(r.Len()/least) {
		r.Fail("it ends before its last entry")
		return 0
	}
	return int(n)
}

// Bytes reads n bytes, which are those of the reader. They are nil when there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n > r.Len() {
		r.Fail("it ends in the middle of a text")
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}
