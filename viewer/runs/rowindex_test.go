package runs

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
)

// TestRowIndex holds the index against a map.
func TestRowIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var x rowIndex
	rows := map[uint32]otlp.TraceID{}
	byID := map[otlp.TraceID]uint32{}
	most := 0
	for i := range 60_000 {
		var id otlp.TraceID
		binary.LittleEndian.PutUint64(id[8:], rng.Uint64N(8000))
		row, ok := x.find(hashTrace(id), func(row uint32) bool { return rows[row] == id })
		want, there := byID[id]
		if ok != there || ok && row != want {
			t.Fatalf("%s is in row %d, %v; want %d, %v", id, row, ok, want, there)
		}
		switch {
		case !there && i < 40_000:
			row := uint32(i)
			x.add(hashTrace(id), row)
			rows[row], byID[id] = id, row
		case there && (i >= 40_000 || rng.IntN(3) == 0):
			x.drop(hashTrace(id), row)
			delete(rows, row)
			delete(byID, id)
		}
		if x.n != len(rows) {
			t.Fatalf("%d are there, want %d", x.n, len(rows))
		}
		most = max(most, len(x.places))
	}
	for id, row := range byID {
		x.drop(hashTrace(id), row)
	}
	if x.n != 0 || most < 8192 || len(x.places) > most/4 {
		t.Errorf("%d are left, %d places of %d", x.n, len(x.places), most)
	}
}
