package store_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/viewer/store"
)

// TestRetainBytes fills a folder far beyond its bounds. The oldest segments go, whole; the Summary hears of each chunk, and agrees
// with what is left.
func TestRetainBytes(t *testing.T) {
	dir, sum := t.TempDir(), newTally()
	const limit = 40_000
	o := store.Options{MaxBytes: limit, ChunkBytes: 800, Summary: sum, SyncEvery: time.Millisecond} // a log goes when its segment is synced
	s := open(t, dir, o)
	const n = 2000
	for i := range uint64(n) {
		add(t, s, request(t, sp{trace: i, id: i + 1, name: fmt.Sprint("span", i), start: i + 1, end: i + 2}))
		packed(t, s, limit/4)
	}
	closeStore(t, s)
	st := s.Stats()
	onDisk := int64(0)
	for _, path := range files(t, dir, "*.zst") {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		onDisk += info.Size()
	}
	if st.Bytes != onDisk || onDisk > limit || onDisk < limit/2 {
		t.Errorf("%d bytes on disk, stats say %d, limit is %d", onDisk, st.Bytes, limit)
	}
	spans := all(t, s)
	if st.RemovedSpans == 0 || st.RemovedSpans+int64(len(spans)) != n || st.Kinds[store.Traces].Spans != int64(len(spans)) {
		t.Errorf("%d spans are left, %d were removed, of %d; stats say %d", len(spans), st.RemovedSpans, n, st.Kinds[store.Traces].Spans)
	}
	if len(sum.spans) != len(spans) || len(sum.removed) != int(st.RemovedChunks) || sum.unknown != 0 {
		t.Errorf("summary has %d traces, want %d; heard of %d chunks, want %d; %d without footer", len(sum.spans), len(spans), len(sum.removed), st.RemovedChunks, sum.unknown)
	}
	for i, r := range sum.removed {
		if r.Chunk != uint64(i) || r.Spans == 0 || r.Bytes == 0 || r.Last == 0 {
			t.Fatalf("removed chunk %d is %+v", i, r)
		}
	}
	first := uint64(st.RemovedSpans)
	if _, err := s.Trace(traceID(first - 1)); err == nil {
		t.Error("a removed trace is found")
	}
	trace(t, s, first) // the oldest that is left
	if want := time.Unix(0, int64(first+1)); st.Oldest != want {
		t.Errorf("oldest is %v, want %v", st.Oldest, want)
	}
	o.Summary = newTally()
	if got := all(t, open(t, dir, o)); !cmp.Equal(got, spans) {
		t.Error("the next start finds something else")
	}
}

// packed waits until no more than so many bytes wait to be packed. They count as they are, so that retention makes room for them.
func packed(t *testing.T, s *store.Store, most int64) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); s.Stats().Unsealed > most; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d bytes still wait to be packed", s.Stats().Unsealed)
		}
	}
}

// TestRetainAge lets time pass. What a span says of its own time does not matter.
func TestRetainAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sum := newTally()
		s, err := store.Open(t.TempDir(), store.Options{MaxAge: time.Hour, ChunkBytes: 1, Summary: sum})
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore(t, s)
		add(t, s, request(t, sp{trace: 1, id: 1, name: "old", start: 1, end: 2}))
		add(t, s, request(t, sp{trace: 2, id: 1, name: "next", start: 1, end: 2})) // seals the first
		if err := s.AddLogs(t.Context(), []byte("\x0a\x00")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		trace(t, s, 1)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if _, err := s.Trace(traceID(1)); err == nil {
			t.Error("a trace is there after its time")
		}
		trace(t, s, 2) // still in the log
		if len(sum.removed) != 1 || len(sum.spans) != 1 {
			t.Errorf("summary heard of %d chunks and has %d traces", len(sum.removed), len(sum.spans))
		}
	})
}

// TestRetainAtStart opens a folder with a smaller bound.
func TestRetainAtStart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{ChunkBytes: 500, SegmentBytes: 2000})
	for i := range uint64(200) {
		add(t, s, request(t, sp{trace: i, id: i + 1, name: fmt.Sprint("span", i), start: i + 1, end: i + 2}))
	}
	closeStore(t, s)
	r := open(t, dir, store.Options{MaxBytes: 5000})
	changes, cancel := r.Subscribe()
	defer cancel()
	if r.Stats().Bytes > 5000 {
		<-changes // sent after a removal
	}
	closeStore(t, r)
	if got := r.Stats(); got.Bytes > 5000 || got.RemovedChunks == 0 {
		t.Errorf("%+v", got)
	}
}

// TestRetainOldestKind has two kinds of data, and room for all but one byte: what came first goes, whatever kind it is.
func TestRetainOldestKind(t *testing.T) {
	for name, first := range map[string]store.Kind{"traces first": store.Traces, "logs first": store.Logs} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			second := store.Traces
			if first == second {
				second = store.Logs
			}
			for _, kind := range []store.Kind{first, second} {
				s := open(t, dir, store.Options{})
				if kind == store.Traces {
					add(t, s, request(t, sp{trace: 1, id: 1, name: "span", start: 1, end: 2}))
				} else if err := s.AddLogs(t.Context(), []byte("\x0a\x00")); err != nil {
					t.Fatal(err)
				}
				closeStore(t, s) // seals it
			}
			s := open(t, dir, store.Options{})
			limit := s.Stats().Bytes - 1
			closeStore(t, s)
			s = open(t, dir, store.Options{MaxBytes: limit})
			changes, cancel := s.Subscribe()
			defer cancel()
			for s.Stats().RemovedChunks == 0 {
				<-changes
			}
			closeStore(t, s)
			got := s.Stats()
			if got.RemovedChunks != 1 || got.Kinds[first].Chunks != 0 || got.Kinds[second].Chunks != 1 {
				t.Errorf("%d chunks were removed; left are %+v", got.RemovedChunks, got.Kinds)
			}
		})
	}
}
