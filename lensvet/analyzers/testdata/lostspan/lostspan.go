package lostspan

import (
	"context"
	"errors"
	"log"
	"os"
	"testing"

	l "github.com/lensgo/lens"

	"example.com/vetted/wrap"
)

var step = l.NewGroup("step")

var begin = step.Start

type handle = l.Group

type embedding struct{ *l.Group }

type session struct{ span l.Span }

func work(context.Context) error { return nil }

func never(ctx context.Context) error {
	ctx, span := step.Start(ctx, "a") // want `the span that step.Start starts is never ended`
	span.Int("n", 1)
	return work(ctx)
}

func neverWithResult(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a") // want `never ended`
	span.Int("n", 1)
	return work(ctx)
}

func kinds(ctx context.Context, reg *l.Registry, g *handle, e embedding) {
	_, a := step.StartKind(ctx, "a", l.Client)        // want `the span that step.StartKind starts is never ended`
	_, b := step.StartWith(ctx, "b", l.StartConfig{}) // want `never ended`
	_, c := l.Start(ctx, "c")                         // want `the span that l.Start starts is never ended`
	_, d := reg.Start(ctx, "d")                       // want `never ended`
	_, e1 := g.Start(ctx, "e")                        // want `never ended`
	_, f := e.Start(ctx, "f")                         // want `never ended`
	_, h := begin(ctx, "g")                           // want `the span that begin starts is never ended`
	_, i := (*l.Group).Start(step, ctx, "h")          // want `never ended`
	_, j := reg.NewGroup("x").StartKind(ctx, "i", 0)  // want `never ended`
	var _, k = wrap.Begin(ctx, "j")                   // want `the span that wrap.Begin starts is never ended`
	_, m := wrap.Chain(ctx)                           // want `never ended`
	use := func(spans ...l.Span) {}
	_, _, _, _, _, _, _, _, _, _, _ = a.Recording(), b.Ref(), c.Recording(), d.Ref(), e1.Ref(), f.Ref(), h.Ref(), i.Ref(), j.Ref(), k.Ref(), m.Ref()
	use()
}

func thrownAway(ctx context.Context) error {
	ctx, _ = step.Start(ctx, "a") // want `the span that step.Start starts is thrown away: it cannot be ended`
	return work(ctx)
}

func thrownAwayWithResult(ctx context.Context) (err error) {
	inner, _ := step.Start(ctx, "a") // want `thrown away`
	return work(inner)
}

func bothThrownAway(ctx context.Context) {
	_, _ = step.Start(ctx, "a") // want `thrown away`
	_ = work(ctx)
}

func notTaken(ctx context.Context) {
	step.Start(ctx, "a") // want `nothing takes the span that step.Start starts: it cannot be ended`
}

func early(ctx context.Context) error {
	ctx, span := step.Start(ctx, "a") // want `not ended on every path: the return on line 78 is reached without an End`
	if err := work(ctx); err != nil {
		return err
	}
	span.End()
	return nil
}

func earlyEnded(ctx context.Context) error {
	ctx, span := step.Start(ctx, "a")
	if err := work(ctx); err != nil {
		span.Err(err).End()
		return err
	}
	span.End()
	return nil
}

func inSwitch(ctx context.Context, n int) {
	ctx, span := step.Start(ctx, "a") // want `not ended on every path`
	switch n {
	case 0:
		span.End()
	case 1:
		_ = work(ctx)
	default:
		span.End()
	}
}

func inSelect(ctx context.Context, c chan int) {
	_, span := step.Start(ctx, "a") // want `not ended on every path`
	select {
	case <-c:
		span.End()
	case <-ctx.Done():
	}
}

func round(ctx context.Context, items []int) {
	for _, n := range items {
		_, span := step.Start(ctx, "a") // want `not ended on every path: the next round of the loop begins without it`
		if n == 0 {
			continue
		}
		span.End()
	}
}

func endless(ctx context.Context, c chan int) {
	for {
		_, span := step.Start(ctx, "a") // want `not ended on every path: the next round of the loop begins without it`
		if <-c == 0 {
			continue
		}
		span.End()
	}
}

func overwritten(ctx context.Context) {
	_, span := step.Start(ctx, "a") // want `not ended on every path`
	span.Int("n", 1)
	_, span = step.Start(ctx, "b")
	defer span.End()
}

func deferredTooEarly(ctx context.Context) {
	var span l.Span
	defer span.End()               // of the zero span
	_, span = step.Start(ctx, "a") // want `not ended on every path`
	span.Int("n", 1)
}

func setLater(ctx context.Context) error {
	var span l.Span
	ctx, span = step.Start(ctx, "a") // want `not ended on every path`
	if err := work(ctx); err != nil {
		return err
	}
	span.End()
	return nil
}

func inLiteral(ctx context.Context) func() {
	return func() {
		_, span := step.Start(ctx, "a") // want `never ended`
		span.Int("n", 1)
	}
}

func alone(ctx context.Context) {
	defer step.Start(ctx, "a") // want `nothing takes the span that step.Start starts`
	go step.Start(ctx, "a")    // want `nothing takes the span that step.Start starts`
}

// What follows is right.

func deferred(ctx context.Context) (err error) {
	ctx, span := step.Start(ctx, "a")
	defer span.EndErr(&err)
	return work(ctx)
}

func deferredInLiteral(ctx context.Context) error {
	ctx, span := step.Start(ctx, "a")
	defer func() {
		span.Int("n", 1).End()
	}()
	return work(ctx)
}

func chained(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	defer span.Int("n", 1).Str("s", "t").End()
}

func panics(ctx context.Context, n int) {
	_, span := step.Start(ctx, "a")
	if n < 0 {
		panic("negative")
	}
	if n == 0 {
		os.Exit(1)
	}
	if n == 1 {
		log.Fatal("one")
	}
	span.End()
}

func fatal(t testing.TB, ctx context.Context) {
	_, span := step.Start(ctx, "a")
	if err := work(ctx); err != nil {
		t.Fatal(err)
	}
	span.End()
}

func returned(ctx context.Context) (context.Context, l.Span) {
	ctx, span := step.Start(ctx, "a")
	span.Int("n", 1)
	return ctx, span
}

func returnedByName(ctx context.Context) (_ context.Context, span l.Span) {
	ctx, span = step.Start(ctx, "a")
	return ctx, span
}

func stored(ctx context.Context, s *session) {
	ctx, s.span = step.Start(ctx, "a")
	_, span := step.Start(ctx, "b")
	s.span = span
}

func given(ctx context.Context, finish func(l.Span)) {
	_, span := step.Start(ctx, "a")
	finish(span)
	_, other := step.Start(ctx, "b")
	go finish(other.Int("n", 1))
	_, third := step.Start(ctx, "c")
	s := []l.Span{third}
	_ = s
	_, fourth := step.Start(ctx, "d")
	p := &fourth
	_ = p
}

func methodValue(ctx context.Context) func() {
	_, span := step.Start(ctx, "a")
	return span.End
}

func cleanup(t testing.TB, ctx context.Context) {
	_, span := step.Start(ctx, "a")
	t.Cleanup(func() { span.End() })
}

func onlyWhenRecording(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	if span.Recording() {
		span.Int("n", 1).End()
	}
	_, other := step.Start(ctx, "b")
	if !other.Recording() {
		return
	}
	other.End()
}

func agreeing(ctx context.Context, ok bool) {
	_, span := step.Start(ctx, "a")
	if ok {
		span.End()
	}
	_ = work(ctx)
	if !ok {
		span.EndErr(nil)
	}
}

func agreeingOnError(ctx context.Context) {
	_, span := step.Start(ctx, "a")
	err := errors.New("x")
	if err == nil {
		span.End()
	}
	if err != nil {
		span.EndErr(&err)
	}
}

func disagreeing(ctx context.Context) {
	_, span := step.Start(ctx, "a") // want `not ended on every path`
	err := work(ctx)
	if err == nil {
		span.End()
	}
	err = work(ctx)
	if err != nil {
		span.EndErr(&err)
	}
}

func twoConditions(ctx context.Context, verbose bool) {
	var span l.Span
	if verbose {
		ctx, span = step.Start(ctx, "a")
	}
	_ = work(ctx)
	if verbose {
		span.End()
	}
}

func oneForAll(ctx context.Context) {
	var span l.Span
	defer func() { span.End() }()
	_, span = step.Start(ctx, "a")
}

func others(ctx context.Context, r *wrap.Run) {
	_, watched := wrap.Watched(ctx)
	_, current := wrap.Current(r)
	watched.Int("n", 1)
	current.Int("n", 1)
}

func gate(ctx context.Context) {
	if !step.Enabled() {
		return
	}
	_, span := step.Start(ctx, "a")
	defer span.End()
}

func loops(ctx context.Context, items []int) {
	for range items {
		_, span := step.Start(ctx, "a")
		span.End()
	}
	for {
		_, span := step.Start(ctx, "a")
		span.End()
	}
}

func silenced(ctx context.Context) {
	//lensvet:ignore lostspan the process ends here, and shutdown ends the span
	_, span := step.Start(ctx, "a")
	span.Int("n", 1)
	_, other := step.Start(ctx, "a") //lensvet:ignore lostspan as above
	other.Int("n", 1)
	//lensvet:ignore lostspan
	_, third := step.Start(ctx, "a") // want `never ended`
	third.Int("n", 1)
	//lensvet:ignore endtwice another category
	_, fourth := step.Start(ctx, "a") // want `never ended`
	fourth.Int("n", 1)
}
