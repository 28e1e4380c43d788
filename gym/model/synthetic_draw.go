package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"math/bits"
	"strconv"
)

// digest stands for everything that was written to a digester: where all of the synthetic model's chance comes from.
// Each draw has a purpose, and draws for different purposes are independent of each other.
type digest [sha256.Size]byte

// bits64 is uniform over all 64-bit numbers.
func (d digest) bits64(purpose string) uint64 {
	sum := sha256.Sum256(append(d[:], purpose...))
	return binary.BigEndian.Uint64(sum[:])
}

// unit is uniform in [0, 1).
func (d digest) unit(purpose string) float64 {
	return float64(d.bits64(purpose)>>11) * 0x1p-53
}

// index is uniform in [0, n); n must be above 0.
func (d digest) index(purpose string, n int) int {
	high, _ := bits.Mul64(d.bits64(purpose), uint64(n))
	return int(high)
}

// normal is drawn from the standard normal distribution (Box and Muller's transform).
func (d digest) normal(purpose string) float64 {
	radius := math.Sqrt(-2 * math.Log(1-d.unit(purpose)))
	return radius * math.Cos(2*math.Pi*d.unit(purpose+".angle"))
}

// id is a prefix and 24 hexadecimal digits.
func (d digest) id(prefix, purpose string) string {
	sum := sha256.Sum256(append(d[:], purpose...))
	return prefix + hex.EncodeToString(sum[:12])
}

// digester takes in a conversation part by part. Parts are framed, so that "ab","c" is not "a","bc".
type digester struct{ h hash.Hash }

func newDigester() digester { return digester{sha256.New()} }

func (d digester) add(parts ...string) {
	var frame [24]byte
	for _, p := range parts {
		d.h.Write(append(strconv.AppendInt(frame[:0], int64(len(p)), 10), ':'))
		io.WriteString(d.h, p)
	}
}

// sum is the digest of what was added so far; adding may go on.
func (d digester) sum() (out digest) {
	d.h.Sum(out[:0])
	return out
}
