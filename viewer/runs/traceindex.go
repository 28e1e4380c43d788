package runs

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/lensgo/lens/viewer/otlp"
)

// traceIndex finds the rows of traces by their ids. It takes eight bytes for a trace, at half of its places, and nothing for the
// collector to follow: the ids stand in the rows. Only the writer changes it; readers go through lookUp.
type traceIndex struct {
	mu     sync.RWMutex // of readers, and of changes
	places []uint64     // the hash of an id over 1 + its row; 0: free
	n      int
}

// salts make it unlikely that somebody's ids meet in one place.
var salts = [2]uint64{rand.Uint64(), rand.Uint64()}

func hashOf(id otlp.TraceID) uint32 {
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^salts[0], binary.LittleEndian.Uint64(id[8:])^salts[1])
	return uint32((hi ^ lo) * 0x9E3779B97F4A7C15 >> 32)
}

// home is where the search for a hash begins.
func (x *traceIndex) home(hash uint32) int {
	return int(uint64(hash) >> (32 - bits.Len(uint(len(x.places)-1))))
}

// find returns the row of an id. is tells whether it is that of a row.
func (x *traceIndex) find(id otlp.TraceID, is func(row uint32) bool) (row uint32, ok bool) {
	if x.n == 0 {
		return 0, false
	}
	hash := hashOf(id)
	for at := x.home(hash); x.places[at] != 0; at = (at + 1) & (len(x.places) - 1) {
		if p := x.places[at]; uint32(p>>32) == hash && is(uint32(p)-1) {
			return uint32(p) - 1, true
		}
	}
	return 0, false
}

// lookUp is find for readers.
func (x *traceIndex) lookUp(id otlp.TraceID, is func(row uint32) bool) (row uint32, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.find(id, is)
}

// add adds an id that is not there.
func (x *traceIndex) add(id otlp.TraceID, row uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.n >= len(x.places)/4*3 {
		x.resize(max(2*len(x.places), 64))
	}
	x.n++
	x.put(uint64(hashOf(id))<<32 | uint64(row+1))
}

func (x *traceIndex) put(p uint64) {
	at := x.home(uint32(p >> 32))
	for x.places[at] != 0 {
		at = (at + 1) & (len(x.places) - 1)
	}
	x.places[at] = p
}

func (x *traceIndex) resize(size int) {
	old := x.places
	x.places = make([]uint64, size)
	for _, p := range old {
		if p != 0 {
			x.put(p)
		}
	}
}

// drop removes the id of a row.
func (x *traceIndex) drop(id otlp.TraceID, row uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	hash, mask := hashOf(id), len(x.places)-1
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
