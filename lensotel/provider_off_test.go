//go:build lens_off

package lensotel_test

import (
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensotel"
)

// TestOffBuild: groups are off for ever, and spans that the program makes without lens are left as they are.
func TestOffBuild(t *testing.T) {
	group := lens.NewGroup("off.calls")
	lens.MustRegister(lens.Library{Namespace: "off", Groups: []*lens.Group{group}})
	lens.SetSpec("all")
	ctx, parent := sdk.NewTracerProvider().Tracer("theirs").Start(t.Context(), "parent")
	tracer := lensotel.TracerProvider(group).Tracer("package")
	got, span := tracer.Start(ctx, "x")
	if span.End(); got != ctx || span.IsRecording() || !parent.IsRecording() {
		t.Error("something was started, or ended")
	}
	got, _ = lensotel.TracerProvider(group, lensotel.ShieldParent()).Tracer("package").Start(ctx, "x")
	trace.SpanFromContext(got).End()
	if !parent.IsRecording() || lens.RefFrom(got) != lensotel.FromSpanContext(parent.SpanContext()) {
		t.Error("the parent was ended, or is none")
	}
	if lensotel.FromSpan(parent) != (lens.Span{}) || lensotel.FromContext(ctx) != (lens.Span{}) {
		t.Error("a span of lens came to be")
	}
}
