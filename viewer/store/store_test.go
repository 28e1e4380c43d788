package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

func TestTrace(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	child := request(t, sp{trace: 1, id: 2, parent: 1, name: "child", start: 20, end: 30, service: "b"})
	add(t, s, child)
	add(t, s, request(t,
		sp{trace: 2, id: 1, name: "other", start: 5, end: 6},
		sp{trace: 1, id: 1, name: "root", start: 10, end: 90, service: "a"},
		sp{trace: 1, id: 3, parent: 7, name: "lost", start: 40, end: 50, service: "a"}))
	add(t, s, append(child, request(t, sp{trace: 4, id: 1, name: "new", start: 7, end: 8})...)) // what an exporter failed to send, and more
	add(t, s, request(t,
		sp{trace: 1, id: 2, parent: 1, name: "twin", start: 21, end: 30, service: "b"},
		sp{trace: 1, id: 5, parent: 6, name: "x", start: 60, end: 70, service: "a"},
		sp{trace: 1, id: 6, parent: 5, name: "y", start: 61, end: 70, service: "a"},
		sp{trace: 1, id: 8, parent: 8, name: "self", start: 62, end: 70, service: "a"},
		sp{trace: 1, id: 9, parent: 5, name: "below", start: 63, end: 64, service: "a"}))

	tr := trace(t, s, 1)
	want := []string{"root", "child<root same", "twin<root same", "lost orphan", "x cycle", "y<x", "self cycle", "below<x"}
	if diff := cmp.Diff(want, names(tr)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if tr.Copies != 1 || tr.Damaged != 0 || tr.ID != traceID(1) {
		t.Errorf("copies %d, damaged %d, id %s", tr.Copies, tr.Damaged, tr.ID)
	}
	for i, service := range []string{"a", "b", "b", "a", "a", "a", "a", "a"} {
		v, _ := tr.Resources[tr.ResourceOf[i]].Attr("service.name")
		if v.Str() != service || tr.Scopes[tr.ScopeOf[i]].Name != "test" {
			t.Errorf("span %d is of service %q, scope %q, want %q, test", i, v.Str(), tr.Scopes[tr.ScopeOf[i]].Name, service)
		}
	}
	if len(tr.Resources) != 2 || len(tr.Scopes) != 2 {
		t.Errorf("%d resources and %d scopes, want 2 and 2", len(tr.Resources), len(tr.Scopes))
	}
	if tr.At[0] != (store.Ref{Chunk: tr.At[0].Chunk, Span: 2}) && tr.At[0] != (store.Ref{Chunk: tr.At[0].Chunk, Span: 3}) {
		t.Errorf("root is at %v", tr.At[0])
	}
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(tr.OTLP); err != nil || req.Traces().SpanCount() != 8 {
		t.Errorf("OTLP of the trace has %d spans, %v", req.Traces().SpanCount(), err)
	}
	if _, err := s.Trace(traceID(3)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown trace: %v", err)
	}
}

// TestTraceRefs compares where Trace finds spans with where Add was told they are, in memory and on disk.
func TestTraceRefs(t *testing.T) {
	dir, sum := t.TempDir(), newTally()
	o := store.Options{ChunkBytes: 600, SegmentBytes: 2000, MemoryBytes: 1}
	o.Summary = sum
	s := open(t, dir, o)
	for i := range uint64(60) {
		add(t, s, request(t,
			sp{trace: i % 7, id: i + 1, name: fmt.Sprint("a", i), start: 100 - i, end: 200, service: "a"},
			sp{trace: i % 5, id: i + 1001, name: fmt.Sprint("b", i), start: i, end: 200, service: "b"},
			sp{trace: i % 3, id: i + 2001, name: fmt.Sprint("c", i), start: i, end: 200, service: "a"}))
	}
	check := func(s *store.Store) {
		t.Helper()
		n := 0
		for i := range uint64(7) {
			tr := trace(t, s, i)
			for j := range tr.Spans {
				if sum.refs[tr.At[j]] != tr.Spans[j].Name {
					t.Fatalf("span %s is said to be at %v, where Add got %q", tr.Spans[j].Name, tr.At[j], sum.refs[tr.At[j]])
				}
				n++
			}
		}
		if n != 180 {
			t.Fatalf("%d spans in all traces, want 180", n)
		}
	}
	check(s)
	closeStore(t, s)
	check(s)
	check(open(t, dir, o))
	if sum.conflict {
		t.Error("the summary was called twice at a time")
	}
}

// TestReopen compares a store before and after: index, content, counters, summary.
func TestReopen(t *testing.T) {
	for _, way := range []string{"closed", "read only while it runs", "read only after"} {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			o := store.Options{ChunkBytes: 2000, SegmentBytes: 5000, MemoryBytes: 1}
			before, after := newTally(), newTally()
			o.Summary = before
			s := open(t, dir, o)
			for i := range uint64(300) {
				add(t, s, request(t,
					sp{trace: i % 50, id: i + 1, name: "a", start: 1000 + i, end: 2000 + i, service: "a"},
					sp{trace: i, id: i + 1000, name: "b", start: 1000 + i, end: 2000 + i, service: "b"}))
			}
			if err := s.AddLogs(t.Context(), []byte("\x0a\x01x")); err != nil {
				t.Fatal(err)
			}
			if err := s.AddMetrics(t.Context(), []byte("\x0a\x01y")); err != nil {
				t.Fatal(err)
			}
			if way != "read only while it runs" {
				closeStore(t, s)
			}
			o.Summary = after
			var r *store.Store
			if way == "closed" {
				r = open(t, dir, o)
			} else {
				r = openReadOnly(t, dir, o)
			}
			for i := range uint64(300) {
				a, b := trace(t, s, i), trace(t, r, i)
				if !bytes.Equal(a.OTLP, b.OTLP) || !cmp.Equal(a.At, b.At) {
					t.Fatalf("trace %d differs", i)
				}
			}
			if !cmp.Equal(all(t, s), all(t, r)) {
				t.Error("content differs")
			}
			if diff := cmp.Diff(before.spans, after.spans); diff != "" {
				t.Errorf("summary differs: %s", diff)
			}
			a, b := s.Stats(), r.Stats()
			if way != "read only while it runs" && after.added > 0 {
				t.Errorf("%d spans were read to rebuild the summary, want none", after.added)
			}
			if way != "read only while it runs" && a.Unsealed != 0 {
				t.Errorf("%d bytes are unsealed after Close", a.Unsealed)
			}
			if a.Oldest != time.Unix(0, 1000) || a.Newest != time.Unix(0, 2299) {
				t.Errorf("times %v, %v", a.Oldest, a.Newest)
			}
			a.Taken, b.Taken, a.Recovered, b.Recovered = 0, 0, 0, 0
			if way == "read only while it runs" { // the writer may seal between the two
				for k := range a.Kinds {
					a.Kinds[k].Bytes, a.Kinds[k].Segments, a.Kinds[k].Chunks = b.Kinds[k].Bytes, b.Kinds[k].Segments, b.Kinds[k].Chunks
				}
				a.Bytes, a.Unsealed = b.Bytes, b.Unsealed
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("stats (-before +after):\n%s", diff)
			}
		})
	}
}

// TestSegmentIsOTLP reads segments and open logs as any tool would.
func TestSegmentIsOTLP(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{ChunkBytes: 3000})
	big := request(t, sp{trace: 1, id: 1, name: strings.Repeat("long", 100_000), start: 1, end: 2})
	add(t, s, big) // more than a block of zstd
	for i := range uint64(50) {
		add(t, s, request(t, sp{trace: i, id: i + 2, name: "a", start: 1, end: 2}))
	}
	spans := func() (n int) {
		for _, path := range files(t, dir, "traces-*.zst") {
			req := ptraceotlp.NewExportRequest()
			if err := req.UnmarshalProto(zstdcat(t, path)); err != nil {
				t.Fatal(err)
			}
			n += req.Traces().SpanCount()
		}
		return n
	}
	closeStore(t, s)
	if n := spans(); n != 51 {
		t.Errorf("%d spans in segments, want 51", n)
	}
	if logs := files(t, dir, "*.open.zst"); len(logs) != 0 {
		t.Errorf("logs %v are left", logs)
	}
}

func TestOpenLogIsOTLP(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	add(t, s, request(t, sp{trace: 1, id: 1, name: strings.Repeat("long", 40_000), start: 1, end: 2}))
	add(t, s, request(t, sp{trace: 1, id: 2, name: "b", start: 1, end: 2}))
	logs := files(t, dir, "traces-*.open.zst")
	if len(logs) != 1 {
		t.Fatalf("logs: %v", logs)
	}
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(zstdcat(t, logs[0])); err != nil || req.Traces().SpanCount() != 2 {
		t.Errorf("%d spans, %v", req.Traces().SpanCount(), err)
	}
}

func zstdcat(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAddRefuses(t *testing.T) {
	dir, sum := t.TempDir(), newTally()
	s := open(t, dir, store.Options{Summary: sum})
	good := request(t, sp{trace: 1, id: 1, name: "a"})
	var bad *otlp.Error
	if _, err := s.AddTraces(t.Context(), good[:len(good)-1]); !errors.As(err, &bad) {
		t.Errorf("cut request: %v, want an *otlp.Error", err)
	}
	for _, add := range []func(context.Context, []byte) error{s.AddMetrics, s.AddLogs} {
		if err := add(t.Context(), []byte{0x0a, 5, 1}); !errors.Is(err, store.ErrMalformed) {
			t.Errorf("cut message: %v, want ErrMalformed", err)
		}
	}
	if got, err := s.AddTraces(t.Context(), nil); err != nil || got.Spans != 0 {
		t.Errorf("empty request: %v, %v", got, err)
	}
	if sum.added != 0 || s.Stats().Bytes != 0 || len(files(t, dir, "*.zst")) != 0 {
		t.Error("something was kept")
	}
	closeStore(t, s)
	if _, err := s.AddTraces(t.Context(), good); err == nil {
		t.Error("a closed store takes spans")
	}
	if _, err := openReadOnly(t, dir, store.Options{}).AddTraces(t.Context(), good); err == nil {
		t.Error("a store for reading takes spans")
	}
}

func TestOpenReadOnlyChangesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := store.OpenReadOnly(filepath.Join(dir, "none"), store.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("folder that is not there: %v", err)
	}
	s := open(t, dir, store.Options{ChunkBytes: 500})
	for i := range uint64(20) {
		add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
	}
	closeStore(t, s)
	if err := os.WriteFile(filepath.Join(dir, "traces-000000000099.open.zst"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(segments(t, dir)[0], 700); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	r := openReadOnly(t, dir, store.Options{})
	if err := r.SetAddress("x"); err == nil {
		t.Error("a reader sets the address")
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		m[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLargeTrace(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{MemoryBytes: 1})
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	ids := r.Perm(n)
	for len(ids) > 0 {
		batch := ids[:min(len(ids), 1000)]
		ids = ids[len(batch):]
		spans := make([]sp, 0, len(batch))
		for _, id := range batch {
			spans = append(spans, sp{trace: 1, id: uint64(id + 1), parent: uint64(id / 2), name: "a", start: uint64(id), end: n})
		}
		add(t, s, request(t, spans...))
	}
	tr := trace(t, s, 1)
	if len(tr.Spans) != n || tr.Copies != 0 {
		t.Fatalf("%d spans, %d copies", len(tr.Spans), tr.Copies)
	}
	for i := range tr.Spans {
		if want := int32(i/2) - 1; tr.ParentOf[i] != want || tr.Marks[i] != 0 {
			t.Fatalf("span %d has parent %d, marks %d, want %d, 0", i, tr.ParentOf[i], tr.Marks[i], want)
		}
	}
}

// TestManyAlike sees that spans of one id cost no more than others.
func TestManyAlike(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	spans := make([]sp, 20_000)
	for i := range spans {
		spans[i] = sp{trace: 1, id: 0, name: "a", start: uint64(i), end: 1 << 40}
	}
	req := request(t, spans...)
	got, err := s.AddTraces(t.Context(), req)
	if err != nil || got.Spans != len(spans) || !strings.Contains(got.Why, "20000 of 20000 spans have no") {
		t.Errorf("%+v, %v", got, err)
	}
	add(t, s, append(req, request(t, sp{trace: 2, start: 1})...))
	if tr := trace(t, s, 1); len(tr.Spans) != len(spans) || tr.Copies != len(spans) || tr.Marks[0] != 0 {
		t.Errorf("%d spans, %d copies, marks %d", len(tr.Spans), tr.Copies, tr.Marks[0])
	}
}
