package main_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/ingest"
)

// span is a span of a trace file, with the process that it came from.
type span struct {
	ptrace.Span
	service string
	parent  *span // nil: a root, or missing
	orphan  bool  // it names a parent that is not in the trace
	kids    []*span
}

// traces reads a trace file: the spans of each trace, joined to their parents.
func traces(t *testing.T, path string) map[pcommon.TraceID][]*span {
	t.Helper()
	byTrace := map[pcommon.TraceID][]*span{}
	err := ingest.ReadFile(path, func(td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			service, _ := rs.Resource().Attributes().Get(semconv.ServiceName)
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					byTrace[s.TraceID()] = append(byTrace[s.TraceID()], &span{Span: s, service: service.AsString()})
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, spans := range byTrace {
		join(spans)
	}
	return byTrace
}

func join(spans []*span) {
	byID := map[pcommon.SpanID]*span{}
	for _, s := range spans {
		byID[s.SpanID()] = s
	}
	for _, s := range spans {
		if s.ParentSpanID().IsEmpty() {
			continue
		}
		s.parent = byID[s.ParentSpanID()]
		s.orphan = s.parent == nil
		if s.parent != nil {
			s.parent.kids = append(s.parent.kids, s)
		}
	}
	for _, s := range spans {
		slices.SortFunc(s.kids, func(a, b *span) int {
			return cmp.Compare(a.StartTimestamp(), b.StartTimestamp())
		})
	}
}

// roots lists the spans of a trace that have no parent.
func roots(spans []*span) (out []*span) {
	for _, s := range spans {
		if s.ParentSpanID().IsEmpty() {
			out = append(out, s)
		}
	}
	return out
}

// named lists the spans of that name.
func named(spans []*span, name string) (out []*span) {
	for _, s := range spans {
		if s.Name() == name {
			out = append(out, s)
		}
	}
	return out
}

func (s *span) str(key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

// tree prints a span and what is below it: indentation, name, kind and process.
func (s *span) tree() string {
	var b strings.Builder
	s.print(&b, 0)
	return b.String()
}

func (s *span) print(b *strings.Builder, depth int) {
	fmt.Fprintf(b, "%s%s %s %s\n", strings.Repeat("  ", depth), s.Name(), kind(s.Kind()), strings.TrimPrefix(s.service, "nemo-gym/"))
	for _, k := range s.kids {
		k.print(b, depth+1)
	}
}

func kind(k ptrace.SpanKind) string {
	switch k {
	case ptrace.SpanKindClient:
		return "client"
	case ptrace.SpanKindServer:
		return "server"
	}
	return "internal"
}
