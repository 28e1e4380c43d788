package runs

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/lensgo/lens/viewer/otlp"
)

// rowIndex finds rows by a hash of what is in them. It takes eight bytes for a row, at half of its places, and nothing for the collector
// to follow. Only the writer changes it; readers go through lookUp.
type rowIndex struct {
	mu     sync.RWMutex // of readers, and of changes
	places []uint64     // the hash over 1 + the row; 0: free
	n      int
}

// salts make it unlikely that somebody's ids meet in one place.
var salts = [2]uint64{rand.Uint64(), rand.Uint64()}

func hashOf(a, b uint64) uint32 {
	hi, lo := bits.Mul64(a^salts[0], b^salts[1])
	return uint32((hi ^ lo) * 0x9E3779B97F4A7C15 >> 32)
}

func hashTrace(id otlp.TraceID) uint32 {
	return hashOf(binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:]))
}

func hashTask(env string, task int) uint32 { return hashOf(maphash.String(seed, env), uint64(task)) }

// home is where the search for a hash begins.
func (x *rowIndex) home(hash uint32) int {
	return int(uint64(hash) >> (32 - bits.Len(uint(len(x.places)-1))))
}

// find returns the first row of a hash that is the one.
func (x *rowIndex) find(hash uint32, is func(row uint32) bool) (row uint32, ok bool) {
	if x.n == 0 {
		return 0, false
	}
	for at := x.home(hash); x.places[at] != 0; at = (at + 1) & (len(x.places) - 1) {
		if p := x.places[at]; uint32(p>>32) == hash && is(uint32(p)-1) {
			return uint32(p) - 1, true
		}
	}
	return 0, false
}

// lookUp is find for readers.
func (x *rowIndex) lookUp(hash uint32, is func(row uint32) bool) (row uint32, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.find(hash, is)
}

// add adds a row.
func (x *rowIndex) add(hash, row uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.n >= len(x.places)/4*3 {
		x.resize(max(2*len(x.places), 64))
	}
	x.n++
	x.put(uint64(hash)<<32 | uint64(row+1))
}

func (x *rowIndex) put(p uint64) {
	at := x.home(uint32(p >> 32))
	for x.places[at] != 0 {
		at = (at + 1) & (len(x.places) - 1)
	}
	x.places[at] = p
}

func (x *rowIndex) resize(size int) {
	old := x.places
	x.places = make([]uint64, size)
	for _, p := range old {
		if p != 0 {
			x.put(p)
		}
	}
}

// reset forgets all rows. It is for an index that nobody else has.
func (x *rowIndex) reset() {
	clear(x.places)
	x.n = 0
}

// drop removes a row, which is there.
func (x *rowIndex) drop(hash, row uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	mask := len(x.places) - 1
	at := x.home(hash)
	for x.places[at] != uint64(hash)<<32|uint64(row+1) {
		at = (at + 1) & mask
	}
	for next := (at + 1) & mask; x.places[next] != 0; next = (next + 1) & mask { // what follows moves up, so that no gap stops a search
		if home := x.home(uint32(x.places[next] >> 32)); (next-home)&mask >= (next-at)&mask {
			x.places[at] = x.places[next]
			at = next
		}
	}
	x.places[at] = 0
	if x.n--; x.n < len(x.places)/8 && len(x.places) > 1024 {
		x.resize(len(x.places) / 2)
	}
}
