package store

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

// hashID spreads a trace id over 32 bits. It is part of the file format: footers hold these, not the ids, which at 16 random
// bytes would be a tenth of the disk. Two ids of one hash cost a look into a chunk that has only the other.
func hashID(id otlp.TraceID) uint32 {
	const k0, k1 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^k0, binary.LittleEndian.Uint64(id[8:])^k1)
	h := (hi ^ lo) * k0
	return uint32(h >> 32)
}

// run is an index of some chunks of a segment: six bytes for a trace in a chunk and nothing for the collector to follow,
// because a folder of 100 million spans has tens of millions of these. It never changes.
type run struct {
	hash  []uint32 // sorted
	chunk []uint16 // position in the segment; sorted among equal hashes
}

// maxChunks is how many chunks a segment may have, by the width of run.chunk.
const maxChunks = 1 << 16

// newRun indexes one chunk.
func newRun(hashes []uint32, chunk int) run {
	r := run{hash: hashes, chunk: make([]uint16, len(hashes))}
	for i := range r.chunk {
		r.chunk[i] = uint16(chunk)
	}
	return r
}

// find appends the chunks that hold h.
func (r run) find(h uint32, found []uint16) []uint16 {
	i, ok := slices.BinarySearch(r.hash, h)
	if !ok {
		return found
	}
	for ; i < len(r.hash) && r.hash[i] == h; i++ {
		found = append(found, r.chunk[i])
	}
	return found
}

// mergeRuns makes one run of several, which are in the order of their chunks. It is a radix sort: at start there are
// hundreds of thousands of entries for each segment, and comparing them would be most of the time.
func mergeRuns(runs []run) run {
	n := 0
	for _, r := range runs {
		n += len(r.hash)
	}
	a := run{make([]uint32, 0, n), make([]uint16, 0, n)}
	for _, r := range runs {
		a.hash = append(a.hash, r.hash...)
		a.chunk = append(a.chunk, r.chunk...)
	}
	b := run{make([]uint32, n), make([]uint16, n)}
	for shift := 0; shift < 32; shift += 8 {
		var at [256]int
		for _, h := range a.hash {
			at[h>>shift&0xff]++
		}
		sum := 0
		for i, c := range at {
			at[i] = sum
			sum += c
		}
		for i, h := range a.hash {
			d := h >> shift & 0xff
			b.hash[at[d]], b.chunk[at[d]] = h, a.chunk[i]
			at[d]++
		}
		a, b = b, a
	}
	return a
}

// smallRuns is how many runs of single chunks there may be before they are merged.
const smallRuns = 64

// addRun appends the run of a chunk to those of a growing segment and merges now and then. The slice that it was given stays
// as it is, for those who read it.
func addRun(runs []run, r run) []run {
	runs = append(slices.Clip(runs), r)
	small := 0
	for small < len(runs) && runs[len(runs)-1-small].small() {
		small++
	}
	if small < smallRuns {
		return runs
	}
	from := len(runs) - small
	return append(slices.Clone(runs[:from]), mergeRuns(runs[from:]))
}

// small reports whether a run is about one chunk.
func (r run) small() bool {
	return len(r.chunk) == 0 || r.chunk[0] == r.chunk[len(r.chunk)-1] && slices.Min(r.chunk) == slices.Max(r.chunk)
}
