package lens_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lensgo/lens"
)

// TestWithIsAContext: whatever a context says goes through, in every build.
func TestWithIsAContext(t *testing.T) {
	if lens.With(noContext, lens.Int("a", 1)) == nil {
		t.Error("no context makes none")
	}
	ctx := context.WithValue(t.Context(), ctxKey{}, "value")
	if lens.With(ctx) != ctx {
		t.Error("no attributes make a context")
	}
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithDeadline(ctx, time.Now().Add(time.Hour))
	defer stop()
	with := lens.With(lens.With(ctx, lens.Int("a", 1)), lens.Int("b", 1))
	below, stop := context.WithCancel(with)
	defer stop()
	end, ok := with.Deadline()
	if want, _ := ctx.Deadline(); !ok || !end.Equal(want) || with.Value(ctxKey{}) != "value" || with.Err() != nil {
		t.Errorf("deadline %v, value %v, error %v", end, with.Value(ctxKey{}), with.Err())
	}
	cancel(why)
	<-with.Done()
	<-below.Done()
	if context.Cause(with) != why || context.Cause(below) != why {
		t.Errorf("causes %v and %v", context.Cause(with), context.Cause(below))
	}
}
