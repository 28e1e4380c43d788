//go:build !lens_off

package lensotel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

func attributes(s sdk.ReadOnlySpan) map[string]string {
	m := map[string]string{}
	for _, kv := range s.Attributes() {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

// TestToSpan: one span with two faces.
func TestToSpan(t *testing.T) {
	_, _, work, recorder := registry(t)
	_, link := work.Start(t.Context(), "link")
	link.End()
	ctx, span := work.Start(t.Context(), "x")
	span.Str("a", "lens").Str("b", "lens")
	theirs := lensotel.ToSpan(span)
	if lensotel.FromSpan(theirs) != span {
		t.Error("there and back is another span")
	}
	if !theirs.IsRecording() || !theirs.SpanContext().Equal(trace.SpanContextFromContext(ctx)) ||
		theirs.TracerProvider() != trace.SpanFromContext(ctx).TracerProvider() {
		t.Errorf("span context %v", theirs.SpanContext())
	}
	theirs.SetAttributes(attribute.String("b", "otel"), attribute.Int("c", 1), attribute.String("password", "x"))
	span.Int("c", 2)
	theirs.SetName("y")
	theirs.AddEvent("event", trace.WithAttributes(attribute.Int("k", 1)))
	theirs.AddLink(trace.Link{SpanContext: lensotel.ToSpanContext(link.Ref())})
	theirs.RecordError(errors.New("boom"))
	theirs.SetStatus(codes.Error, "boom")
	end := time.Now().Add(time.Hour)
	theirs.End(trace.WithTimestamp(end))
	span.Str("late", "x").End()
	if theirs.IsRecording() || span.Recording() {
		t.Error("it records after its end")
	}

	s := recorder.Ended()[1]
	if diff := cmp.Diff(map[string]string{"a": "lens", "b": "otel", "c": "2", "password": "[REDACTED]"}, attributes(s)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if s.Name() != "y" || len(s.Events()) != 2 || len(s.Links()) != 1 || s.Links()[0].SpanContext.SpanID() != link.Ref().SpanID ||
		s.Status().Description != "boom" || !s.EndTime().Equal(end) {
		t.Errorf("%s, events %v, links %v, status %v, end %v", s.Name(), s.Events(), s.Links(), s.Status(), s.EndTime())
	}
}

// TestToSpanEnds: it is out of the list of open spans, and a panic is recorded and goes on.
func TestToSpanEnds(t *testing.T) {
	r, _, work, recorder := registry(t)
	boom := errors.New("boom")
	func() {
		defer func() {
			if v := recover(); v != boom {
				t.Errorf("%v came out of the panic", v)
			}
		}()
		_, span := work.Start(t.Context(), "x")
		defer lensotel.ToSpan(span).End()
		panic(boom)
	}()
	seam.CloseOpen(r, "shutdown", nil)
	spans := recorder.Ended()
	if len(spans) != 1 || spans[0].Status().Code != codes.Error || len(spans[0].Events()) != 1 || spans[0].Events()[0].Name != "exception" {
		t.Errorf("spans %v", spans)
	}
}

// TestFromSpan: the lens.Span of somebody else's span writes at once, since the other may end it at any time.
func TestFromSpan(t *testing.T) {
	r, _, work, recorder := registry(t)
	tracer := lensotel.TracerProvider(work).Tracer(packageName)
	ctx, theirs := tracer.Start(t.Context(), "x")
	for name, span := range map[string]lens.Span{"span": lensotel.FromSpan(theirs), "context": lensotel.FromContext(ctx)} {
		if !span.Recording() || span.Ref() != lensotel.FromSpanContext(theirs.SpanContext()) || lensotel.ToSpan(span) != theirs {
			t.Errorf("%s: %v", name, span.Ref())
		}
		span.Str(name, "v").Str("token", "x").Event("e", lens.Int("k", 1))
	}
	span := lensotel.FromSpan(theirs)
	seam.CloseOpen(r, "lens keeps no list of them", nil)
	if !theirs.IsRecording() {
		t.Fatal("a span of somebody else was closed")
	}
	theirs.End()
	if span.Str("late", "x"); span.Recording() || lensotel.FromSpan(theirs) != (lens.Span{}) {
		t.Error("a span that has ended records")
	}
	s := recorder.Ended()[0]
	if diff := cmp.Diff(map[string]string{"span": "v", "context": "v", "token": "[REDACTED]"}, attributes(s)); diff != "" || len(s.Events()) != 2 {
		t.Errorf("events %v, attributes (-want +got):\n%s", s.Events(), diff)
	}

	_, theirs = tracer.Start(t.Context(), "y")
	err := errors.New("boom")
	lensotel.FromSpan(theirs).EndErr(&err)
	if s := recorder.Ended()[1]; theirs.IsRecording() || s.Status().Description != "boom" {
		t.Errorf("status %v", s.Status())
	}
}

func TestToContext(t *testing.T) {
	_, _, work, recorder := registry(t)
	_, span := work.Start(t.Context(), "x")
	ctx := lensotel.ToContext(t.Context(), span)
	if lensotel.FromContext(ctx) != span || lens.RefFrom(ctx) != span.Ref() {
		t.Error("another span is in the context")
	}
	_, below := work.Start(ctx, "below")
	below.End()
	span.End()
	if recorder.Ended()[0].Parent().SpanID() != recorder.Ended()[1].SpanContext().SpanID() {
		t.Error("it is no parent")
	}
}
