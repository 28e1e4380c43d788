package lenstest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/semconv"
)

// moment is when the spans of the suite begin. It has digits down to the nanosecond.
var moment = time.Date(2026, 3, 4, 5, 6, 7, 891_234_567, time.UTC)

// placed gives the place of span n in the suite's one trace. The lowest numbers are good spans.
func placed(n int) trace.SpanContext {
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0xab, 15: 1}, SpanID: id, TraceFlags: trace.FlagsSampled,
	})
}

// plainSpan is a root with a name.
func plainSpan(name string, n int) sdktrace.ReadOnlySpan { return plainStub(name, n).Snapshot() }

func plainStub(name string, n int) tracetest.SpanStub {
	return tracetest.SpanStub{
		Name: name, SpanContext: placed(n), SpanKind: trace.SpanKindInternal,
		StartTime: moment, EndTime: moment.Add(time.Second),
	}
}

// sampleSpans are spans of every kind and status, with everything that a span can have.
func sampleSpans() []sdktrace.ReadOnlySpan {
	kinds := []trace.SpanKind{
		trace.SpanKindInternal, trace.SpanKindServer, trace.SpanKindClient, trace.SpanKindProducer, trace.SpanKindConsumer,
	}
	var spans []sdktrace.ReadOnlySpan
	for i, kind := range kinds {
		s := plainStub(fmt.Sprintf("kind %d", i), i+1)
		s.SpanKind = kind
		if i > 0 {
			s.Parent = placed(1)
		}
		spans = append(spans, s.Snapshot())
	}
	ok := plainStub("GET /weather/{city}", 10)
	ok.Status = sdktrace.Status{Code: codes.Ok}
	return append(spans, ok.Snapshot(), richStub(11).Snapshot())
}

func richStub(n int) tracetest.SpanStub {
	s := plainStub(`name "quoted", \ é 漢 🦔`, n)
	s.Parent = placed(10)
	s.Status = sdktrace.Status{Code: codes.Error, Description: "no such city"}
	s.Attributes = []attribute.KeyValue{
		attribute.String("text", "line\nbreak"), attribute.String("empty", ""), attribute.Int64("int", -1<<40),
		attribute.Float64("float", 0.1), attribute.Bool("yes", true), attribute.Bool("no", false),
		attribute.StringSlice("texts", []string{"a", "b"}), attribute.Int64Slice("ints", []int64{1, -2}),
	}
	s.Events = []sdktrace.Event{
		{Name: "first", Time: moment.Add(time.Millisecond)},
		{Name: "second", Time: moment.Add(2 * time.Millisecond), Attributes: []attribute.KeyValue{attribute.Int("n", 1)}},
	}
	s.Links = []sdktrace.Link{{SpanContext: placed(12), Attributes: []attribute.KeyValue{attribute.String("why", "job")}}}
	s.Resource = sdkresource.NewSchemaless(attribute.String("service.name", "suite"), attribute.Int("process.pid", 7))
	s.InstrumentationScope = instrumentation.Scope{
		Name: "mylib", Version: "v1", Attributes: attribute.NewSet(attribute.String(semconv.LensGroup, "mygroup")),
	}
	return s
}

type oddSpan struct {
	name string
	span sdktrace.ReadOnlySpan
}

// oddSpans are what programs really hand over, now and then.
func oddSpans() []oddSpan {
	const bad = "a\xff\xc3b"
	odd := func(name string, change func(*tracetest.SpanStub)) oddSpan {
		s := plainStub("odd", 1000)
		change(&s)
		return oddSpan{name, s.Snapshot()}
	}
	with := func(attrs ...attribute.KeyValue) func(*tracetest.SpanStub) {
		return func(s *tracetest.SpanStub) { s.Attributes = attrs }
	}
	return []oddSpan{
		odd("a name that is not UTF-8", func(s *tracetest.SpanStub) { s.Name = bad }),
		odd("no name", func(s *tracetest.SpanStub) { s.Name = "" }),
		odd("text that is not UTF-8", with(attribute.String("text", bad), attribute.String(bad, "key"),
			attribute.StringSlice("texts", []string{bad}))),
		odd("an event, a status and a scope that are not UTF-8", func(s *tracetest.SpanStub) {
			s.Events = []sdktrace.Event{{Name: bad, Attributes: []attribute.KeyValue{attribute.String("text", bad)}}}
			s.Status = sdktrace.Status{Code: codes.Error, Description: bad}
			s.InstrumentationScope.Name = bad
		}),
		odd("text with control characters", with(attribute.String("text", "\x00\x1b[31m\r\n\u0085\u2028\u2029"))),
		odd("numbers that JSON has not", with(attribute.Float64("nan", math.NaN()), attribute.Float64("inf", math.Inf(1)),
			attribute.Float64Slice("list", []float64{math.Inf(-1)}), attribute.Int64("least", math.MinInt64))),
		odd("empty keys and lists", with(attribute.String("", "no key"), attribute.StringSlice("none", nil),
			attribute.KeyValue{Key: "no value"})),
		odd("a key that comes twice", with(attribute.Int("n", 1), attribute.Int("n", 2))),
		odd("a text of a mebibyte", with(attribute.String("text", strings.Repeat("x", 1<<20)))),
		odd("no times", func(s *tracetest.SpanStub) {
			s.StartTime, s.EndTime = time.Time{}, time.Time{}
			s.Events = []sdktrace.Event{{Name: "when"}}
		}),
		odd("an end before the start", func(s *tracetest.SpanStub) { s.EndTime = s.StartTime.Add(-time.Hour) }),
		odd("a time before 1970", func(s *tracetest.SpanStub) { s.StartTime = time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC) }),
		odd("a kind and a status that nobody knows", func(s *tracetest.SpanStub) {
			s.SpanKind, s.Status = trace.SpanKind(99), sdktrace.Status{Code: codes.Code(99)}
		}),
		odd("a link to nothing", func(s *tracetest.SpanStub) { s.Links = []sdktrace.Link{{}} }),
	}
}

// field is something that is compared where a format carries it.
type field struct {
	name string
	of   func(Span) any
}

var fields = []field{
	{"Parent", func(s Span) any { return s.Parent.SpanID }}, // formats commonly leave out what is the trace's anyway
	{"Kind", func(s Span) any { return s.Kind }},
	{"Library", func(s Span) any { return s.Library }},
	{"Group", func(s Span) any { return s.Group }},
	{"Start", func(s Span) any { return s.Start }},
	{"End", func(s Span) any { return s.End }},
	{"Status", func(s Span) any { return s.Status }},
	{"Message", func(s Span) any { return s.Message }},
	{"Attrs", func(s Span) any { return canonical(s.Attrs) }},
	{"Events", func(s Span) any { return canonicalEvents(s.Events) }},
	{"Links", func(s Span) any { return canonicalLinks(s.Links) }},
	{"Resource", func(s Span) any { return canonical(s.Resource) }},
}

var likeness = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.EquateApproxTime(time.Millisecond - 1), // formats cut times to a millisecond at worst
}

// compare checks that the spans arrived with all that the format carries.
func compare(t testing.TB, got []Span, want []sdktrace.ReadOnlySpan) {
	t.Helper()
	if !compareNames(t, got, want...) {
		return
	}
	byID := map[[8]byte]Span{}
	for _, s := range got {
		byID[s.Ref.SpanID] = s
	}
	for _, f := range fields {
		if !carried(f, got) {
			t.Logf("%s is not compared: no span brought it", f.name)
			continue
		}
		for _, s := range want {
			w := spanOf(s)
			if diff := cmp.Diff(f.of(w), f.of(byID[w.Ref.SpanID]), likeness); diff != "" {
				t.Errorf("span %q arrived with another %s (-want +got):\n%s", w.Name, f.name, diff)
			}
		}
	}
}

func carried(f field, spans []Span) bool {
	for _, s := range spans {
		if v := reflect.ValueOf(f.of(s)); !v.IsZero() && (v.Kind() != reflect.Slice && v.Kind() != reflect.Map || v.Len() > 0) {
			return true
		}
	}
	return false
}

// compareNames checks that these spans arrived, and each once, by their ids and names.
func compareNames(t testing.TB, got []Span, want ...sdktrace.ReadOnlySpan) bool {
	t.Helper()
	count := func(list []Span) map[string]int {
		counts := map[string]int{}
		for _, s := range list {
			counts[fmt.Sprintf("%x-%x %s", s.Ref.TraceID, s.Ref.SpanID, s.Name)]++
		}
		return counts
	}
	var wanted []Span
	for _, s := range want {
		wanted = append(wanted, spanOf(s))
	}
	diff := cmp.Diff(count(wanted), count(got))
	if diff != "" {
		t.Errorf("spans that arrived, and how often (-want +got):\n%s", diff)
	}
	return diff == ""
}

// canonical gives values the form in which they can be compared after a journey.
func canonical(attrs map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range attrs {
		out[k] = canonicalValue(v)
	}
	return out
}

func canonicalValue(v any) any {
	if n, ok := v.(json.Number); ok {
		f, _ := n.Float64()
		return f
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int())
	case r.CanUint():
		return float64(r.Uint())
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.Slice:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = canonicalValue(r.Index(i).Interface())
		}
		return list
	}
	return v
}

func canonicalEvents(events []Event) []Event {
	var out []Event
	for _, e := range events {
		out = append(out, Event{Name: e.Name, Time: e.Time, Attrs: canonical(e.Attrs)})
	}
	return out
}

// link is a link as formats carry it.
type link struct {
	Trace [16]byte
	Span  [8]byte
	Attrs map[string]any
}

func canonicalLinks(links []Link) []link {
	var out []link
	for _, l := range links {
		out = append(out, link{Trace: l.Ref.TraceID, Span: l.Ref.SpanID, Attrs: canonical(l.Attrs)})
	}
	return out
}
