package passthrough

import (
	"context"

	"github.com/lensgo/lens/internal/w3c"
)

// Backend keeps trace context and baggage in contexts its own way. The methods are the functions of this package.
type Backend interface {
	Current(ctx context.Context) (p w3c.Parent, state w3c.Tracestate, remote bool)
	WithParent(ctx context.Context, p w3c.Parent, state w3c.Tracestate, remote bool) context.Context
	Detach(ctx context.Context) context.Context
	Inject(ctx context.Context, c Carrier)
	Extract(ctx context.Context, c Carrier) context.Context
	WithBaggage(ctx context.Context, key, value string) (with context.Context, members, size int, err error)
	Baggage(ctx context.Context, key string) string
}

var theirs Backend // written once, by an init function; nil: this package's own

// Install makes this package hand everything on to b. Only package tracecontext calls it, from an init function.
func Install(b Backend) { theirs = b }
