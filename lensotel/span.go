package lensotel

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// ToSpan gives a lens.Span as OpenTelemetry has it, for a function that takes one. Both are the same span: attributes set
// by either come in the order in which they were set, strings are redacted by either, and the first End ends it. The zero Span
// is a span that does nothing.
func ToSpan(s lens.Span) trace.Span {
	if span := seam.ToSpan(s); span != nil {
		return span
	}
	return noop.Span{}
}

// FromSpan gives the lens.Span that writes to a span of OpenTelemetry, whoever started it, and the zero Span for one that
// does not record. What [ToSpan] gave becomes what it was. On others attributes are written at once, and an End ends the
// span for its owner too: leave that to whoever started it. A build with lens_off gives the zero Span.
func FromSpan(span trace.Span) lens.Span {
	s, _ := seam.FromSpan(span).(lens.Span)
	return s
}

// ToContext gives a context in which s is the current span to OpenTelemetry, and the parent of what lens starts. Contexts
// that Start returned are that already. The zero Span gives ctx as it is.
func ToContext(ctx context.Context, s lens.Span) context.Context {
	if span := seam.ToSpan(s); span != nil {
		return trace.ContextWithSpan(ctx, span)
	}
	return ctx
}

// FromContext gives the current span of a context, whoever started it, as [FromSpan] does. It is for adding attributes and
// events to a span that is not at hand. Where a key is set both through it and through the Span that Start returned, it is
// not said which value stays.
func FromContext(ctx context.Context) lens.Span { return FromSpan(trace.SpanFromContext(ctx)) }

// ToSpanContext gives a lens.Ref as OpenTelemetry has it, with what that can hold of the tracestate: to start a span from
// a Ref, lens.WithParent loses nothing. An invalid Ref gives an invalid SpanContext.
func ToSpanContext(r lens.Ref) trace.SpanContext {
	if sc := trace.SpanContextFromContext(lens.WithParent(context.Background(), r)); sc.IsValid() || !r.Valid() {
		return sc
	}
	// A reservation is no parent, but it names something all the same.
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: r.TraceID, SpanID: r.SpanID, TraceFlags: trace.TraceFlags(r.Flags), Remote: r.Remote,
	})
}

// FromSpanContext gives the lens.Ref of a span context: to link to it, or as a parent for lens.WithParent. An invalid one
// gives the zero Ref.
func FromSpanContext(sc trace.SpanContext) lens.Ref {
	return lens.RefFrom(trace.ContextWithSpanContext(context.Background(), sc))
}
