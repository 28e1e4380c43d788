//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
)

// emitted is the one span that has ended.
func emitted(t *testing.T, recorder *tracetest.SpanRecorder) sdktrace.ReadOnlySpan {
	t.Helper()
	spans := recorder.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	recorder.Reset()
	return spans[0]
}

func attributesOf(s sdktrace.ReadOnlySpan) map[string]string {
	m := map[string]string{}
	for _, kv := range s.Attributes() {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

func TestEmit(t *testing.T) {
	r, recorder, log := recorded(t)
	g := on(t, r, "load")
	start := time.Unix(1_700_000_000, 123_456_789)
	end := start.Add(1_500_000_001)
	ctx, parent := g.Start(t.Context(), "parent")
	ref := g.Emit(lens.With(ctx, lens.Str("job", "j")), "weights", start, end, lens.Int("bytes", 7), lens.Str("token", "hush"), lens.Attr{})

	s := emitted(t, recorder)
	if !s.StartTime().Equal(start) || !s.EndTime().Equal(end) || s.Name() != "weights" || s.SpanKind() != trace.SpanKindInternal {
		t.Errorf("%q, %v, from %v to %v", s.Name(), s.SpanKind(), s.StartTime(), s.EndTime())
	}
	if ref.SpanID != s.SpanContext().SpanID() || ref.TraceID != s.SpanContext().TraceID() || ref.Remote {
		t.Errorf("the Ref is %v, the span %v", ref, s.SpanContext())
	}
	if s.Parent().SpanID() != trace.SpanID(parent.Ref().SpanID) {
		t.Errorf("its parent is %v", s.Parent())
	}
	same(t, "attributes", attributesOf(s), map[string]string{"bytes": "7", "token": "[REDACTED]", "job": "j"})
	if lens.RefFrom(ctx) != parent.Ref() {
		t.Error("the span became current")
	}
	parent.End()
	if n := lens.Open(r); n != 0 {
		t.Errorf("%d spans are open", n)
	}
	log.none(t)
}

// Parents are chosen by the context, and what was emitted may be one.
func TestEmit_parents(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "load")
	ctx, ambient := g.Start(t.Context(), "ambient")
	defer ambient.End()
	now := time.Now()
	top := g.Emit(lens.Detach(ctx), "top", now, now)
	below := g.Emit(lens.WithParent(ctx, top), "below", now, now)
	g.EmitWith(ctx, "root", lens.EmitConfig{Root: true})
	g.Emit(noContext, "no context", now, now)
	spans := recorder.Ended()
	if len(spans) != 4 {
		t.Fatalf("%d spans", len(spans))
	}
	for i, parent := range []lens.Ref{{}, top, {}, {}} {
		if got := spans[i].Parent(); got.SpanID() != trace.SpanID(parent.SpanID) || got.IsRemote() {
			t.Errorf("%s: the parent is %v, want %v", spans[i].Name(), got, parent)
		}
	}
	if below.TraceID != top.TraceID || top.TraceID == ambient.Ref().TraceID {
		t.Errorf("traces: below %v, top %v, ambient %v", below, top, ambient.Ref())
	}
}

func TestEmitWith(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "load")
	start := time.Unix(1_700_000_000, 0)
	end := start.Add(time.Minute)
	link := lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{2}}
	g.EmitWith(t.Context(), "x", lens.EmitConfig{
		Start: start, End: end, Kind: lens.Client, Links: []lens.Ref{link, {}},
		Fill: func(s lens.Span) {
			s.Str("a", "b").Err(errors.New("refused"))
			s.Link(lens.Ref{TraceID: [16]byte{3}, SpanID: [8]byte{4}}, lens.Int("n", 1))
			s.Event("seen")
			if !s.Recording() {
				t.Error("the span does not record in Fill")
			}
		},
	})
	s := emitted(t, recorder)
	if s.SpanKind() != trace.SpanKindClient || s.Status().Code != codes.Error || s.Status().Description != "refused" {
		t.Errorf("%v, %v", s.SpanKind(), s.Status())
	}
	if len(s.Links()) != 2 || s.Links()[0].SpanContext.SpanID() != trace.SpanID(link.SpanID) || len(s.Links()[1].Attributes) != 1 {
		t.Errorf("links: %v", s.Links())
	}
	if len(s.Events()) != 2 {
		t.Fatalf("events: %v", s.Events())
	}
	for _, e := range s.Events() {
		if !e.Time.Equal(end) {
			t.Errorf("the event %s has the time %v, want that of the end", e.Name, e.Time)
		}
	}
	if !s.EndTime().Equal(end) {
		t.Errorf("it ended at %v", s.EndTime())
	}
}

// A Fill that panics does not cost the span, and its panic is not ours to stop.
func TestEmitWith_panic(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "load")
	boom := errors.New("boom")
	end := time.Unix(1_700_000_000, 0)
	func() {
		defer func() {
			if v := recover(); v != boom {
				t.Errorf("the panic came out as %v", v)
			}
		}()
		g.EmitWith(t.Context(), "x", lens.EmitConfig{Start: end, End: end, Fill: func(s lens.Span) { s.Int("n", 1); panic(boom) }})
	}()
	if s := emitted(t, recorder); !s.EndTime().Equal(end) || attributesOf(s)["n"] != "1" {
		t.Errorf("it ended at %v with %v", s.EndTime(), s.Attributes())
	}
}

// The zero time means now, and of other times the monotonic clock does not count.
func TestEmit_now(t *testing.T) {
	r, recorder, log := recorded(t)
	g := on(t, r, "load")
	before := time.Now().Round(0)
	g.Emit(t.Context(), "x", time.Time{}, time.Time{})
	s := emitted(t, recorder)
	if s.StartTime().Before(before) || s.EndTime().Before(s.StartTime()) || s.EndTime().After(time.Now()) {
		t.Errorf("from %v to %v", s.StartTime(), s.EndTime())
	}
	at := time.Now()
	// By the monotonic clock it is a second later, by the wall clock a second earlier, as after the clock has been set.
	later := at.Add(time.Second)
	g.Emit(t.Context(), "x", at.Round(0), later)
	if s := emitted(t, recorder); s.EndTime().Sub(s.StartTime()) != time.Second {
		t.Errorf("it took %v", s.EndTime().Sub(s.StartTime()))
	}
	log.none(t)
}

// An end before the start, by however little, is put at the start, said, and marked. The texts are those of Python's Decimal.
func TestEmit_inverted(t *testing.T) {
	for _, c := range []struct {
		start, end       time.Time
		first, last, gap string
	}{
		{time.Unix(100, 1), time.Unix(100, 0), "100.000000001", "100", "1E-9"},
		{time.Unix(100, 15), time.Unix(100, 0), "100.000000015", "100", "1.5E-8"},
		{time.Unix(100, 1000), time.Unix(100, 0), "100.000001", "100", "0.000001"},
		{time.Unix(100, 123), time.Unix(100, 0), "100.000000123", "100", "1.23E-7"},
		{time.Unix(1_700_000_002, 500_000_000), time.Unix(1_700_000_000, 250_000_000), "1700000002.5", "1700000000.25", "2.25"},
		{time.Unix(1200, 0), time.Unix(200, 0), "1200", "200", "1000"},
		{time.Unix(0, 0), time.Unix(-1, 500_000_000), "0", "-0.5", "0.5"},
		{time.Unix(0, 0), time.Unix(-1, 999_999_999), "0", "-1E-9", "1E-9"},
		{time.Unix(0, 0), time.Unix(-1<<40, 0), "0", "-1099511627776", "1099511627776"},
	} {
		t.Run(c.gap, func(t *testing.T) {
			r, recorder, log := recorded(t)
			g := on(t, r, "load")
			given := []lens.Attr{lens.Str("inverted.skew", "mine"), lens.Str("inverted.delta_seconds", "mine"), lens.Int("n", 1)}
			g.EmitWith(t.Context(), "x", lens.EmitConfig{Start: c.start, End: c.end, Fill: func(s lens.Span) { s.Set(given...) }})
			g.Emit(t.Context(), "x", c.start, c.end, given...)
			for _, s := range recorder.Ended() {
				if !s.StartTime().Equal(c.start) || !s.EndTime().Equal(c.start) {
					t.Errorf("from %v to %v", s.StartTime(), s.EndTime())
				}
				same(t, "attributes", attributesOf(s), map[string]string{"inverted.skew": "true", "inverted.start_epoch_seconds": c.first,
					"inverted.end_epoch_seconds": c.last, "inverted.delta_seconds": c.gap, "n": "1"})
				if v := skew(s); v != attribute.BoolValue(true) {
					t.Errorf("the mark is %v", v)
				}
			}
			lines := log.take()
			if len(lines) != 2 {
				t.Fatalf("%d lines for 2 spans: %q", len(lines), lines)
			}
			has(t, lines[0], "level=WARN", "span=x", "start="+c.first, "end="+c.last, "inversion=", "clocks", "inverted.skew=true")
		})
	}
}

func skew(s sdktrace.ReadOnlySpan) (v attribute.Value) {
	for _, kv := range s.Attributes() {
		if kv.Key == "inverted.skew" {
			v = kv.Value
		}
	}
	return v
}

// What the sampler refuses is refused for what is emitted below, and nobody is asked to fill it.
func TestEmit_not_sampled(t *testing.T) {
	r, recorder, _ := recorded(t, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
	g := on(t, r, "load")
	now := time.Now()
	ref := g.EmitWith(t.Context(), "x", lens.EmitConfig{Fill: func(lens.Span) { t.Error("Fill was called") }})
	if !ref.Valid() || ref.Flags&1 != 0 {
		t.Errorf("the Ref is %v", ref)
	}
	below := g.Emit(lens.WithParent(t.Context(), ref), "y", now, now)
	if below.TraceID != ref.TraceID || below.Flags&1 != 0 || len(recorder.Ended()) != 0 {
		t.Errorf("below is %v, %d spans", below, len(recorder.Ended()))
	}
}

func TestEmit_ungated(t *testing.T) {
	r, recorder, _ := recorded(t)
	now := time.Now()
	a := r.Emit(t.Context(), "a", now, now, lens.Int("n", 1))
	b := r.EmitWith(t.Context(), "b", lens.EmitConfig{Links: []lens.Ref{a}})
	if len(recorder.Ended()) != 2 || !a.Valid() || !b.Valid() {
		t.Errorf("%v, %v, %d spans", a, b, len(recorder.Ended()))
	}
	lens.Emit(t.Context(), "nowhere", now, now) // the default registry records wherever the global provider does
	lens.EmitWith(t.Context(), "nowhere", lens.EmitConfig{})
}

// Times that no int64 of nanoseconds holds do no harm.
func TestEmit_far(t *testing.T) {
	r, recorder, log := recorded(t)
	g := on(t, r, "load")
	far := time.Unix(math.MaxInt64>>8, 0)
	g.Emit(t.Context(), "x", far, time.Unix(0, 0))
	has(t, attributesOf(emitted(t, recorder))["inverted.delta_seconds"], fmt.Sprint(int64(math.MaxInt64>>8)))
	log.one(t, "inversion=")
}

// An operation that was timed by somebody else, and one below it.
func ExampleGroup_Emit() {
	r, restore := printing()
	defer restore()
	load := r.NewGroup("load")
	r.MustRegister(lens.Library{Namespace: "loader", Groups: []*lens.Group{load}})
	r.SetSpec("all")

	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ref := load.Emit(context.Background(), "load", began, began.Add(3*time.Second), lens.Int("shards", 4))
	if load.Enabled() { // what only a span needs is worked out when there is one
		load.EmitWith(lens.WithParent(context.Background(), ref), "load.verify", lens.EmitConfig{
			Start: began.Add(2 * time.Second), End: began.Add(3 * time.Second), Kind: lens.Client,
			Fill: func(s lens.Span) { s.Str("sum", "9f86d0").Fail("another sum") },
		})
	}
	// Output:
	// load {shards: 4} Unset
	// load.verify {sum: 9f86d0} Error
}
