//go:build lens_off

package tracecontext_test

import (
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/tracecontext"
)

// TestOffKnowsOpenTelemetry: with OpenTelemetry in the program, lens passes its spans on, and hears what it read.
func TestOffKnowsOpenTelemetry(t *testing.T) {
	in := lens.Map{"traceparent": parent, "tracestate": "foo@=1", "baggage": "a=1"}
	ctx, span := tracer().Start(lens.Extract(t.Context(), in), "theirs")
	defer span.End()
	want := "00-" + traceID + "-" + span.SpanContext().SpanID().String() + "-01"
	ctx, err := lens.WithBaggage(ctx, "a", "2")
	if err != nil {
		t.Fatal(err)
	}
	out := lens.Map{}
	lens.Inject(ctx, out)
	if out["traceparent"] != want || out["tracestate"] != "foo@=1" || out["baggage"] != "a=2" {
		t.Errorf("%v goes out", out)
	}
	if got := lens.RefFrom(ctx); got.String() != want || got.Remote {
		t.Errorf("RefFrom gives %s", got)
	}
	if got := lens.RefFrom(tracecontext.Propagator{}.Extract(t.Context(), in)).String(); got != parent {
		t.Errorf("what OpenTelemetry read is %q to lens", got)
	}
	ctx = lens.WithParent(t.Context(), lens.RefFrom(ctx))
	if got := lens.RefFrom(ctx).String(); got != want {
		t.Errorf("WithParent gives %s", got)
	}
	if ctx = lens.Detach(ctx); lens.RefFrom(ctx).Valid() || lens.Baggage(ctx, "a") != "" {
		t.Error("after Detach there is something")
	}
}
