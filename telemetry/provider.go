//go:build !lens_off

package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"

	"github.com/lensgo/lens/internal/tracecontext"
)

// provider wraps the SDK's provider so that every root, whoever starts it, declares its trace id to be random (flag 02 of
// W3C trace context, level 2), unless it is the job's. The SDK has no setting for that, but it takes the flags of a root from
// the span context in ctx, even from one without ids, which is nobody's parent.
type provider struct {
	embedded.TracerProvider
	sdk    trace.TracerProvider
	random bool
}

func (p *provider) Tracer(name string, opts ...trace.TracerOption) trace.Tracer {
	return &tracer{sdk: p.sdk.Tracer(name, opts...), random: p.random}
}

type tracer struct {
	embedded.Tracer
	sdk    trace.Tracer
	random bool
}

func (t *tracer) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	if ctx == nil {
		ctx = context.Background()
	}
	if len(opts) > 0 {
		// The SDK clears the context of a span that asks to be a root, and the flag with it: ask here instead.
		if c := trace.NewSpanStartConfig(opts...); c.NewRoot() {
			ctx, opts = tracecontext.Detach(ctx), withoutNewRoot(&c)
		}
	}
	if !trace.SpanContextFromContext(ctx).TraceID().IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, t.rootContext(ctx))
	}
	return t.sdk.Start(ctx, name, opts...)
}

// rootContext returns the span context, without ids, whose flags a root in ctx takes over. A reserved trace id was drawn
// by somebody else, who also said whether it is random.
func (t *tracer) rootContext(ctx context.Context) trace.SpanContext {
	if !t.random {
		return trace.SpanContext{}
	}
	flags := trace.FlagsRandom
	if _, reserved := tracecontext.Reserved(ctx); reserved {
		parent, _, _ := tracecontext.Current(ctx)
		flags &= trace.TraceFlags(parent.Flags)
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceFlags: flags})
}

// withoutNewRoot returns the options that make c, less trace.WithNewRoot.
func withoutNewRoot(c *trace.SpanConfig) []trace.SpanStartOption {
	return []trace.SpanStartOption{
		trace.WithSpanKind(c.SpanKind()),
		trace.WithTimestamp(c.Timestamp()),
		trace.WithAttributes(c.Attributes()...),
		trace.WithLinks(c.Links()...),
	}
}
