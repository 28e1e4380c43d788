//go:build !lens_off

package telemetry

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The wrapper may cost a root its flag; a child, which is what there are many of, it must not cost anything.
func TestProvider_child_costs_nothing_more(t *testing.T) {
	sdk := sdktrace.NewTracerProvider()
	defer sdk.Shutdown(context.Background())
	plain, wrapped := sdk.Tracer("x"), (&provider{sdk: sdk}).Tracer("x")
	ctx, root := plain.Start(t.Context(), "root")
	defer root.End()
	allocs := func(tr trace.Tracer, opts ...trace.SpanStartOption) float64 {
		return testing.AllocsPerRun(200, func() {
			_, s := tr.Start(ctx, "child", opts...)
			s.End()
		})
	}
	for name, opts := range map[string][]trace.SpanStartOption{
		"without options": nil, "with a kind": {trace.WithSpanKind(trace.SpanKindClient)},
	} {
		if p, w := allocs(plain, opts...), allocs(wrapped, opts...); w > p {
			t.Errorf("%s: %v allocations, the SDK alone makes %v", name, w, p)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	sdk := sdktrace.NewTracerProvider()
	defer sdk.Shutdown(context.Background())
	for name, tr := range map[string]trace.Tracer{"SDK": sdk.Tracer("x"), "wrapped": (&provider{sdk: sdk}).Tracer("x")} {
		ctx, root := tr.Start(b.Context(), "root")
		defer root.End()
		for kind, ctx := range map[string]context.Context{"root": b.Context(), "child": ctx} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, s := tr.Start(ctx, "x")
					s.End()
				}
			})
		}
	}
}
