//go:build !lens_off

package lens

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/internal/w3c"
)

// refOf gives the Ref of a span context.
func refOf(sc trace.SpanContext) Ref {
	if !sc.IsValid() {
		return Ref{}
	}
	return Ref{
		TraceID: sc.TraceID(),
		SpanID:  sc.SpanID(),
		Flags:   byte(sc.TraceFlags()),
		Remote:  sc.IsRemote(),
		state:   tracecontext.List(sc),
	}
}

// spanContext gives the Ref as OpenTelemetry has it, with what that can hold of the tracestate.
func (r Ref) spanContext() trace.SpanContext {
	return tracecontext.SpanContext(r.parent(), r.state, r.Remote)
}

func current(ctx context.Context) (p w3c.Parent, state w3c.Tracestate, remote bool) {
	return tracecontext.Current(ctx)
}

func withParent(ctx context.Context, p w3c.Parent, state w3c.Tracestate, remote bool) context.Context {
	return tracecontext.WithParent(ctx, p, state, remote)
}

func detach(ctx context.Context) context.Context { return tracecontext.Detach(ctx) }

func inject(ctx context.Context, c Carrier) {
	if p := seam.Propagator(); p != nil {
		p.Inject(ctx, c)
		return
	}
	tracecontext.Propagator{}.Inject(ctx, c)
	propagation.Baggage{}.Inject(ctx, c)
}

func extract(ctx context.Context, c Carrier) context.Context {
	if p := seam.Propagator(); p != nil {
		return p.Extract(ctx, c)
	}
	ctx = tracecontext.Propagator{}.Extract(ctx, c)
	return propagation.Baggage{}.Extract(ctx, c)
}

func withBaggage(ctx context.Context, key, value string) (with context.Context, members, size int, err error) {
	return tracecontext.WithBaggage(ctx, key, value)
}

func baggageOf(ctx context.Context, key string) string { return tracecontext.Baggage(ctx, key) }
