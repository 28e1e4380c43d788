// Package lensotel is the bridge between Lens and a program that speaks OpenTelemetry: everything whose signature names
// an OTel type lives here, because the root package names none.
//
// # Trace context
//
// [TraceContext] is a drop-in for propagation.TraceContext of opentelemetry-go that passes the whole W3C trace-context
// suite at level 2:
//
//	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(
//		lensotel.TraceContext{}, propagation.Baggage{},
//	))
//
// telemetry.Setup installs it by itself unless OTEL_PROPAGATORS says otherwise, and lens.Inject and lens.Extract use it
// without any set-up.
//
// It differs from the stock propagator where that one loses or keeps what the specification says otherwise:
//
//   - All header lines are read from a carrier that has Values(key), such as propagation.HeaderCarrier and lens.Header: a
//     tracestate over several lines is one list, two traceparent lines are no parent.
//   - Keys have the grammar of level 2 ("foo@", "foo@@bar", a digit first). The SpanContext cannot hold them; they travel
//     beside it in the context and go out again.
//   - A key that comes twice keeps its first value, where the stock propagator drops the list.
//   - Blanks and tabs around a traceparent do not count, flags without a meaning are cleared and no reason to refuse it.
//     A dash behind a complete version 00 is one, and so is a future version that goes on without a dash.
//   - The tracestate member lens=r makes no parent: it reserves the trace id for the next root (see lens.WithParent).
package lensotel

import (
	"context"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens/internal/tracecontext"
)

// TraceContext reads and writes W3C trace context, level 2. The zero value is ready and safe for concurrent use. A nil
// context is Background, a nil carrier holds nothing.
type TraceContext struct{}

var _ propagation.TextMapPropagator = TraceContext{}

// Inject sets the headers traceparent and, where there is one, tracestate. Without a span, a remote parent or a
// reservation in ctx it leaves the carrier alone.
func (TraceContext) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	tracecontext.Propagator{}.Inject(ctx, carrier)
}

// Extract gives ctx with the remote parent, or the reservation, that the carrier holds, and ctx as it is when there is none
// or a bad one.
func (TraceContext) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	return tracecontext.Propagator{}.Extract(ctx, carrier)
}

// Fields gives the names of the headers that Inject sets.
func (TraceContext) Fields() []string { return tracecontext.Propagator{}.Fields() }
