package endtwice

import (
	"context"
	"time"

	"github.com/lensgo/lens"
)

var step = lens.NewGroup("step")

func work(context.Context) error { return nil }

func twice(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	span.End()
	_ = work(ctx)
	span.End() // want `the span has been ended on line 16: this does nothing`
}

func withError(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	err = work(ctx)
	span.Int("n", 1).End()
	span.EndErr(&err) // want `has been ended on line 24`
	return err
}

func at(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	span.EndAt(time.Time{})
	span.EndAt(time.Now()) // want `has been ended`
}

func given(span lens.Span) {
	span.End()
	span.End() // want `has been ended`
}

func bothDeferred(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer span.End()
	defer span.EndErr(&err) // want `the end of the span is deferred already, on line 42: that one does nothing`
	return work(ctx)
}

func errorLost(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer span.EndErr(&err)
	err = work(ctx)
	span.End() // want `the span is ended here, before the EndErr that is deferred on line 49: an error is not recorded`
	return err
}

func deferredTooLate(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	span.End()
	defer span.End() // want `the span has been ended on line 57: a deferred End does nothing`
}

// What follows is right, or not sure enough.

func earlyBesideDeferred(ctx context.Context) {
	ctx, span := step.Start(ctx, "a")
	defer span.End()
	_ = work(ctx)
	span.End()
}

func branches(ctx context.Context, ok bool) {
	_, span := step.Start(ctx, "a")
	if ok {
		span.End()
	} else {
		span.EndErr(nil)
	}
}

func maybe(ctx context.Context, ok bool) {
	_, span := step.Start(ctx, "a")
	if ok {
		span.End()
	}
	span.End()
}

func errorOnOnePath(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer span.EndErr(&err)
	if err = work(ctx); err != nil {
		return err
	}
	span.End()
	return nil
}

func another(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	span.End()
	_, span = step.Start(ctx, "b")
	span.End()
}

func two(ctx context.Context) {
	_, a := step.Start(ctx, "a")
	_, b := step.Start(ctx, "b")
	b.End()
	a.End()
}

func round(ctx context.Context) {
	for range 3 {
		_, span := step.Start(ctx, "a")
		span.End()
	}
}

func setElsewhere(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	next := func() { _, span = step.Start(ctx, "b") }
	span.End()
	next()
	span.End()
}

func silenced(span lens.Span) {
	span.End()
	//lensvet:ignore endtwice shows that a second End does nothing
	span.End()
}
