// Package seam is the one door through which the other modules of this repository reach what the root package keeps to
// itself: which provider a registry starts its spans with, the spans that are still open, the propagator.
//
// It speaks OpenTelemetry types, which the root package's exported surface never does, and it does not import the root
// package: that one hangs its side of the door in with [Install] when it is initialised. Registries are passed as any
// and are always *lens.Registry; nil stands for lens.Default(). Everything here is safe for concurrent use.
//
// In a build that leaves telemetry out (lens_off) the root package hangs nothing in: SetProvider and CloseOpen do nothing,
// the others answer with nil, and nobody asks for the propagator.
package seam

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Open is a span that somebody else keeps track of, offered to [CloseOpen] so that all open spans end in one order.
type Open struct {
	// Order is what NextOrder answered when the span started.
	Order uint64
	// Close marks the span with the reason and ends it. It is called at most once and must not call CloseOpen.
	Close func(reason string)
}

// Hooks is the root package's side of the door.
type Hooks struct {
	SetProvider func(reg any, tp trace.TracerProvider)
	CloseOpen   func(reg any, reason string, others []Open)
	WriteOpen   func(reg any)
	With        func(ctx context.Context, span Attributed) []attribute.KeyValue
	Bridge      func(group any, name string, options []trace.TracerOption) Start
	FromSpan    func(span trace.Span) any
	ToSpan      func(span any) trace.Span
}

// Start starts a span, or returns ctx and a nil span when there is none to start.
type Start func(ctx context.Context, name string, options []trace.SpanStartOption) (context.Context, trace.Span)

// Attributed is a span that knows its attributes.
type Attributed interface{ Attributes() []attribute.KeyValue }

// Bridge marks a provider that starts its spans through a registry. A registry that records to OpenTelemetry's global
// provider does not follow one there: it would come back to where it began.
type Bridge interface {
	trace.TracerProvider
	Bridge()
}

var (
	hooks      Hooks // written once, by the init of the root package
	order      atomic.Uint64
	propagator atomic.Pointer[propagation.TextMapPropagator]
)

// Install hangs in the root package's side. Only that package calls it, from an init function.
func Install(h Hooks) { hooks = h }

// SetProvider makes reg start its spans with tp from now on; spans that are open keep what they started with. A nil tp
// returns reg to the OpenTelemetry global provider. With a no-op provider (trace/noop) every group of reg is off, and so
// are ungated spans: that is the state after a disabled set-up and after shutdown.
func SetProvider(reg any, tp trace.TracerProvider) {
	if hooks.SetProvider != nil {
		hooks.SetProvider(reg, tp)
	}
}

// CloseOpen ends the spans of reg that are still open, and others with them, newest first over both lists. Each span of
// reg keeps the attributes set so far, is marked with the attribute and the event nemo.span.truncated, which carries the
// reason, and keeps its status. Spans that end meanwhile on their own are left alone. The default registry's are also
// those of all registries that record to the global provider because they were given none.
func CloseOpen(reg any, reason string, others []Open) {
	if hooks.CloseOpen != nil {
		hooks.CloseOpen(reg, reason, others)
	}
}

// WriteOpen hands the attributes that the open spans of reg have collected to their provider, which sees them at the end otherwise.
// The default registry's spans are the same as in CloseOpen.
func WriteOpen(reg any) {
	if hooks.WriteOpen != nil {
		hooks.WriteOpen(reg)
	}
}

// With returns the attributes that lens.With wants on a span that was started in ctx, less those whose key it has. The list
// may be shared: it is not to be changed. The root package writes them on its own spans, and on those of a bridge, by
// itself.
func With(ctx context.Context, span Attributed) []attribute.KeyValue {
	if hooks.With == nil {
		return nil
	}
	return hooks.With(ctx, span)
}

// NewBridge returns how spans of a foreign package start behind group, a *lens.Group: with the provider of its registry,
// whichever that is at the moment, and in the scope that the package asks for, on which lens.group and lens.bridge stand. They are
// the provider's own spans: nothing comes between them and the package. It returns nil where nothing ever starts.
func NewBridge(group any, name string, options []trace.TracerOption) Start {
	if hooks.Bridge == nil {
		return nil
	}
	return hooks.Bridge(group, name, options)
}

// FromSpan returns the lens.Span that writes to span, as any, and nil where there is none.
func FromSpan(span trace.Span) any {
	if hooks.FromSpan == nil {
		return nil
	}
	return hooks.FromSpan(span)
}

// ToSpan returns what span, a lens.Span, is to OpenTelemetry, and nil for the zero Span.
func ToSpan(span any) trace.Span {
	if hooks.ToSpan == nil {
		return nil
	}
	return hooks.ToSpan(span)
}

// NextOrder returns the next number of the process-wide sequence in which spans start. A tracker that is not the root
// package takes its number inside OnStart; the root package takes its own after the provider has returned the span, so
// for a span that both know the root package's entry is the newer one and closes it with its attributes.
func NextOrder() uint64 { return order.Add(1) }

// SetPropagator makes lens.Inject and lens.Extract use p. Nil returns to the built-in one: W3C trace context and baggage.
func SetPropagator(p propagation.TextMapPropagator) {
	if p == nil {
		propagator.Store(nil)
		return
	}
	propagator.Store(&p)
}

// Propagator returns what SetPropagator was given; nil means the built-in one.
func Propagator() propagation.TextMapPropagator {
	if p := propagator.Load(); p != nil {
		return *p
	}
	return nil
}
