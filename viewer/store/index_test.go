package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
)

// TestRuns compares runs, growing and merged, with a map.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want := map[uint32][]uint16{}
	var grown, each []run
	const chunks = 1000
	for c := range chunks {
		var hashes []uint32
		for range r.IntN(20) {
			hashes = append(hashes, r.Uint32N(1000)<<(8*r.IntN(4)))
		}
		hashes = sortedOnce(hashes)
		for _, h := range hashes {
			want[h] = append(want[h], uint16(c))
		}
		grown = addRun(grown, newRun(hashes, c))
		each = append(each, newRun(hashes, c))
		if len(grown) > chunks/smallRuns+smallRuns {
			t.Fatalf("%d runs after %d chunks", len(grown), c)
		}
	}
	for name, runs := range map[string][]run{"grown": grown, "merged": {mergeRuns(each)}, "merged grown": {mergeRuns(grown)}} {
		for h, chunks := range want {
			var got []uint16
			for _, r := range runs {
				got = r.find(h, got)
			}
			if !slices.Equal(got, chunks) {
				t.Fatalf("%s: hash %d is in %v, want %v", name, h, got, chunks)
			}
		}
		var got []uint16
		for _, r := range runs {
			got = r.find(0xFFFFFFFF, got)
		}
		if len(got) > 0 {
			t.Errorf("%s: a hash that is nowhere is in %v", name, got)
		}
	}
}

// TestHashID spreads ids that differ little: counters, time prefixes, 64 bit ids in the lower half.
func TestHashID(t *testing.T) {
	const n = 200_000
	for name, id := range map[string]func(i int) otlp.TraceID{
		"low counter":  func(i int) (id otlp.TraceID) { id[15], id[14], id[13] = byte(i), byte(i>>8), byte(i>>16); return id },
		"high counter": func(i int) (id otlp.TraceID) { id[0], id[1], id[2] = byte(i), byte(i>>8), byte(i>>16); return id },
		"both halves": func(i int) (id otlp.TraceID) {
			id[0], id[1], id[2], id[8], id[9], id[10] = byte(i), byte(i>>8), byte(i>>16), byte(i), byte(i>>8), byte(i>>16)
			return id
		},
	} {
		seen := make(map[uint32]int, n)
		most := 0
		for i := range n {
			h := hashID(id(i))
			seen[h]++
			most = max(most, seen[h])
		}
		if len(seen) < n-n/1000 || most > 4 { // chance alone: 5 pairs
			t.Errorf("%s: %d ids have %d hashes, one has %d ids", name, n, len(seen), most)
		}
	}
}
