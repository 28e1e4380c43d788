package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens/internal/w3c"
)

// Names of the headers.
const (
	Traceparent = "traceparent"
	Tracestate  = "tracestate"
)

// Propagator is the [propagation.TextMapPropagator] for W3C trace context, level 2.
type Propagator struct{}

var _ propagation.TextMapPropagator = Propagator{}

// Fields are the headers that Inject sets.
func (Propagator) Fields() []string { return []string{Traceparent, Tracestate} }

// Inject writes the trace context of ctx with Set, so that each header goes out once. A tracestate that the carrier
// already has belongs to another parent: it is removed where the carrier has a method Del (http.Header).
func (Propagator) Inject(ctx context.Context, c propagation.TextMapCarrier) {
	if ctx == nil || c == nil {
		return
	}
	p, state, _ := Current(ctx)
	if !p.Valid() {
		return
	}
	c.Set(Traceparent, p.String())
	if !state.Empty() {
		c.Set(Tracestate, state.String())
	} else if d, ok := c.(interface{ Del(key string) }); ok {
		d.Del(Tracestate)
	}
}

// Extract gives ctx with the remote parent, or the reservation, that the carrier holds. No traceparent, a bad one or two
// of them: ctx as it is. A bad tracestate is dropped, the parent counts.
func (Propagator) Extract(ctx context.Context, c propagation.TextMapCarrier) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if c == nil {
		return ctx
	}
	multi, _ := c.(propagation.ValuesGetter)
	value, ok := single(c, multi)
	if !ok {
		return ctx
	}
	p, err := w3c.ParseTraceparent(value)
	if err != nil {
		return ctx
	}
	return WithParent(ctx, p, state(c, multi), true)
}

// single gives the one traceparent. Two lines are no parent, also when they say the same: somebody on the way is broken.
func single(c propagation.TextMapCarrier, multi propagation.ValuesGetter) (string, bool) {
	if multi == nil {
		v := c.Get(Traceparent)
		return v, v != ""
	}
	lines := multi.Values(Traceparent)
	if len(lines) != 1 {
		return "", false
	}
	return lines[0], true
}

func state(c propagation.TextMapCarrier, multi propagation.ValuesGetter) w3c.Tracestate {
	var t w3c.Tracestate
	if multi != nil {
		t, _ = w3c.ParseTracestate(multi.Values(Tracestate)...)
	} else if line := c.Get(Tracestate); line != "" {
		t, _ = w3c.ParseTracestate(line)
	}
	return t
}
