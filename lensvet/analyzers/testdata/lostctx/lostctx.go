package lostctx

import (
	"context"
	"net/http"

	"github.com/lensgo/lens"

	"example.com/vetted/wrap"
)

var step = lens.NewGroup("step")

func work(context.Context) error { return nil }

func deferred(ctx context.Context) error {
	_, span := step.Start(ctx, "a") // want `the context of the span is thrown away, and ctx is passed on at line 19 while the span is open: what is started there is not below it`
	defer span.End()
	return work(ctx)
}

func ended(ctx context.Context) {
	_, span := step.Start(ctx, "a") // want `ctx is passed on at line 24`
	_ = work(ctx)
	span.End()
}

func nested(ctx context.Context) {
	_, outer := step.Start(ctx, "a") // want `ctx is passed on at line 31`
	defer outer.End()
	_, inner := step.Start(ctx, "b")
	defer inner.End()
}

func inBlock(ctx context.Context, ok bool) error {
	if ok {
		_, span := step.Start(ctx, "a") // want `ctx is passed on at line 39`
		defer span.End()
		_ = work(ctx)
	}
	return work(ctx)
}

func afterBlock(ctx context.Context, ok bool) error {
	if ok {
		_, span := step.Start(ctx, "a") // want `ctx is passed on at line 49`
		defer span.End()
	}
	return work(ctx)
}

func inLiteral(ctx context.Context) {
	_, span := wrap.Begin(ctx, "a") // want `ctx is passed on at line 55`
	defer span.End()
	func() { _ = work(ctx) }()
}

func request(ctx context.Context) (*http.Request, error) {
	_, span := step.StartKind(ctx, "a", lens.Client) // want `ctx is passed on`
	defer span.End()
	return http.NewRequestWithContext(ctx, "GET", "/", nil)
}

// A context that is also kept gets no fix: it would be kept with the span, beyond its end.

func returned(ctx context.Context) (context.Context, error) {
	_, span := step.Start(ctx, "a") // want `ctx is passed on at line 69`
	defer span.End()
	return ctx, work(ctx)
}

func named(parent context.Context) (ctx context.Context, err error) {
	ctx = parent
	_, span := step.Start(ctx, "a") // want `ctx is passed on at line 76`
	defer span.End()
	return ctx, work(ctx)
}

func keptWhole(ctx context.Context, r *http.Request) error {
	_, span := step.Start(ctx, "a") // want `ctx is passed on at line 84`
	defer span.End()
	saved := struct{ ctx context.Context }{ctx}
	_ = saved
	return work(ctx)
}

// What follows is right.

// The next round of a loop begins beside this one, and would with the new context, too.
func rounds(ctx context.Context, n int) {
	for range n {
		_, span := step.Start(ctx, "a")
		defer span.End()
	}
}

func retries(ctx context.Context, n int) {
	for range n {
		_ = work(ctx)
		_, span := step.Start(ctx, "a")
		defer span.End()
	}
}

func kept(ctx context.Context) error {
	ctx, span := step.Start(ctx, "a")
	defer span.End()
	return work(ctx)
}

func leaf(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	defer span.End()
	<-ctx.Done()
	_ = ctx.Err()
	_ = context.Cause(ctx)
	_ = lens.RefFrom(ctx)
}

func siblings(ctx context.Context) error {
	_, a := step.Start(ctx, "a")
	a.End()
	_, b := step.Start(ctx, "b")
	b.End()
	return work(ctx)
}

func another(ctx context.Context) error {
	_, span := step.Start(ctx, "a")
	defer span.End()
	ctx = context.Background()
	return work(ctx)
}

func owned(ctx context.Context, keep func(lens.Span)) error {
	_, span := step.Start(ctx, "a")
	keep(span)
	return work(ctx)
}

func unnamed(r *http.Request) error {
	_, span := step.Start(r.Context(), "a")
	defer span.End()
	return work(r.Context())
}

func before(ctx context.Context) {
	_ = work(ctx)
	_, span := step.Start(ctx, "a")
	span.End()
}

func keptForLater(ctx context.Context) func() error {
	_, span := step.Start(ctx, "a")
	defer span.End()
	later := func() error { return work(ctx) }
	return later
}

func silenced(ctx context.Context) error {
	_, span := step.Start(ctx, "a") //lensvet:ignore lostctx the wait is a leaf
	defer span.End()
	return work(ctx)
}
