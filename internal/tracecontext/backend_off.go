//go:build lens_off

package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens/internal/passthrough"
	"github.com/lensgo/lens/internal/w3c"
)

// A program that is built without telemetry and links OpenTelemetry all the same has spans of its own. What lens passes
// on is then what OpenTelemetry would, or the caller of an instrumented part would find its trace cut behind it.
func init() { passthrough.Install(backend{}) }

type backend struct{}

func (backend) Current(ctx context.Context) (w3c.Parent, w3c.Tracestate, bool) { return Current(ctx) }

func (backend) WithParent(ctx context.Context, p w3c.Parent, state w3c.Tracestate, remote bool) context.Context {
	return WithParent(ctx, p, state, remote)
}

func (backend) Detach(ctx context.Context) context.Context { return Detach(ctx) }

func (backend) Inject(ctx context.Context, c passthrough.Carrier) {
	Propagator{}.Inject(ctx, c)
	propagation.Baggage{}.Inject(ctx, c)
}

func (backend) Extract(ctx context.Context, c passthrough.Carrier) context.Context {
	return propagation.Baggage{}.Extract(Propagator{}.Extract(ctx, c), c)
}

func (backend) WithBaggage(ctx context.Context, key, value string) (context.Context, int, int, error) {
	return WithBaggage(ctx, key, value)
}

func (backend) Baggage(ctx context.Context, key string) string { return Baggage(ctx, key) }
