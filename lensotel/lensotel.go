// Package lensotel is the bridge between Lens and a program that speaks OpenTelemetry: everything whose signature names
// an OTel type lives here, because the root package names none.
//
// # Instrumented packages
//
// [TracerProvider] puts a package that is instrumented with OpenTelemetry behind a span group, so that a user switches it
// by the spec like any other group, also while it runs:
//
//	var HTTPClient = lens.NewGroup("http_client") // and registered with the library's others
//
//	client := http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport,
//		otelhttp.WithTracerProvider(lensotel.TracerProvider(HTTPClient)))}
//
// While the group is on, the package gets the spans of the provider that the group's registry records to, with nothing in
// between, in the package's own instrumentation scope, on which lens.group names the group and lens.bridge is true. They
// have the attributes of lens.With, and a shutdown ends and marks them if they are open.
//
// While the group is off, Start returns the caller's context unchanged and a span that does nothing, which costs less than
// OpenTelemetry's no-op: it allocates nothing and puts nothing in the context, so that what is below is a child of the
// nearest enabled span, and propagation goes on. Packages that look for their span in the context would find their
// caller's there: see [ShieldParent].
//
// A program may make such a provider the global one, to put whatever asks for that behind one group. The registry must
// then have a provider of its own, as telemetry.Setup gives the default one: one that itself records to the global
// provider records nothing, rather than running in a circle. So never hide such a provider in another one and make that
// the global.
//
// # Spans and contexts
//
// Contexts are the same on both sides: a span that either starts is the parent of what the other starts below. [ToSpan],
// [FromSpan], [ToContext] and [FromContext] hand over a span, [ToSpanContext] and [FromSpanContext] the reference to one.
//
// # Without telemetry
//
// In a build with lens_off this package still links OpenTelemetry's API. Groups are off, so that a provider of
// [TracerProvider] never starts a span; spans and contexts of OpenTelemetry that the program made itself are passed on as
// they are, and there is no lens.Span of them.
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
