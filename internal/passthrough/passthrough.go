// Package passthrough is the trace context of a build without telemetry (lens_off): what came in goes out again as it
// came, so that a program that records nothing does not cut the traces of those around it. It knows no OpenTelemetry.
//
// A program may still link the OpenTelemetry API, for its own instrumentation; then what goes out has to be what that
// instrumentation made of it. Package tracecontext, which such a program links with lensotel, hangs OpenTelemetry's own
// contexts in with [Install], and this package hands everything on to them.
package passthrough

import (
	"context"

	"github.com/lensgo/lens/internal/w3c"
)

// Carrier is lens.Carrier.
type Carrier interface {
	Get(key string) string
	Set(key, value string)
	Keys() []string
}

// Names of the headers.
const (
	traceparent = "traceparent"
	tracestate  = "tracestate"
	baggage     = "baggage"
)

type (
	parentKey  struct{}
	baggageKey struct{}
)

// parent is a remote parent, or a reservation, which here is nothing else: it goes on as it came.
type parent struct {
	parent w3c.Parent
	state  w3c.Tracestate
	remote bool
}

// Current gives what goes out from ctx: an invalid parent if nothing does.
func Current(ctx context.Context) (p w3c.Parent, state w3c.Tracestate, remote bool) {
	if theirs != nil {
		return theirs.Current(ctx)
	}
	if v, _ := ctx.Value(parentKey{}).(*parent); v != nil {
		return v.parent, v.state, v.remote
	}
	return w3c.Parent{}, w3c.Tracestate{}, false
}

// WithParent gives a context with p in it. An invalid p gives ctx.
func WithParent(ctx context.Context, p w3c.Parent, state w3c.Tracestate, remote bool) context.Context {
	if theirs != nil {
		return theirs.WithParent(ctx, p, state, remote)
	}
	if !p.Valid() {
		return ctx
	}
	return context.WithValue(ctx, parentKey{}, &parent{p, state, remote})
}

// Detach gives a context without a parent.
func Detach(ctx context.Context) context.Context {
	if theirs != nil {
		return theirs.Detach(ctx)
	}
	if v, _ := ctx.Value(parentKey{}).(*parent); v == nil {
		return ctx
	}
	return context.WithValue(ctx, parentKey{}, (*parent)(nil))
}

// Inject writes what ctx holds into c, and leaves c alone when that is nothing.
func Inject(ctx context.Context, c Carrier) {
	if theirs != nil {
		theirs.Inject(ctx, c)
		return
	}
	if p, state, _ := Current(ctx); p.Valid() {
		c.Set(traceparent, p.String())
		if !state.Empty() {
			c.Set(tracestate, state.String())
		} else if d, ok := c.(interface{ Del(key string) }); ok {
			d.Del(tracestate) // it belongs to another parent
		}
	}
	if b := bag(ctx); !b.Empty() {
		c.Set(baggage, b.String())
	}
}

// Extract gives ctx with what c holds.
func Extract(ctx context.Context, c Carrier) context.Context {
	if theirs != nil {
		return theirs.Extract(ctx, c)
	}
	multi, _ := c.(interface{ Values(key string) []string })
	lines := func(key string) []string {
		if multi != nil {
			return multi.Values(key)
		}
		if v := c.Get(key); v != "" {
			return []string{v}
		}
		return nil
	}
	// Two lines are no parent: somebody on the way is broken.
	if line := lines(traceparent); len(line) == 1 {
		if p, err := w3c.ParseTraceparent(line[0]); err == nil {
			state, _ := w3c.ParseTracestate(lines(tracestate)...)
			ctx = WithParent(ctx, p, state, true)
		}
	}
	if b := w3c.ReadBaggage(lines(baggage)...); !b.Empty() {
		ctx = context.WithValue(ctx, baggageKey{}, b)
	}
	return ctx
}

// WithBaggage gives a context with one more member, the number of members, and of bytes as sent.
func WithBaggage(ctx context.Context, key, value string) (with context.Context, members, size int, err error) {
	if theirs != nil {
		return theirs.WithBaggage(ctx, key, value)
	}
	b := bag(ctx).With(key, value)
	return context.WithValue(ctx, baggageKey{}, b), b.Len(), len(b.String()), nil
}

// Baggage gives the value of a member, or "".
func Baggage(ctx context.Context, key string) string {
	if theirs != nil {
		return theirs.Baggage(ctx, key)
	}
	return bag(ctx).Get(key)
}

func bag(ctx context.Context) w3c.Baggage {
	b, _ := ctx.Value(baggageKey{}).(w3c.Baggage)
	return b
}
