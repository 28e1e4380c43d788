package store

import (
	"encoding/binary"
	"math/bits"
	"os"
	"path/filepath"
)

// repeats knows the newest requests of a kind, so that one that comes again is not kept again: a sender whose answer was lost sends it
// once more, byte for byte. The zero value knows none.
type repeats struct {
	known map[uint64]struct{}
	ring  []uint64 // the oldest is at next, once it is full
	next  int
}

// maxRepeats is how many requests are known. Senders try again for a minute or so.
const maxRepeats = 1 << 16

func (r *repeats) holds(sum uint64) bool {
	_, ok := r.known[sum]
	return ok
}

func (r *repeats) add(sum uint64) {
	if r.holds(sum) {
		return
	}
	if r.known == nil {
		r.known = make(map[uint64]struct{})
	}
	r.known[sum] = struct{}{}
	if len(r.ring) < maxRepeats {
		r.ring = append(r.ring, sum)
		return
	}
	delete(r.known, r.ring[r.next])
	r.ring[r.next] = sum
	r.next = (r.next + 1) % maxRepeats
}

// sumOf is a hash of a request. It stands in a file, so it stays as it is.
func sumOf(req []byte) uint64 {
	const k0, k1 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	h := uint64(len(req)) ^ k0
	mix := func(a, b uint64) {
		hi, lo := bits.Mul64(a^k1, b^h)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	for ; len(req) >= 16; req = req[16:] {
		mix(binary.LittleEndian.Uint64(req), binary.LittleEndian.Uint64(req[8:]))
	}
	var rest [16]byte
	copy(rest[:], req)
	mix(binary.LittleEndian.Uint64(rest[:]), binary.LittleEndian.Uint64(rest[8:]))
	mix(k0, k0)
	return h
}

const repeatsName = "repeats"

// saveRepeats writes down what is known for the next process: eight bytes for each request, those of a kind oldest first, with their
// number before them. Those of a process that was killed are in its logs.
func (s *Store) saveRepeats() error {
	var b []byte
	for _, l := range s.lanes {
		r := &l.repeats
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r.ring)))
		for i := range r.ring {
			b = binary.LittleEndian.AppendUint64(b, r.ring[(r.next+i)%len(r.ring)])
		}
	}
	return os.WriteFile(filepath.Join(s.dir, repeatsName), b, 0o600)
}

// readRepeats reads that. Without it a request that comes again is one more.
func (s *Store) readRepeats() {
	b, err := os.ReadFile(filepath.Join(s.dir, repeatsName))
	if err != nil {
		return
	}
	for _, l := range s.lanes {
		if len(b) < 4 {
			return
		}
		n := binary.LittleEndian.Uint32(b)
		b = b[4:]
		for ; n > 0 && len(b) >= 8; n, b = n-1, b[8:] {
			l.repeats.add(binary.LittleEndian.Uint64(b))
		}
	}
}
