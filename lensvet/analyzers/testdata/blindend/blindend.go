package blindend

import (
	"context"

	"github.com/lensgo/lens"
)

var step = lens.NewGroup("step")

func work(context.Context) (int, error) { return 0, nil }

func plain(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	defer func() { span.End() }() // want `inside a deferred function End sees no panic: defer span.End directly`
	_, _ = work(ctx)
}

func withError(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		span.EndErr(&err) // want `inside a deferred function EndErr sees no panic: defer span.EndErr directly`
	}()
	_, err = work(ctx)
	return err
}

func more(ctx context.Context) (n int, err error) {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		span.Int("n", n)
		span.EndErr(&err) // want `sees no panic`
	}()
	return work(ctx)
}

func chained(ctx context.Context) (n int, err error) {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		span.Int("n", n).End() // want `sees no panic`
	}()
	return work(ctx)
}

func given(ctx context.Context, span lens.Span) {
	defer func() { span.End() }()             // want `sees no panic`
	defer func(s lens.Span) { s.End() }(span) // want `sees no panic`
	_, _ = work(ctx)
}

func sometimes(ctx context.Context, ok bool) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		if ok {
			span.End() // want `sees no panic`
		} else {
			span.EndErr(&err) // want `sees no panic`
		}
	}()
	_, err = work(ctx)
	return err
}

// What follows is right.

func direct(ctx context.Context) (n int, err error) {
	ctx, span := step.Start(ctx, "a")
	defer span.EndErr(&err)
	defer func() { span.Int("n", n) }()
	return work(ctx)
}

func recovers(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		if recover() != nil {
			span.Fail("panic")
		}
		span.EndErr(&err)
	}()
	_, err = work(ctx)
	return err
}

func later(ctx context.Context) {
	var span lens.Span
	defer func() { span.End() }()
	ctx, span = step.Start(ctx, "a")
	_, _ = work(ctx)
}

func changes(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	defer func() { span.End() }()
	_, _ = work(ctx)
	span.End()
	ctx, span = step.Start(ctx, "b")
	_, _ = work(ctx)
}

type session struct{ span lens.Span }

func (s *session) run(ctx context.Context) {
	defer func() { s.span.End() }()
	ctx, s.span = step.Start(ctx, "a")
	_, _ = work(ctx)
}

func at(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	defer func() { span.Ok() }()
	defer span.End()
	_, _ = work(ctx)
}

func goroutine(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	go func() {
		defer span.End()
		_, _ = work(ctx)
	}()
}

func silenced(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	//lensvet:ignore blindend the caller records panics
	defer func() { span.End() }()
	_, _ = work(ctx)
}
