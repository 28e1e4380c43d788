package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// scattered is a store in which traces lie in one chunk, in several, in all, and partly twice.
func scattered(t *testing.T, dir string) (s *store.Store, ids map[otlp.TraceID]struct{}) {
	t.Helper()
	s = open(t, dir, store.Options{ChunkBytes: 2000, SegmentBytes: 1000})
	ids = map[otlp.TraceID]struct{}{}
	for i := range uint64(60) {
		long := sp{trace: 1, id: 1000 + i, parent: 1, name: fmt.Sprint("long ", i), start: 100 + i, end: 200 + i, service: "a"}
		short := sp{trace: 100 + i, id: 1, name: "short", start: 100 + i, end: 300, service: "b"}
		child := sp{trace: 100 + i/2, id: 2 + i, parent: 1, name: "child", start: 90 + i, end: 280, service: "a"}
		again := sp{trace: 2, id: 7, name: "again", start: 5, end: 6, service: "c"}
		add(t, s, request(t, long, child, short, again))
		for _, x := range []sp{long, short, child, again} {
			ids[traceID(x.trace)] = struct{}{}
		}
	}
	return s, ids
}

// sameTrace compares all that a trace says.
func sameTrace(t *testing.T, want, got *store.Trace) {
	t.Helper()
	if want.Copies != got.Copies || string(want.OTLP) != string(got.OTLP) {
		t.Errorf("trace %s: %d copies and %d bytes, want %d and %d", got.ID, got.Copies, len(got.OTLP), want.Copies, len(want.OTLP))
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(store.Trace{}, "OTLP", "Resources", "Scopes"), cmpopts.IgnoreUnexported(otlp.Span{})); diff != "" {
		t.Errorf("trace %s (-Trace +EachTrace)\n%s", got.ID, diff)
	}
}

func TestEachTrace(t *testing.T) {
	dir := t.TempDir()
	s, ids := scattered(t, dir)
	readOnly := openReadOnly(t, dir, store.Options{})
	for name, s := range map[string]*store.Store{"open": s, "read only": readOnly} {
		for _, room := range []int{0, 300, 3000, 1 << 30} {
			t.Run(fmt.Sprintf("%s, room for %d", name, room), func(t *testing.T) {
				left := map[otlp.TraceID]struct{}{}
				for id := range ids {
					left[id] = struct{}{}
				}
				unread, err := s.EachTraceIn(t.Context(), nil, room, func(got *store.Trace) error {
					if _, ok := left[got.ID]; !ok {
						t.Errorf("trace %s came twice, or from nowhere", got.ID)
					}
					delete(left, got.ID)
					want, err := s.Trace(got.ID)
					if err != nil {
						t.Fatal(err)
					}
					sameTrace(t, want, got)
					return nil
				})
				if err != nil || unread != 0 || len(left) > 0 {
					t.Errorf("error %v, %d chunks unread, %d traces missing", err, unread, len(left))
				}
			})
		}
	}
}

func TestEachTrace_some(t *testing.T) {
	s, _ := scattered(t, t.TempDir())
	want := map[otlp.TraceID]struct{}{traceID(1): {}, traceID(103): {}, traceID(9999): {}}
	seen := 0
	if _, err := s.EachTrace(t.Context(), want, func(got *store.Trace) error {
		if _, ok := want[got.ID]; !ok {
			t.Errorf("trace %s was not asked for", got.ID)
		}
		seen++
		return nil
	}); err != nil || seen != 2 {
		t.Errorf("%d traces, error %v; want the two of the three that are there", seen, err)
	}
	if _, err := s.EachTrace(t.Context(), map[otlp.TraceID]struct{}{}, func(*store.Trace) error { return errors.New("none was asked for") }); err != nil {
		t.Error(err)
	}
}

func TestEachTrace_ends(t *testing.T) {
	s, _ := scattered(t, t.TempDir())
	stop := errors.New("enough")
	calls := 0
	if _, err := s.EachTrace(t.Context(), nil, func(*store.Trace) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := s.EachTrace(ctx, nil, func(*store.Trace) error { cancel(stop); return nil }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// What is taken away meanwhile is missing, and counted.
func TestEachTrace_missing(t *testing.T) {
	dir := t.TempDir()
	s, ids := scattered(t, dir)
	closeStore(t, s)
	readOnly := openReadOnly(t, dir, store.Options{})
	segments, err := filepath.Glob(filepath.Join(dir, "traces-*.zst"))
	if err != nil || len(segments) < 2 {
		t.Fatalf("segments %q, error %v", segments, err)
	}
	if err := os.Remove(segments[0]); err != nil {
		t.Fatal(err)
	}
	seen := 0
	unread, err := readOnly.EachTrace(t.Context(), nil, func(*store.Trace) error { seen++; return nil })
	if err != nil || unread == 0 || seen == 0 || seen >= len(ids) {
		t.Errorf("%d of %d traces, %d chunks unread, error %v", seen, len(ids), unread, err)
	}
}

// A walk over many small traces holds few of them at a time.
func BenchmarkEachTrace(b *testing.B) {
	s := open(b, b.TempDir(), store.Options{})
	spans := 0
	for i := range uint64(2000) {
		var req []sp
		for j := range uint64(50) {
			req = append(req, sp{trace: 1 + i*4 + j/13, id: 1 + i*50 + j, name: "work", start: i*50 + j, end: i*50 + j + 9, service: "a"})
		}
		spans += len(req)
		add(b, s, request(b, req...))
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if _, err := s.EachTrace(b.Context(), nil, func(t *store.Trace) error { n += len(t.Spans); return nil }); err != nil || n != spans {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans), "ns/span")
}
