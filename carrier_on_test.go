//go:build !lens_off

package lens_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// oneHeader is a propagator with a format of its own.
type oneHeader struct{}

func (oneHeader) Inject(_ context.Context, c propagation.TextMapCarrier) { c.Set("x-own", "1") }
func (oneHeader) Extract(ctx context.Context, _ propagation.TextMapCarrier) context.Context {
	return lens.WithParent(ctx, lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{2}})
}
func (oneHeader) Fields() []string { return []string{"x-own"} }

func TestPropagatorFromSetUp(t *testing.T) {
	seam.SetPropagator(oneHeader{})
	defer seam.SetPropagator(nil)
	ctx := lens.Extract(t.Context(), lens.Map{"traceparent": carrierParent})
	if r := lens.RefFrom(ctx); r.TraceID != [16]byte{1} {
		t.Errorf("extracted is %s", r)
	}
	if m := injected(ctx); len(m) != 1 || m["x-own"] != "1" {
		t.Errorf("injected is %v", m)
	}
}

// TestReservationIsNoParent: OpenTelemetry sees no parent in it, and the first span ends it.
func TestReservationIsNoParent(t *testing.T) {
	ctx := lens.WithParent(t.Context(), mustRef(t, carrierParent, "lens=r"))
	if trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("a reservation is a parent")
	}
	below, span := sdk.NewTracerProvider().Tracer("test").Start(ctx, "root")
	defer span.End()
	if r := lens.RefFrom(below); r.SpanID != span.SpanContext().SpanID() || injected(below)["tracestate"] != "" {
		t.Errorf("below a span %v goes out", injected(below))
	}
}
