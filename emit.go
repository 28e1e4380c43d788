package lens

import (
	"context"
	"sync/atomic"
	"time"
)

// EmitConfig is what [Group.EmitWith] is told. Only the times are needed.
type EmitConfig struct {
	Start, End time.Time // when the operation began and ended; zero: now
	Kind       Kind
	Root       bool  // a trace of its own, whatever the context holds; see Detach
	Links      []Ref // related spans; invalid ones are left out

	// Fill, if set, is called with the span before it ends, and only where there is one: for attributes, status, links with
	// attributes and events, which all have the time of the end. It must not keep the span.
	Fill func(Span)
}

// Emit records an operation that is over: a span with both its times and attributes. The parent is the nearest span in ctx;
// see [WithParent] and [Detach] for another one and for none. The span is never in a context by itself: what Emit returns
// names it, to put spans below it or to link to it. When the group is off Emit does nothing else, and returns the zero Ref.
// When the sampler refuses the span, the Ref is that of a span which is not recorded, and what is emitted below is not
// either.
//
// Only what the wall clock says counts, to the nanosecond. An end before the start, by any amount, is put at the start,
// warned about, and marked on the span: inverted.skew, and as exact decimal seconds inverted.start_epoch_seconds,
// inverted.end_epoch_seconds and inverted.delta_seconds. These win over attributes of the caller.
func (g *Group) Emit(ctx context.Context, name string, start, end time.Time, attrs ...Attr) (ref Ref) {
	if compiled && g != nil && atomic.LoadUint32(&g.word) != 0 {
		ref = g.emitAt(ctx, name, start, end, attrs)
	}
	return ref
}

// emitAt keeps Emit small enough to be compiled into its callers.
//
//go:noinline
func (g *Group) emitAt(ctx context.Context, name string, start, end time.Time, attrs []Attr) Ref {
	return g.emit(ctx, name, EmitConfig{Start: start, End: end}, attrs)
}

// EmitWith is Emit with everything that can be said about a span.
func (g *Group) EmitWith(ctx context.Context, name string, c EmitConfig) (ref Ref) {
	if compiled && g != nil && atomic.LoadUint32(&g.word) != 0 {
		ref = g.emit(ctx, name, c, nil)
	}
	return ref
}

// Emit records an operation that is over, in a span that belongs to no group; see [Group.Emit], and [Start] for when it is
// recorded.
func Emit(ctx context.Context, name string, start, end time.Time, attrs ...Attr) Ref {
	return defaultRegistry.Emit(ctx, name, start, end, attrs...)
}

// EmitWith is the package's [Emit] with everything that can be said about a span.
func EmitWith(ctx context.Context, name string, c EmitConfig) Ref {
	return defaultRegistry.EmitWith(ctx, name, c)
}

// Emit records an operation that is over, in a span that belongs to no group; see the package's [Emit].
func (r *Registry) Emit(ctx context.Context, name string, start, end time.Time, attrs ...Attr) Ref {
	return r.ungated.Emit(ctx, name, start, end, attrs...)
}

// EmitWith is Emit with everything that can be said about a span.
func (r *Registry) EmitWith(ctx context.Context, name string, c EmitConfig) Ref {
	return r.ungated.EmitWith(ctx, name, c)
}
