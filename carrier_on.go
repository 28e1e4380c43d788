package lens

import (
	"context"
	"fmt"
	"unicode/utf8"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/internal/tracecontext"
)

// refOf gives the Ref of a span context.
func refOf(sc trace.SpanContext) Ref {
	if !sc.IsValid() {
		return Ref{}
	}
	return Ref{
		TraceID: sc.TraceID(),
		SpanID:  sc.SpanID(),
		Flags:   byte(sc.TraceFlags()),
		Remote:  sc.IsRemote(),
		state:   tracecontext.List(sc),
	}
}

// spanContext gives the Ref as OpenTelemetry has it, with what that can hold of the tracestate.
func (r Ref) spanContext() trace.SpanContext {
	return tracecontext.SpanContext(r.parent(), r.state, r.Remote)
}

// RefFrom gives the nearest span in ctx that leaves the process, or the remote parent: what Inject would write. It is
// not valid when there is neither, and then the next span is a root of a new trace.
func RefFrom(ctx context.Context) Ref {
	if ctx == nil {
		return Ref{}
	}
	p, state, remote := tracecontext.Current(ctx)
	return Ref{TraceID: p.TraceID, SpanID: p.SpanID, Flags: p.Flags, Remote: remote, state: state}
}

// WithParent gives a context in which r is the parent of the next span, whatever ctx held before. A Ref that is not
// valid gives ctx as it is: see [Detach] for a root.
//
// A Ref whose tracestate has the member lens=r reserves a trace id: it is no parent, the next root takes the trace id
// and is a root. It is injected onward as it came until a span is started.
func WithParent(ctx context.Context, r Ref) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	return tracecontext.WithParent(ctx, r.parent(), r.state, r.Remote)
}

// Detach gives a context in which the next span is the root of a new trace. Baggage, the attributes of With, values,
// deadline and cancellation are those of ctx.
func Detach(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return tracecontext.Detach(ctx)
}

// Inject writes the trace context and the baggage of ctx into c, whichever groups are on: a span below an off group goes
// on under its nearest enabled ancestor, or under the remote parent. With nothing to write it leaves c alone. It is W3C
// (level 2) and W3C baggage unless the set-up chose another propagator.
func Inject(ctx context.Context, c Carrier) {
	if ctx == nil || c == nil {
		return
	}
	if p := seam.Propagator(); p != nil {
		p.Inject(ctx, c)
		return
	}
	tracecontext.Propagator{}.Inject(ctx, c)
	propagation.Baggage{}.Inject(ctx, c)
}

// Extract gives ctx with the trace context and the baggage that c holds. Headers that are missing or wrong leave their
// part of ctx as it was. Nothing in c: ctx as given, and nothing is allocated.
func Extract(ctx context.Context, c Carrier) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if c == nil {
		return ctx
	}
	if p := seam.Propagator(); p != nil {
		return p.Extract(ctx, c)
	}
	ctx = tracecontext.Propagator{}.Extract(ctx, c)
	return propagation.Baggage{}.Extract(ctx, c)
}

// WithBaggage gives a context with the baggage member key=value, in place of an older one of that key. Baggage travels
// with every request below and is never copied onto spans by itself. The error says what is wrong with the key (an HTTP
// token), the value (any UTF-8 text) or the size (64 members, 8192 bytes as sent); the context is then ctx.
func WithBaggage(ctx context.Context, key, value string) (context.Context, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	switch {
	case !isToken(key):
		return ctx, baggageError(key, errBaggageKey)
	case !utf8.ValidString(value):
		return ctx, baggageError(key, errBaggageValue)
	}
	m, err := baggage.NewMemberRaw(key, value)
	if err != nil {
		return ctx, baggageError(key, err)
	}
	b, err := baggage.FromContext(ctx).SetMember(m)
	if err != nil {
		return ctx, baggageError(key, err)
	}
	if n := b.Len(); n > maxBaggageMembers {
		return ctx, baggageError(key, fmt.Errorf("there would be %d members, and %d may be", n, maxBaggageMembers))
	}
	if n := len(b.String()); n > maxBaggageBytes {
		return ctx, baggageError(key, fmt.Errorf("the header would have %d bytes, and %d may be", n, maxBaggageBytes))
	}
	return baggage.ContextWithBaggage(ctx, b), nil
}

// Baggage gives the value of the baggage member key, or "".
func Baggage(ctx context.Context, key string) string {
	if ctx == nil {
		return ""
	}
	return baggage.FromContext(ctx).Member(key).Value()
}
