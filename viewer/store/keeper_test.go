package store

import (
	"testing"
)

// TestMemory keeps the newest chunks at hand, and no more than it may.
func TestMemory(t *testing.T) {
	const limit = 1000
	s, err := Open(t.TempDir(), Options{ChunkBytes: 1, MemoryBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if _, err := s.AddTraces(t.Context(), span(byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, chunks := 0, s.lanes[Traces].last().chunks
	for i := range chunks {
		c := chunks[len(chunks)-1-i]
		if p := c.data.Load(); p != nil {
			if kept += len(*p); kept > limit || i*int(c.raw) > limit {
				t.Fatalf("chunk %d from the end is in memory, with %d bytes newer than it", i, kept)
			}
		}
	}
	if kept < limit/2 {
		t.Errorf("%d bytes are in memory, may be %d", kept, limit)
	}
}
