package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lensgo/lens/viewer/store"
)

// TestCache: chunks that were read stay for the next trace, the ones that were read last, within the bound.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{ChunkBytes: 4000, SegmentBytes: 20_000, MemoryBytes: 1})
	const traces = 200
	for i := range uint64(traces) {
		var spans []sp
		for k := range uint64(20) {
			spans = append(spans, sp{trace: i, id: k + 1, name: fmt.Sprint("span ", i, k*i), start: 1 + i, end: 2 + i})
		}
		add(t, s, request(t, spans...))
	}
	closeStore(t, s)

	s = openReadOnly(t, dir, store.Options{MemoryBytes: 20_000})
	if n, _ := s.Cached(); n != 0 {
		t.Errorf("%d chunks are kept before anything was read", n)
	}
	first := trace(t, s, 7)
	n, size := s.Cached()
	if n == 0 || size > 20_000 {
		t.Fatalf("%d chunks of %d bytes are kept", n, size)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "traces-*.zst"))
	moved := func(suffix, to string) {
		for _, path := range paths {
			if err := os.Rename(path+suffix, path+to); err != nil {
				t.Fatal(err)
			}
		}
	}
	moved("", ".away") // what is kept needs no file
	if again := trace(t, s, 7); len(again.Spans) != len(first.Spans) || string(again.OTLP) != string(first.OTLP) {
		t.Errorf("%d spans, before %d", len(again.Spans), len(first.Spans))
	}
	moved(".away", "")
	var wg sync.WaitGroup
	for w := range uint64(4) {
		wg.Go(func() {
			for i := range uint64(traces) {
				if tr, err := s.Trace(traceID((i*7 + w) % traces)); err != nil || len(tr.Spans) != 20 {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n, size := s.Cached(); n < 2 || size > 20_000 {
		t.Errorf("%d chunks of %d bytes are kept", n, size)
	}
	if err := s.Each(t.Context(), store.Traces, func([]byte) error { return nil }); err != nil {
		t.Error(err)
	}
	before := trace(t, s, 7)
	if err := s.Each(t.Context(), store.Traces, func([]byte) error { return nil }); err != nil { // reads all, and pushes nothing out
		t.Error(err)
	}
	moved("", ".away")
	if again := trace(t, s, 7); string(again.OTLP) != string(before.OTLP) {
		t.Error("who reads everything pushes out what others read")
	}
}

// TestCacheForgets: what retention removed is not kept.
func TestCacheForgets(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{ChunkBytes: 2000, SegmentBytes: 1000, MaxBytes: 10_000, MemoryBytes: 100_000})
	i := uint64(0)
	for s.Stats().RemovedChunks < 20 {
		i++
		add(t, s, request(t, sp{trace: i, id: i, name: fmt.Sprint("span ", i*i*i), start: i, end: i + 1}))
		_, _ = s.Trace(traceID(max(i/2, 1)))
	}
	closeStore(t, s)
	if n, _ := s.Cached(); n > s.Stats().Kinds[store.Traces].Chunks {
		t.Errorf("%d chunks are kept, %d are there", n, s.Stats().Kinds[store.Traces].Chunks)
	}
}
