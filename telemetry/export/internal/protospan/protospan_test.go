package protospan_test

import (
	"context"
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/export/internal/protospan"
)

var (
	began = time.Unix(1_700_000_000, 123)
	res   = resource.NewWithAttributes("https://resource", attribute.String("service.name", "x"), attribute.Int("rank", 3))
	scope = instrumentation.Scope{Name: "scope", Version: "v1", SchemaURL: "https://scope",
		Attributes: attribute.NewSet(attribute.Bool("lens.bridge", true))}
)

// full is a span that has everything.
func full() tracetest.SpanStub {
	state, err := trace.ParseTraceState("a=1,b=2")
	if err != nil {
		panic(err)
	}
	context := func(n byte, remote bool) trace.SpanContext {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{n, 15: 1}, SpanID: trace.SpanID{n, 7: 1},
			TraceFlags: trace.FlagsSampled | trace.FlagsRandom, TraceState: state, Remote: remote})
	}
	long := make([]byte, 70_000)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	return tracetest.SpanStub{
		Name: "name", SpanContext: context(1, false), Parent: context(2, true), SpanKind: trace.SpanKindServer,
		StartTime: began, EndTime: began.Add(time.Second),
		Attributes: []attribute.KeyValue{
			attribute.String("string", "ü"), attribute.String("empty", ""), attribute.String("long", string(long)), attribute.String("medium", string(long[:200])),
			attribute.Bool("true", true), attribute.Bool("false", false), attribute.Int64("int", -1), attribute.Int64("zero", 0),
			attribute.Float64("float", math.Inf(1)), attribute.Float64("0.0", 0),
			attribute.StringSlice("strings", []string{"a", ""}), attribute.BoolSlice("bools", []bool{true, false}),
			attribute.Int64Slice("ints", []int64{0, 1, math.MinInt64}), attribute.Float64Slice("floats", []float64{0, -0.5}),
			attribute.StringSlice("none", nil),
			{Key: "bytes", Value: attribute.ByteSliceValue([]byte{0, 255})},
			{Key: "list", Value: attribute.SliceValue(attribute.StringValue("a"), attribute.SliceValue(attribute.BoolValue(false)), attribute.Value{})},
			{Key: "map", Value: attribute.MapValue(attribute.String("k", "v"), attribute.Int("n", 0))},
			{Key: "nothing"},
		},
		Events: []sdktrace.Event{
			{Name: "event", Time: began, Attributes: []attribute.KeyValue{attribute.Int("n", 1)}, DroppedAttributeCount: 4}, {},
		},
		Links: []sdktrace.Link{
			{SpanContext: context(3, true), Attributes: []attribute.KeyValue{attribute.Int("n", 1)}, DroppedAttributeCount: 5}, {SpanContext: context(4, false)},
		},
		Status:            sdktrace.Status{Code: codes.Error, Description: "because"},
		DroppedAttributes: 1, DroppedEvents: 2, DroppedLinks: math.MaxInt,
		Resource: res, InstrumentationScope: scope,
	}
}

// stock takes what the stock transformation makes.
type stock struct{ spans []*tracepb.ResourceSpans }

func (*stock) Start(context.Context) error { return nil }
func (*stock) Stop(context.Context) error  { return nil }
func (s *stock) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	s.spans = spans
	return nil
}

func stockOf(t *testing.T, span sdktrace.ReadOnlySpan) *tracepb.TracesData {
	t.Helper()
	var client stock
	e, err := otlptrace.New(t.Context(), &client)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span}); err != nil {
		t.Fatal(err)
	}
	return &tracepb.TracesData{ResourceSpans: client.spans}
}

// bytesOf is a span as it would be read back.
func bytesOf(t *testing.T, s sdktrace.ReadOnlySpan) protospan.Span {
	t.Helper()
	span, ok := protospan.Parse(protospan.Append(nil, s))
	if !ok {
		t.Fatal("the span cannot be read back")
	}
	span.Origin = protospan.AppendOrigin(nil, s.Resource(), s.InstrumentationScope())
	return span
}

func decode(t *testing.T, request []byte) *tracepb.TracesData {
	t.Helper()
	var d tracepb.TracesData
	if err := proto.Unmarshal(request, &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// A span is what the stock transformation makes of it.
func TestAppend(t *testing.T) {
	bare := tracetest.SpanStub{SpanContext: full().SpanContext, Resource: res, InstrumentationScope: scope}
	open := full()
	open.EndTime, open.Status = time.Time{}, sdktrace.Status{Code: codes.Ok}
	spans := map[string]tracetest.SpanStub{"full": full(), "bare": bare, "open": open}
	for _, k := range []trace.SpanKind{trace.SpanKindInternal, trace.SpanKindClient, trace.SpanKindProducer, trace.SpanKindConsumer, 77} {
		s := bare
		s.SpanKind = k
		spans[k.String()] = s
	}
	for name, stub := range spans {
		t.Run(name, func(t *testing.T) {
			s := stub.Snapshot()
			got, want := decode(t, protospan.Request([]protospan.Span{bytesOf(t, s)})), stockOf(t, s)
			if !proto.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// A text that is not UTF-8 would cost the whole request.
func TestAppend_repairs_texts(t *testing.T) {
	s := tracetest.SpanStub{Name: "a\xff", SpanContext: full().SpanContext, Attributes: []attribute.KeyValue{attribute.String("k\xfe", "v\xfd")}}
	d := decode(t, protospan.Request([]protospan.Span{bytesOf(t, s.Snapshot())}))
	span := d.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if span.Name != "a�" || span.Attributes[0].Key != "k�" || span.Attributes[0].Value.GetStringValue() != "v�" {
		t.Errorf("%v", span)
	}
}

func TestTruncate(t *testing.T) {
	open := full()
	open.EndTime = time.Time{}
	for name, c := range map[string]struct{ at, end time.Time }{
		"later":   {began.Add(time.Minute), began.Add(time.Minute)},
		"earlier": {began.Add(-time.Minute), began},
		"no time": {time.Time{}, began},
	} {
		t.Run(name, func(t *testing.T) {
			span := bytesOf(t, open.Snapshot())
			got := decode(t, protospan.Request([]protospan.Span{span.Truncate(c.at, "why")}))
			want := stockOf(t, open.Snapshot())
			s := want.ResourceSpans[0].ScopeSpans[0].Spans[0]
			s.EndTimeUnixNano = uint64(c.end.UnixNano())
			marked := tracetest.SpanStub{SpanContext: open.SpanContext, Attributes: []attribute.KeyValue{attribute.Bool(semconv.SpanTruncated, true)},
				Events: []sdktrace.Event{{Name: semconv.SpanTruncated, Time: c.end, Attributes: []attribute.KeyValue{attribute.String(semconv.SpanTruncatedReason, "why")}}}}
			marks := stockOf(t, marked.Snapshot()).ResourceSpans[0].ScopeSpans[0].Spans[0]
			s.Attributes, s.Events = append(s.Attributes, marks.Attributes...), append(s.Events, marks.Events...)
			if !proto.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// Spans of one origin share what is around them, also with others between them.
func TestRequest_of_several_origins(t *testing.T) {
	a, b := full(), full()
	b.InstrumentationScope.Name = "other"
	spans := []protospan.Span{bytesOf(t, a.Snapshot()), bytesOf(t, b.Snapshot()), bytesOf(t, a.Snapshot()), bytesOf(t, a.Snapshot())}
	spans[3].Origin = nil // its record was damaged
	d := decode(t, protospan.Request(spans))
	var got []int
	for _, r := range d.ResourceSpans {
		got = append(got, len(r.ScopeSpans[0].Spans))
	}
	if len(got) != 3 || got[0] != 2 || got[1] != 1 || got[2] != 1 || d.ResourceSpans[2].Resource != nil ||
		d.ResourceSpans[1].ScopeSpans[0].Scope.Name != "other" {
		t.Errorf("%v spans: %v", got, d)
	}
}

func TestParse_refuses(t *testing.T) {
	whole := protospan.Append(nil, full().Snapshot())
	for name, body := range map[string][]byte{
		"nothing": nil, "a part": whole[:len(whole)-1], "without ids": whole[28:], "other bytes": []byte("no message at all"),
	} {
		if _, ok := protospan.Parse(body); ok {
			t.Errorf("%s: it is read", name)
		}
	}
}

// FuzzParse reads files that may be damaged, or written by somebody else.
func FuzzParse(f *testing.F) {
	small := full()
	small.Attributes = small.Attributes[:2]
	f.Add(protospan.Append(nil, small.Snapshot()), protospan.AppendOrigin(nil, res, scope))
	f.Add([]byte{0x0a, 0x10}, []byte{0x0a})
	f.Fuzz(func(t *testing.T, body, origin []byte) {
		s, ok := protospan.Parse(body)
		if !ok {
			return
		}
		s.Origin = origin
		cut := s.Truncate(began, "why")
		if again, ok := protospan.Parse(cut.Body); !ok || again.ID != s.ID || again.End < again.Start || again.End != cut.End {
			t.Errorf("truncated: %+v of %+v", again, s)
		}
		protospan.Request([]protospan.Span{s, cut})
	})
}

// To append a span costs no memory but its own.
func TestAppend_allocations(t *testing.T) {
	s := full()
	s.Attributes = s.Attributes[:10] // lists are copied
	s.SpanContext, s.Links = s.SpanContext.WithTraceState(trace.TraceState{}), nil
	span := s.Snapshot()
	b := make([]byte, 0, 1<<20)
	if n := testing.AllocsPerRun(100, func() { b = protospan.Append(b[:0], span) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
