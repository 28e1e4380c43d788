// Package wrap has wrappers of lens, for packages that import it.
package wrap

import (
	"context"

	"github.com/lensgo/lens"
)

var Step = lens.NewGroup("step")

// Begin starts a span for its caller.
func Begin(ctx context.Context, name string) (context.Context, lens.Span) {
	ctx, span := Step.Start(ctx, name)
	span.Int("version", 1)
	return ctx, span.Str("kind", "wrapped")
}

// Chain starts one by way of another wrapper.
func Chain(ctx context.Context) (_ context.Context, span lens.Span) {
	ctx, span = Begin(ctx, "chain")
	return ctx, span
}

// Watched starts a span that it ends itself.
func Watched(ctx context.Context) (context.Context, lens.Span) {
	ctx, span := Step.Start(ctx, "watched")
	context.AfterFunc(ctx, span.End)
	return ctx, span
}

// Current gives a span that somebody else ends.
func Current(r *Run) (context.Context, lens.Span) { return r.ctx, r.span }

type Run struct {
	ctx  context.Context
	span lens.Span
}

// Verbose asks the gate.
func Verbose() bool { return Step.Enabled() }

// Label gives one of two names.
func Label(ok bool) string {
	if ok {
		return "good"
	}
	return "bad"
}
