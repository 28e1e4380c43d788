package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/ingest"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

const demo = "../runs/testdata/demo.jsonl.gz"

// sink puts what is read into a store.
type sink struct{ *store.Store }

func (s sink) Traces(ctx context.Context, req []byte) (int, string, error) {
	added, err := s.AddTraces(ctx, req)
	return added.Rejected, added.Why, err
}
func (s sink) Metrics(ctx context.Context, req []byte) (int, string, error) {
	return 0, "", s.AddMetrics(ctx, req)
}
func (s sink) Logs(ctx context.Context, req []byte) (int, string, error) {
	return 0, "", s.AddLogs(ctx, req)
}

// empty is a store with nothing in it.
func empty(tb testing.TB) export.Source {
	tb.Helper()
	model := runs.NewModel(runs.Options{})
	s, err := store.Open(tb.TempDir(), store.Options{Summary: model, ChunkBytes: 30_000})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return export.Source{Store: s, Runs: model}
}

// load is a store of files.
func load(tb testing.TB, paths ...string) export.Source {
	tb.Helper()
	src := empty(tb)
	for _, path := range paths {
		if _, err := ingest.Load(tb.Context(), path, sink{src.Store}); err != nil {
			tb.Fatal(err)
		}
	}
	return src
}

// write exports, and returns what was written.
func write(tb testing.TB, src export.Source, o export.Options) (string, export.Done) {
	tb.Helper()
	var b bytes.Buffer
	done, err := export.Write(tb.Context(), &b, src, o)
	if err != nil {
		tb.Fatal(err)
	}
	return b.String(), done
}

// loadText is a store of what was written.
func loadText(tb testing.TB, text string) export.Source {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "traces.jsonl")
	writeFile(tb, path, text)
	return load(tb, path)
}

// traceIDs lists what a store has.
func traceIDs(tb testing.TB, src export.Source) (ids []otlp.TraceID) {
	tb.Helper()
	if _, err := src.Store.EachTrace(tb.Context(), nil, func(t *store.Trace) error {
		ids = append(ids, t.ID)
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	return ids
}

// sp is a span of a test; ids are numbers.
type sp struct {
	trace, id, parent uint64
	name, service     string
	kind              ptrace.SpanKind
	start, end        uint64
	edit              func(ptrace.Span)
}

func traceID(n uint64) (id otlp.TraceID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func spanID(n uint64) (id otlp.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// add puts spans into the store as one request.
func add(tb testing.TB, src export.Source, spans ...sp) {
	tb.Helper()
	td := ptrace.NewTraces()
	groups := map[string]ptrace.SpanSlice{}
	for _, s := range spans {
		list, ok := groups[s.service]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			if s.service != "" {
				rs.Resource().Attributes().PutStr("service.name", s.service)
			}
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName("test")
			list = ss.Spans()
			groups[s.service] = list
		}
		span := list.AppendEmpty()
		span.SetTraceID(pcommon.TraceID(traceID(s.trace)))
		span.SetSpanID(pcommon.SpanID(spanID(s.id)))
		if s.parent != 0 {
			span.SetParentSpanID(pcommon.SpanID(spanID(s.parent)))
		}
		span.SetName(s.name)
		span.SetKind(s.kind)
		span.SetStartTimestamp(pcommon.Timestamp(s.start))
		span.SetEndTimestamp(pcommon.Timestamp(s.end))
		if s.edit != nil {
			s.edit(span)
		}
	}
	addRequest(tb, src, td)
}

func addRequest(tb testing.TB, src export.Source, td ptrace.Traces) {
	tb.Helper()
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := src.Store.AddTraces(tb.Context(), b); err != nil {
		tb.Fatal(err)
	}
}

// everySpan lists each span of a store with its resource and scope, as protobuf that pdata wrote, sorted.
func everySpan(tb testing.TB, src export.Source) (all []string) {
	tb.Helper()
	if _, err := src.Store.EachTrace(tb.Context(), nil, func(t *store.Trace) error {
		req := ptraceotlp.NewExportRequest()
		if err := req.UnmarshalProto(t.OTLP); err != nil {
			return err
		}
		for _, rs := range req.Traces().ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					all = append(all, oneSpan(tb, rs, ss, span))
				}
			}
		}
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func oneSpan(tb testing.TB, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) string {
	tb.Helper()
	td := ptrace.NewTraces()
	r := td.ResourceSpans().AppendEmpty()
	rs.Resource().CopyTo(r.Resource())
	r.SetSchemaUrl(rs.SchemaUrl())
	s := r.ScopeSpans().AppendEmpty()
	ss.Scope().CopyTo(s.Scope())
	s.SetSchemaUrl(ss.SchemaUrl())
	span.CopyTo(s.Spans().AppendEmpty())
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("%s %q: %x", span.SpanID(), span.Name(), b)
}
