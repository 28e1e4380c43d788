//go:build lens_off

package lens

import (
	"context"

	"github.com/lensgo/lens/internal/passthrough"
	"github.com/lensgo/lens/internal/w3c"
)

func current(ctx context.Context) (p w3c.Parent, state w3c.Tracestate, remote bool) {
	return passthrough.Current(ctx)
}

func withParent(ctx context.Context, p w3c.Parent, state w3c.Tracestate, remote bool) context.Context {
	return passthrough.WithParent(ctx, p, state, remote)
}

func detach(ctx context.Context) context.Context { return passthrough.Detach(ctx) }

func inject(ctx context.Context, c Carrier) { passthrough.Inject(ctx, c) }

func extract(ctx context.Context, c Carrier) context.Context { return passthrough.Extract(ctx, c) }

func withBaggage(ctx context.Context, key, value string) (with context.Context, members, size int, err error) {
	return passthrough.WithBaggage(ctx, key, value)
}

func baggageOf(ctx context.Context, key string) string { return passthrough.Baggage(ctx, key) }
