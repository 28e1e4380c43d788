package lenstest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/goleak"
)

// Exporter is a span exporter under test: how to make it in the three situations that it will meet.
type Exporter struct {
	// New makes an exporter that works. The function that it returns reads what has arrived at the other end, and is
	// called after Shutdown, if anybody looks at all. A format may carry less than a [Span] has: a field that is zero in
	// all that arrived is not compared, save the name and the two ids of Ref. Numbers may come as float64, lists as
	// []any. Without that function it is only seen that nothing fails.
	New func(t testing.TB) (e sdktrace.SpanExporter, arrived func() []Span)

	// Failing makes an exporter whose destination refuses what it is sent, for good. Nil: that is not tested.
	Failing func(t testing.TB) sdktrace.SpanExporter

	// Hanging makes an exporter whose destination takes what it is sent and never answers. Nil: that is not tested.
	Hanging func(t testing.TB) sdktrace.SpanExporter
}

// TestExporter runs the suite for exporters, one subtest a rule. Behind an exporter that passes, the batch processors of
// lens and of the SDK neither lose spans unseen nor hang:
//
//   - what ExportSpans took without an error arrives, once and as it was, at Shutdown at the latest, whatever size the
//     batch has; no spans are no error
//   - a span with bad text, odd numbers or odd times costs no other span
//   - the slice belongs to the caller: it is not changed, nor looked at after the return
//   - ExportSpans and Shutdown return when their context ends, with its error if there was work left
//   - what a destination refuses is an error
//   - Shutdown may come twice and during an export; an export after it returns; no goroutine stays behind
//
// ExportSpans is not called from two goroutines at once: no processor does. Run it with -race as well. Because it looks for
// goroutines, the test must not be parallel.
func TestExporter(t *testing.T, e Exporter) {
	t.Helper()
	forbidParallel(t)
	for _, c := range exporterCases(e) {
		before := goleak.IgnoreCurrent()
		t.Run(c.name, func(t *testing.T) { c.run(t) })
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s: goroutines stay behind: %v", c.name, err)
		}
	}
}

// exporterCase is one rule.
type exporterCase struct {
	name string
	run  func(t testing.TB)
}

// exporterCases are the rules that can be tested with what e gives.
func exporterCases(e Exporter) []exporterCase {
	cases := []exporterCase{
		{"every span arrives as it was", e.arrivesWhole},
		{"a large batch arrives", e.arrivesLarge},
		{"no spans are no error", e.takesNothing},
		{"the slice stays the caller's", e.leavesSlice},
		{"an export under an ended context returns", e.exportUnderEnded},
		{"a shutdown under an ended context returns", e.shutdownUnderEnded},
		{"shutdown may come twice", e.shutdownTwice},
		{"an export after shutdown returns", e.exportAfterShutdown},
		{"shutdown may come during exports", e.shutdownDuringExports},
	}
	for _, odd := range oddSpans() {
		cases = append(cases, exporterCase{odd.name + " costs no other span", func(t testing.TB) { e.survives(t, odd.span) }})
	}
	if e.Failing != nil {
		cases = append(cases, exporterCase{"what is refused is an error", e.refused})
	}
	if e.Hanging != nil {
		cases = append(cases,
			exporterCase{"a hanging export ends with its context", e.exportHangs},
			exporterCase{"shutdown ends with its context beside a hanging export", e.shutdownBesideHanging})
	}
	return cases
}

func (e Exporter) arrivesWhole(t testing.TB) {
	exp, arrived := e.New(t)
	want := sampleSpans()
	export(t, exp, slices.Clone(want)...)
	shutdown(t, exp)
	if arrived != nil {
		compare(t, arrived(), want)
	}
}

func (e Exporter) arrivesLarge(t testing.TB) {
	const size = 4096 // the batch of package telemetry/export
	exp, arrived := e.New(t)
	want := make([]sdktrace.ReadOnlySpan, size)
	for i := range want {
		want[i] = plainSpan(fmt.Sprintf("span %d", i), i+1)
	}
	export(t, exp, slices.Clone(want)...)
	shutdown(t, exp)
	if arrived != nil {
		compareNames(t, arrived(), want...)
	}
}

func (e Exporter) takesNothing(t testing.TB) {
	exp, arrived := e.New(t)
	export(t, exp)
	noError(t, "ExportSpans of an empty slice", returns(t, "ExportSpans", func() error {
		return exp.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{})
	}))
	shutdown(t, exp)
	if arrived != nil {
		compareNames(t, arrived())
	}
}

func (e Exporter) leavesSlice(t testing.TB) {
	exp, arrived := e.New(t)
	a, b, other := plainSpan("a", 1), plainSpan("b", 2), plainSpan("written over the slice later", 3)
	batch := []sdktrace.ReadOnlySpan{a, b}
	export(t, exp, batch...)
	if keyOf(batch[0]) != keyOf(a) || keyOf(batch[1]) != keyOf(b) {
		t.Errorf("ExportSpans changed the slice that it was given, which processors use again")
	}
	batch[0], batch[1] = other, other
	shutdown(t, exp)
	if arrived != nil {
		compareNames(t, arrived(), a, b)
	}
}

func (e Exporter) exportUnderEnded(t testing.TB) {
	exp, arrived := e.New(t)
	a := plainSpan("a", 1)
	err := returns(t, "ExportSpans", func() error { return exp.ExportSpans(ended(t), []sdktrace.ReadOnlySpan{a}) })
	shutdown(t, exp)
	if err == nil && arrived != nil {
		compareNames(t, arrived(), a) // no error says that it did its work
	}
}

func (e Exporter) shutdownUnderEnded(t testing.TB) {
	exp, _ := e.New(t)
	export(t, exp, plainSpan("a", 1))
	_ = returns(t, "Shutdown", func() error { return exp.Shutdown(ended(t)) })
}

func (e Exporter) shutdownTwice(t testing.TB) {
	exp, _ := e.New(t)
	shutdown(t, exp)
	_ = returns(t, "the second Shutdown", func() error { return exp.Shutdown(t.Context()) })
}

func (e Exporter) exportAfterShutdown(t testing.TB) {
	exp, _ := e.New(t)
	shutdown(t, exp)
	_ = returns(t, "ExportSpans after Shutdown", func() error {
		return exp.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{plainSpan("late", 1)})
	})
}

func (e Exporter) shutdownDuringExports(t testing.TB) {
	exp, _ := e.New(t)
	begun := make(chan struct{})
	first := sync.OnceFunc(func() { close(begun) })
	var exports sync.WaitGroup
	exports.Go(func() {
		for i := range 20 {
			_ = returns(t, "ExportSpans", func() error {
				first()
				return exp.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{plainSpan("a", i+1)})
			})
		}
	})
	<-begun
	_ = returns(t, "Shutdown", func() error { return exp.Shutdown(t.Context()) })
	exports.Wait()
}

// survives exports an odd span between two good ones. That the odd one is lost, or an error, is allowed.
func (e Exporter) survives(t testing.TB, odd sdktrace.ReadOnlySpan) {
	exp, arrived := e.New(t)
	before, after := plainSpan("before", 1), plainSpan("after", 2)
	_ = returns(t, "ExportSpans", func() error {
		return exp.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{before, odd, after})
	})
	shutdown(t, exp)
	if arrived == nil {
		return
	}
	var good []Span
	for _, s := range arrived() {
		if s.Ref.SpanID != [8]byte(odd.SpanContext().SpanID()) {
			good = append(good, s)
		}
	}
	compareNames(t, good, before, after)
}

func (e Exporter) refused(t testing.TB) {
	exp := e.Failing(t)
	// An exporter may try again for a while. How long is not for this suite to say, as long as it is no longer than asked.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := returns(t, "ExportSpans", func() error { return exp.ExportSpans(ctx, []sdktrace.ReadOnlySpan{plainSpan("a", 1)}) })
	if down := returns(t, "Shutdown", func() error { return exp.Shutdown(ctx) }); err == nil && down == nil {
		t.Errorf("the destination refused a span, and neither ExportSpans nor Shutdown gave an error: the loss goes unseen")
	}
}

func (e Exporter) exportHangs(t testing.TB) {
	exp := e.Hanging(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := returns(t, "ExportSpans", func() error { return exp.ExportSpans(ctx, []sdktrace.ReadOnlySpan{plainSpan("a", 1)}) })
	down := returns(t, "Shutdown", func() error { return exp.Shutdown(ctx) })
	if err == nil && down == nil {
		t.Errorf("the destination never answered, and neither ExportSpans nor Shutdown gave an error")
	}
}

func (e Exporter) shutdownBesideHanging(t testing.TB) {
	exp := e.Hanging(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	var hanging sync.WaitGroup
	hanging.Go(func() {
		_ = returns(t, "ExportSpans", func() error {
			close(begun)
			return exp.ExportSpans(ctx, []sdktrace.ReadOnlySpan{plainSpan("a", 1)})
		})
	})
	<-begun
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	_ = returns(t, "Shutdown", func() error { return exp.Shutdown(short) })
	cancel()
	hanging.Wait()
}

// export exports spans, which must work. It gives the exporter the slice itself.
func export(t testing.TB, e sdktrace.SpanExporter, spans ...sdktrace.ReadOnlySpan) {
	t.Helper()
	noError(t, "ExportSpans", returns(t, "ExportSpans", func() error { return e.ExportSpans(t.Context(), spans) }))
}

func shutdown(t testing.TB, e sdktrace.SpanExporter) {
	t.Helper()
	noError(t, "Shutdown", returns(t, "Shutdown", func() error { return e.Shutdown(t.Context()) }))
}

func noError(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

var errNoReturn = errors.New("did not return")

// returns makes a call that must return, and not panic.
func returns(t testing.TB, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("%s panics: %v\n%s", what, v, debug.Stack())
				done <- fmt.Errorf("panic: %v", v)
			}
		}()
		done <- call()
	}()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case err := <-done:
		return err
	case <-timeout.C:
		t.Errorf("%s does not return", what)
		return errNoReturn
	}
}

// ended gives a context that is over.
func ended(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
