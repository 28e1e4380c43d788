package runs

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// live is the size of what is in use.
func live() uint64 {
	runtime.GC()
	runtime.GC() // what a finalizer or a pool held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFlat: under retention neither memory nor names nor goroutines grow, however much comes, of however many runs: it is a day of spans
// at a size of seconds. The program that measures a whole day is in bench.
func TestFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	x := newTraffic(t, 20)
	m := NewModel(Options{MaxSpans: 10_000})
	s, err := store.Open(t.TempDir(), store.Options{Summary: m, MaxBytes: 3 << 20, ChunkBytes: 128 << 10, MemoryBytes: 1 << 20, SyncEvery: 10 * time.Millisecond})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close(context.Background())) })
	total := 0
	round := func() {
		x.next()
		for _, req := range x.requests {
			_, err := s.AddTraces(t.Context(), req)
			must(t, err)
		}
		total += x.spans
		_, err := m.Runs(query.Query{}, Page{Size: 1}) // somebody looks
		must(t, err)
	}
	settled := func() uint64 { // what waits to be compressed comes and goes
		for end := time.Now().Add(30 * time.Second); s.Stats().Unsealed > 1<<20 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		return live()
	}
	for s.Stats().RemovedBytes < 2<<20 {
		round()
	}
	var first, most uint64
	for range 5 { // as often as is looked below: what is not packed yet differs
		round()
		first = max(first, settled())
	}
	spans, goroutines := total, runtime.NumGoroutine()
	for total < 4*spans || x.rounds < 48 { // on a slow machine few runs fill the folder
		for range 5 {
			round()
		}
		most = max(most, settled())
	}
	if most > first+first/4 {
		t.Errorf("%d bytes in use after %d spans, up to %d until %d", first, spans, most, total)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, after %d spans %d", n, spans, goroutines)
	}
	kept, came := m.Totals(), 4*int(x.rounds)
	if n := len(m.t.shapes); n > 2*came+2*minDead || len(m.runList) > came*2/3 {
		t.Errorf("%d kinds of spans and %d runs are known, of %d that are kept and %d that came", n, len(m.runList), kept.Runs, came)
	}
	list, err := m.Runs(query.Query{}, Page{Size: 1})
	must(t, err)
	if r, ok := m.Run(list.Rows[0].ID); !ok || r.Run.Spans == 0 || r.Run.Counts.Rollouts == 0 {
		t.Errorf("the newest run is %+v", r.Run)
	}
	t.Logf("%d spans, %d kept of %d runs; %d bytes in use at first, at most %d; %d kinds, %d runs", total, kept.Spans, kept.Runs, first, most, len(m.t.shapes), len(m.runList))
}
