// Package tracecontext binds W3C trace context (internal/w3c) to contexts of the OpenTelemetry API. It is what the root
// package, lensotel and telemetry share: none of it is for users.
//
// # The raw list
//
// [trace.TraceState] has the key grammar of level 1, so a SpanContext cannot hold every tracestate that level 2 allows.
// [WithParent] puts into the SpanContext what it can hold, and the list as it came beside it, as a value of the context
// that is bound to the trace id. [Current] puts both together again: the list as it came while the SpanContext holds
// what we put there; else (a sampler or another instrumentation changed it) the SpanContext's members first, then those
// that it could not hold.
//
// # The reservation
//
// A remote parent whose tracestate has the member lens=r is no parent: it says "the next root takes this trace id".
// [WithParent] then leaves the context without a parent, and [Reserved] gives the trace id to the id generator of
// telemetry. Nothing is a child of a reservation. It is injected onward as it came until a span is started from it:
// the valid span in the context hides it, and the member is not written any more. [Detach] clears it.
package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/w3c"
)

// The tracestate member that makes a reservation.
const (
	ReserveKey   = "lens"
	ReserveValue = "r"
)

// remote is what came with a remote parent and does not fit into a SpanContext. It is never changed.
type remote struct {
	parent   w3c.Parent
	raw      w3c.Tracestate // as it came
	put      w3c.Tracestate // what of it the SpanContext got
	onward   w3c.Tracestate // what goes out with a span of the trace: raw, less the reservation
	reserved bool
}

type remoteKey struct{}

// WithParent gives a context whose parent is p, or which holds the reservation that p is. An invalid p gives ctx.
// isRemote says that p came from another process.
func WithParent(ctx context.Context, p w3c.Parent, raw w3c.Tracestate, isRemote bool) context.Context {
	if !p.Valid() {
		return ctx
	}
	if Reserves(raw) {
		return reserve(ctx, p, raw)
	}
	state, fits := traceState(raw)
	ctx = trace.ContextWithSpanContext(ctx, spanContext(p, state, isRemote))
	if fits {
		return conceal(ctx)
	}
	return context.WithValue(ctx, remoteKey{}, &remote{parent: p, raw: raw, put: list(state), onward: raw})
}

// Reserves says whether a parent with this list is a reservation.
func Reserves(raw w3c.Tracestate) bool {
	v, _ := raw.Get(ReserveKey)
	return v == ReserveValue
}

func reserve(ctx context.Context, p w3c.Parent, raw w3c.Tracestate) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	}
	return context.WithValue(ctx, remoteKey{}, &remote{
		parent:   p,
		raw:      raw,
		onward:   raw.Without(ReserveKey),
		reserved: true,
	})
}

// Reserved gives the trace id that the next root takes. There is none below a span or a remote parent.
//
// It is for an id generator, which is asked for a trace id only when a root starts. A root that is asked for in a context
// with a span ([trace.WithNewRoot]) is no business of the reservation above that span: a provider that knows of it calls
// [Detach] first.
func Reserved(ctx context.Context) (trace.TraceID, bool) {
	r := value(ctx)
	if r == nil || !r.reserved || trace.SpanContextFromContext(ctx).IsValid() {
		return trace.TraceID{}, false
	}
	return r.parent.TraceID, true
}

// Detach gives a context without parent, raw list and reservation. Everything else in ctx stays.
func Detach(ctx context.Context) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	}
	return conceal(ctx)
}

// conceal hides what an outer parent left in ctx. A context that has nothing to hide is given back as it is.
func conceal(ctx context.Context) context.Context {
	if value(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, remoteKey{}, (*remote)(nil))
}

func value(ctx context.Context) *remote {
	r, _ := ctx.Value(remoteKey{}).(*remote)
	return r
}

// Current gives what goes out from ctx: the span or remote parent in it, else the reservation as it came, else nothing
// (an invalid parent). isRemote is false for a span of this process.
func Current(ctx context.Context) (p w3c.Parent, state w3c.Tracestate, isRemote bool) {
	sc := trace.SpanContextFromContext(ctx)
	r := value(ctx)
	if !sc.IsValid() {
		if r == nil || !r.reserved {
			return w3c.Parent{}, w3c.Tracestate{}, false
		}
		return r.parent, r.raw, true
	}
	switch {
	case r == nil || trace.TraceID(r.parent.TraceID) != sc.TraceID():
		state = list(sc.TraceState())
	case same(sc.TraceState(), r.put):
		state = r.onward
	default:
		state = merge(sc.TraceState(), r)
	}
	if !sc.IsRemote() && Reserves(state) {
		state = state.Without(ReserveKey) // it came in past us, by another propagator
	}
	return Parent(sc), state, sc.IsRemote()
}

// Parent gives the ids and flags of sc.
func Parent(sc trace.SpanContext) w3c.Parent {
	return w3c.Parent{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
}

// SpanContext gives p as a SpanContext with what it can hold of raw. The reservation is never among it.
func SpanContext(p w3c.Parent, raw w3c.Tracestate, isRemote bool) trace.SpanContext {
	if Reserves(raw) {
		raw = raw.Without(ReserveKey)
	}
	state, _ := traceState(raw)
	return spanContext(p, state, isRemote)
}

func spanContext(p w3c.Parent, state trace.TraceState, isRemote bool) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID:    p.TraceID,
		SpanID:     p.SpanID,
		TraceFlags: trace.TraceFlags(p.Flags),
		TraceState: state,
		Remote:     isRemote,
	})
}

// List gives the members of the SpanContext's tracestate.
func List(sc trace.SpanContext) w3c.Tracestate { return list(sc.TraceState()) }
