package export_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/export"
)

// full is a span that has everything that a span can have.
func full(span ptrace.Span) {
	span.TraceState().FromRaw("a=1,b=2")
	span.SetFlags(0x301)
	span.SetDroppedAttributesCount(1)
	span.SetDroppedEventsCount(2)
	span.SetDroppedLinksCount(3)
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage("größer 模型 \"quoted\" \u2028 <b>\x00\n")
	values(span.Attributes())
	event := span.Events().AppendEmpty()
	event.SetName("exception")
	event.SetTimestamp(1_800_000_000_000_000_123)
	event.SetDroppedAttributesCount(4)
	values(event.Attributes())
	link := span.Links().AppendEmpty()
	link.SetTraceID(pcommon.TraceID{1})
	link.SetSpanID(pcommon.SpanID{2})
	link.SetFlags(1)
	link.TraceState().FromRaw("c=3")
	values(link.Attributes())
}

func values(m pcommon.Map) {
	m.PutStr("text", "=1+1")
	m.PutStr("empty", "")
	m.PutInt("int", math.MinInt64)
	m.PutInt("large", math.MaxInt64)
	m.PutDouble("float", -0.1)
	m.PutDouble("whole", 2)
	m.PutDouble("tiny", math.SmallestNonzeroFloat64)
	m.PutDouble("nan", math.NaN())
	m.PutDouble("infinite", math.Inf(-1))
	m.PutBool("yes", true)
	m.PutBool("no", false)
	m.PutEmpty("nothing")
	m.PutEmptyBytes("bytes").FromRaw([]byte{0, 255, 10})
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetStr("a")
	list.AppendEmpty().SetInt(-1)
	list.AppendEmpty()
	list.AppendEmpty().SetEmptySlice()
	inner := m.PutEmptyMap("map")
	inner.PutStr("k", "v")
	inner.PutEmptyMap("deeper")
}

// odd is a store of spans as they should not be, and some with everything in them.
func odd(tb testing.TB) export.Source {
	tb.Helper()
	src := empty(tb)
	const t0 = 1_800_000_000_000_000_000
	for i := range uint64(40) {
		add(tb, src,
			sp{trace: 1, id: 1 + i, parent: i, name: "deep", service: "a", start: t0 + i, end: t0 + 1000 - i, edit: full},
			sp{trace: 2 + i, id: 1, name: "root", service: "b", start: t0 + i*10, end: t0 + i*10 + 5, edit: full},
			sp{trace: 2 + i, id: 2, parent: 99, name: "orphan", service: "a", start: t0 + i*10, end: 0},
			sp{trace: 2 + i, id: 2, parent: 1, name: "same id", service: "", start: t0, end: t0 - 5},
		)
	}
	add(tb, src,
		sp{trace: 500, id: 1, parent: 2, name: "circle", service: "a", start: t0, end: t0 + 4},
		sp{trace: 500, id: 2, parent: 1, name: "circle", service: "c", start: t0 + 1, end: t0 + 3},
		sp{trace: 501, id: 1, name: "", service: "a"},
		sp{trace: 502, id: 1, name: "far", service: "a", start: 1, end: math.MaxUint64},
		sp{trace: 0, id: 0, name: "no ids", service: "a", start: t0, end: t0 + 1},
	)
	return src
}

// What was exported and loaded gives the same spans, each of them.
func TestOTLPJSON_roundTrip(t *testing.T) {
	for name, src := range map[string]export.Source{"demo": load(t, demo), "odd": odd(t)} {
		t.Run(name, func(t *testing.T) {
			text, done := write(t, src, export.Options{})
			again := loadText(t, text)
			want := everySpan(t, src)
			if diff := cmp.Diff(want, everySpan(t, again)); diff != "" {
				t.Errorf("other spans came back (-want +got):\n%s", diff)
			}
			if done.Spans != len(want) || done.Traces != len(traceIDs(t, src)) || done.Empty() {
				t.Errorf("it says %+v, there are %d spans", done, len(want))
			}
			if twice, _ := write(t, again, export.Options{}); len(twice) != len(text) {
				t.Errorf("exported again it has %d bytes, before %d", len(twice), len(text))
			}
		})
	}
}

// The rules of the OTLP JSON encoding that readers trip over.
func TestOTLPJSON_form(t *testing.T) {
	src := empty(t)
	add(t, src, sp{trace: 7, id: 9, parent: 1, name: "n", service: "a", kind: ptrace.SpanKindServer, start: 1_800_000_000_000_000_001, end: 1_800_000_000_000_000_002,
		edit: func(s ptrace.Span) { s.Attributes().PutInt("n", 5); s.Status().SetCode(ptrace.StatusCodeError) }})
	text, _ := write(t, src, export.Options{})
	for _, want := range []string{
		`"traceId":"00000000000000000000000000000007"`, `"spanId":"0000000000000009"`, `"parentSpanId":"0000000000000001"`, `"kind":2`,
		`"startTimeUnixNano":"1800000000000000001"`, `{"intValue":"5"}`, `"code":2`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") || !strings.HasPrefix(text, `{"resourceSpans":[`) {
		t.Errorf("not one line:\n%s", text)
	}
}

// Copies are written once.
func TestOTLPJSON_copies(t *testing.T) {
	src := empty(t)
	a, b, c := sp{trace: 7, id: 1, name: "a", start: 1, end: 9}, sp{trace: 7, id: 2, parent: 1, name: "b", start: 2, end: 3}, sp{trace: 7, id: 3, parent: 1, name: "c", start: 4, end: 5}
	add(t, src, a, b)
	add(t, src, b, c)
	text, done := write(t, src, export.Options{})
	if done.Copies != 1 || done.Spans != 3 {
		t.Errorf("%d copies, %d spans", done.Copies, done.Spans)
	}
	if n := strings.Count(text, `"spanId":"0000000000000002"`); n != 1 {
		t.Errorf("the span that came twice is written %d times", n)
	}
}

// Readers bound their lines, so a large trace is more than one.
func TestOTLPJSON_largeTrace(t *testing.T) {
	src := empty(t)
	for i := range uint64(40) {
		add(t, src, sp{trace: 1, id: i + 1, name: "big", service: "a", start: i + 1, end: i + 2, edit: func(s ptrace.Span) {
			s.Attributes().PutStr("text", strings.Repeat("x", 100_000))
		}})
	}
	text, done := write(t, src, export.Options{})
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	if done.Traces != 1 || done.Spans != 40 || strings.Count(text, "\n") < 3 || longest > 2_000_000 {
		t.Errorf("%+v in %d lines, the longest of %d bytes", done, strings.Count(text, "\n"), longest)
	}
	if diff := cmp.Diff(everySpan(t, src), everySpan(t, loadText(t, text))); diff != "" {
		t.Error("other spans came back")
	}
}

// What is no UTF-8 is no reason to write what is no JSON.
func TestOTLPJSON_text(t *testing.T) {
	src := empty(t)
	add(t, src, sp{trace: 1, id: 1, name: "cut \xe6\xa8", service: "a", start: 1, end: 2})
	text, _ := write(t, src, export.Options{})
	if !strings.Contains(text, "cut \uFFFD") || len(everySpan(t, loadText(t, text))) != 1 {
		t.Errorf("wrote %q", text)
	}
}

func TestOTLPProto(t *testing.T) {
	src := odd(t)
	text, done := write(t, src, export.Options{Format: export.OTLPProto})
	again := empty(t)
	if _, err := again.Store.AddTraces(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everySpan(t, src), everySpan(t, again)); diff != "" || done.Spans == 0 {
		t.Errorf("%+v; other spans came back (-want +got):\n%s", done, diff)
	}
}

func BenchmarkWrite(b *testing.B) {
	src := load(b, demo)
	for _, f := range export.Formats {
		b.Run(string(f), func(b *testing.B) {
			var out bytes.Buffer
			spans := 0
			for b.Loop() {
				out.Reset()
				done, err := export.Write(b.Context(), &out, src, export.Options{Format: f})
				if err != nil {
					b.Fatal(err)
				}
				spans = done.Spans
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans), "ns/span")
		})
	}
}
