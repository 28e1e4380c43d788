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
	allocs := func(spans int) float64 {
		list := make([]sp, spans)
		for i := range list {
			list[i] = sp{trace: uint64(i/16 + 1), id: uint64(i + 1), name: "POST /v1/responses", start: 1, end: 2}
		}
		req := request(t, list...)
		s := open(t, t.TempDir(), store.Options{ChunkBytes: 64 << 20, Summary: nothing{}})
		add(t, s, req)
		return testing.AllocsPerRun(100, func() { add(t, s, req) })
	}
	few, many := allocs(16), allocs(512)
	if many > few+2 || few > 20 {
		t.Errorf("%v allocations for 16 spans, %v for 512", few, many)
	}
}
