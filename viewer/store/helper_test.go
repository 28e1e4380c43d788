package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// sp is a span of a test.
type sp struct {
	trace      uint64
	id, parent uint64
	name       string
	start, end uint64
	service    string
}

func traceID(n uint64) (id otlp.TraceID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func spanID(n uint64) (id otlp.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// request encodes spans, each under its service.
func request(tb testing.TB, spans ...sp) []byte {
	tb.Helper()
	td := ptrace.NewTraces()
	groups := map[string]ptrace.SpanSlice{}
	for _, s := range spans {
		list, ok := groups[s.service]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", s.service)
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName("test")
			list = ss.Spans()
			groups[s.service] = list
		}
		span := list.AppendEmpty()
		span.SetTraceID(pcommon.TraceID(traceID(s.trace)))
		span.SetSpanID(pcommon.SpanID(spanID(s.id)))
		span.SetParentSpanID(pcommon.SpanID(spanID(s.parent)))
		span.SetName(s.name)
		span.SetStartTimestamp(pcommon.Timestamp(s.start))
		span.SetEndTimestamp(pcommon.Timestamp(s.end))
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func open(tb testing.TB, dir string, o store.Options) *store.Store {
	tb.Helper()
	s, err := store.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closeStore(tb, s) })
	return s
}

func openReadOnly(tb testing.TB, dir string, o store.Options) *store.Store {
	tb.Helper()
	s, err := store.OpenReadOnly(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func closeStore(tb testing.TB, s *store.Store) {
	tb.Helper()
	if err := s.Close(tb.Context()); err != nil && tb.Context().Err() == nil {
		tb.Fatal(err)
	}
}

func add(tb testing.TB, s *store.Store, req []byte) {
	tb.Helper()
	if _, err := s.AddTraces(tb.Context(), req); err != nil {
		tb.Fatal(err)
	}
}

func trace(tb testing.TB, s *store.Store, n uint64) *store.Trace {
	tb.Helper()
	t, err := s.Trace(traceID(n))
	if err != nil {
		tb.Fatalf("trace %d: %v", n, err)
	}
	return t
}

// names lists the spans of a trace with what is odd about them.
func names(t *store.Trace) []string {
	var list []string
	for i := range t.Spans {
		text := t.Spans[i].Name
		if p := t.ParentOf[i]; p >= 0 {
			text += "<" + t.Spans[p].Name
		}
		for _, m := range []struct {
			mark store.Mark
			text string
		}{{store.Orphan, " orphan"}, {store.Cycle, " cycle"}, {store.SameID, " same"}} {
			if t.Marks[i]&m.mark != 0 {
				text += m.text
			}
		}
		list = append(list, text)
	}
	return list
}

// all returns the raw spans of a store, sorted.
func all(tb testing.TB, s *store.Store) []string {
	tb.Helper()
	var list []string
	err := s.Each(tb.Context(), store.Traces, func(b []byte) error {
		return otlp.WalkTraces(b, func(_ *otlp.Resource, _ *otlp.Scope, s *otlp.Span) error {
			list = append(list, string(s.Raw()))
			return nil
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// files lists the data files of a folder.
func files(tb testing.TB, dir, pattern string) []string {
	tb.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// segments lists the segments of a folder.
func segments(tb testing.TB, dir string) []string {
	return slices.DeleteFunc(files(tb, dir, "traces-*.zst"), func(p string) bool { return strings.HasSuffix(p, ".open.zst") })
}

// tally is a Summary that counts spans of each trace.
type tally struct {
	mu       sync.Mutex
	spans    map[otlp.TraceID]int
	delta    map[otlp.TraceID]int
	added    int
	merged   int
	seals    int
	removed  []store.Removed
	refuse   bool // Merge fails
	unknown  int  // chunks forgotten without their footer
	refs     map[store.Ref]string
	inside   int
	conflict bool
}

func newTally() *tally {
	return &tally{spans: map[otlp.TraceID]int{}, delta: map[otlp.TraceID]int{}, refs: map[store.Ref]string{}}
}

// enter sees that the store calls one method at a time.
func (t *tally) enter() func() {
	t.mu.Lock()
	t.inside++
	t.conflict = t.conflict || t.inside > 1
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		t.inside--
		t.mu.Unlock()
	}
}

func (t *tally) Add(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span, at store.Ref) {
	defer t.enter()()
	t.added++
	t.spans[s.TraceID]++
	t.delta[s.TraceID]++
	t.refs[at] = strings.Clone(s.Name)
}

func (t *tally) Seal() []byte {
	defer t.enter()()
	t.seals++
	var b []byte
	for id, n := range t.delta {
		b = append(b, id[:]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	clear(t.delta)
	return b
}

func (t *tally) each(footer []byte, sign int) {
	for ; len(footer) > 0; footer = footer[20:] {
		id := otlp.TraceID(footer)
		t.spans[id] += sign * int(binary.LittleEndian.Uint32(footer[16:]))
		if t.spans[id] == 0 {
			delete(t.spans, id)
		}
	}
}

func (t *tally) Merge(footer []byte) error {
	defer t.enter()()
	if t.refuse || len(footer)%20 != 0 {
		return fmt.Errorf("summary of %d bytes is not mine", len(footer))
	}
	t.merged++
	t.each(footer, 1)
	return nil
}

func (t *tally) Forget(removed store.Removed, footer []byte) {
	defer t.enter()()
	t.removed = append(t.removed, removed)
	if footer == nil {
		t.unknown++
	}
	t.each(footer, -1)
}

// logged returns a logger and what it wrote.
func logged() (*slog.Logger, *syncBuffer) {
	b := new(syncBuffer)
	return slog.New(slog.NewTextHandler(b, nil)), b
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
