package store_test

import (
	"testing"

	"github.com/lensgo/lens/viewer/store"
)

// TestAddAllocs sees that taking a span allocates nothing: the count of a request does not depend on how many it has.
func TestAddAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	const runs = 100
	allocs := func(spans int) float64 {
		list := make([]sp, spans)
		reqs := make([][]byte, runs+2) // each once: one that comes again is not kept
		for k := range reqs {
			for i := range list {
				list[i] = sp{trace: uint64(i/16 + 1), id: uint64(i + 1), name: "POST /v1/responses", start: uint64(k + 1), end: uint64(k + 2)}
			}
			reqs[k] = request(t, list...)
		}
		s := open(t, t.TempDir(), store.Options{ChunkBytes: 64 << 20, Summary: nothing{}})
		i := 0
		next := func() { add(t, s, reqs[i]); i++ }
		next()
		n := testing.AllocsPerRun(runs, next)
		if st := s.Stats(); st.Repeated != 0 {
			t.Fatalf("%d requests were not kept", st.Repeated)
		}
		return n
	}
	few, many := allocs(16), allocs(512)
	if many > few+2 || few > 20 {
		t.Errorf("%v allocations for 16 spans, %v for 512", few, many)
	}
}
