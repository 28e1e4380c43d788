//go:build !lens_off && !race

package lensotel_test

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

// call is what an instrumented package does with its tracer.
func call(ctx context.Context, tracer trace.Tracer) {
	_, span := tracer.Start(ctx, "GET", trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("server.address", "localhost"), attribute.Int("http.response.status_code", 200))
	}
	span.End()
}

// bare is Start and End alone.
func bare(ctx context.Context, tracer trace.Tracer) {
	_, span := tracer.Start(ctx, "GET")
	span.End()
}

// tracers are those to compare: behind a group that is off and stock no-op; behind one that is on and the SDK itself.
type tracers struct{ off, shielded, noop, on, sdk trace.Tracer }

func compared(t testing.TB) (tracers, map[string]context.Context) {
	r, calls, work, _ := registry(t)
	provider := sdk.NewTracerProvider()
	seam.SetProvider(r, provider)
	ctx, parent := work.Start(t.Context(), "parent")
	t.Cleanup(parent.End)
	return tracers{
			off:      lensotel.TracerProvider(calls).Tracer(packageName),
			shielded: lensotel.TracerProvider(calls, lensotel.ShieldParent()).Tracer(packageName),
			noop:     noop.NewTracerProvider().Tracer(packageName),
			on:       lensotel.TracerProvider(work).Tracer(packageName),
			sdk:      provider.Tracer(packageName),
		}, map[string]context.Context{
			"root": t.Context(), "child": ctx, "remote": lens.WithParent(t.Context(), parent.Ref()),
		}
}

func TestAllocations(t *testing.T) {
	tr, contexts := compared(t)
	for name, ctx := range contexts {
		count := func(tracer trace.Tracer, run func(context.Context, trace.Tracer)) float64 {
			return testing.AllocsPerRun(200, func() { run(ctx, tracer) })
		}
		if n := count(tr.off, bare); n != 0 {
			t.Errorf("%s: %v allocations while off, the stock no-op makes %v", name, n, count(tr.noop, bare))
		}
		if n, stock := count(tr.shielded, bare), count(tr.noop, bare); n > stock {
			t.Errorf("%s: %v allocations with a shield, the stock no-op makes %v", name, n, stock)
		}
		if n, stock := count(tr.on, call), count(tr.sdk, call); n > stock {
			t.Errorf("%s: %v allocations while on, the SDK makes %v", name, n, stock)
		}
	}
}

// TestCost: off costs less than the stock no-op, with every parent, also with the shield. The rounds alternate, and what
// counts is the least time of each, so that a busy machine does not decide.
func TestCost(t *testing.T) {
	tr, contexts := compared(t)
	for name, ctx := range contexts {
		least := map[trace.Tracer]time.Duration{tr.off: time.Hour, tr.shielded: time.Hour, tr.noop: time.Hour}
		for range 31 {
			for tracer := range least {
				begin := time.Now()
				for range 2000 {
					bare(ctx, tracer)
				}
				least[tracer] = min(least[tracer], time.Since(begin))
			}
		}
		stock := float64(least[tr.noop])
		off, shielded := float64(least[tr.off])/stock, float64(least[tr.shielded])/stock
		t.Logf("%s: off costs %.2f of the stock no-op, with a shield %.2f", name, off, shielded)
		if off >= 1 {
			t.Errorf("%s: off costs %.2f of the stock no-op", name, off)
		}
	}
}

// BenchmarkStart has a package's span behind a group beside the stock counterpart: the no-op while it is off, the SDK while
// it is on. Compare within one run.
func BenchmarkStart(b *testing.B) {
	tr, contexts := compared(b)
	names := []string{"root", "child", "remote"}
	for _, bb := range []struct {
		name   string
		tracer trace.Tracer
	}{{"Off/Lens", tr.off}, {"Off/Shielded", tr.shielded}, {"Off/Noop", tr.noop}, {"On/Lens", tr.on}, {"On/SDK", tr.sdk}} {
		for _, name := range names {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				ctx := contexts[name]
				for b.Loop() {
					call(ctx, bb.tracer)
				}
			})
		}
	}
}
