//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/rerun"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/semconv"
)

func attrs(s sdktrace.ReadOnlySpan) []attribute.KeyValue { return s.Attributes() }

// attr gives the value of a key, as text; "" when there is none.
func attr(list []attribute.KeyValue, key string) string {
	for _, kv := range list {
		if string(kv.Key) == key {
			return kv.Value.String()
		}
	}
	return ""
}

// record runs fn with a span that is on, and returns what was recorded. A panic of fn is swallowed.
func record(t *testing.T, fn func(span lens.Span)) sdktrace.ReadOnlySpan {
	t.Helper()
	r, recorder, _ := recorded(t)
	func() {
		defer func() { _ = recover() }()
		_, span := on(t, r, "work").Start(context.Background(), "x")
		defer span.End()
		fn(span)
	}()
	spans := recorder.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans ended, want one", len(spans))
	}
	return spans[0]
}

// TestAttributes has the types, AT-07 and the redaction of section 3.5.
func TestAttributes(t *testing.T) {
	when := time.Date(2026, 11, 30, 1, 2, 3, 4000, time.FixedZone("x", 3600))
	list := []string{"a", "b"}
	setters := record(t, func(s lens.Span) {
		s.Str("str", "v").Int("int", -1).Int64("min", math.MinInt64).Float("float", 1.5).Bool("true", true).Bool("false", false).
			Strs("list", list).Strs("empty", []string{}).Strs("nil", nil).
			Time("time", when).Duration("duration", 1500*time.Millisecond).
			Str("password", "hunter2").Strs("secret", []string{"kept"}).Int("token", 7)
		list[0] = "changed"
	})
	want := []attribute.KeyValue{
		attribute.String("str", "v"), attribute.Int("int", -1), attribute.Int64("min", math.MinInt64),
		attribute.Float64("float", 1.5), attribute.Bool("true", true), attribute.Bool("false", false),
		attribute.StringSlice("list", []string{"a", "b"}), attribute.StringSlice("empty", []string{}),
		attribute.StringSlice("nil", []string{}),
		attribute.String("time", "2026-11-30T00:02:03.000004Z"), attribute.Float64("duration", 1.5),
		attribute.String("password", "[REDACTED]"), attribute.StringSlice("secret", []string{"kept"}), attribute.Int("token", 7),
	}
	equalAttrs(t, attrs(setters), want)

	list = []string{"a", "b"}
	set := record(t, func(s lens.Span) {
		s.Set(lens.Str("str", "v"), lens.Int("int", -1), lens.Int64("min", math.MinInt64), lens.Float("float", 1.5),
			lens.Bool("true", true), lens.Bool("false", false), lens.Attr{}, lens.Strs("list", list),
			lens.Strs("empty", []string{}), lens.Strs("nil", nil)).
			Set(lens.Str("password", "hunter2"), lens.Strs("secret", []string{"kept"}), lens.Int("token", 7))
		list[0] = "changed"
	})
	equalAttrs(t, attrs(set), append(want[:9:9], want[11:]...))
}

func equalAttrs(t *testing.T, got, want []attribute.KeyValue) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d attributes, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("attribute %d is %s %s=%s, want %s %s=%s", i, got[i].Value.Type(), got[i].Key, got[i].Value.String(),
				want[i].Value.Type(), want[i].Key, want[i].Value.String())
		}
	}
}

func TestLastValueWins(t *testing.T) {
	s := record(t, func(s lens.Span) { s.Int("k", 1).Str("k", "two") })
	equalAttrs(t, attrs(s), []attribute.KeyValue{attribute.String("k", "two")})
}

// TestManyAttributes goes over the size at which a span's buffer is handed on.
func TestManyAttributes(t *testing.T) {
	s := record(t, func(s lens.Span) {
		for i := range 100 {
			s.Int(fmt.Sprint("k", i), i)
		}
	})
	if len(attrs(s)) != 100 || attr(attrs(s), "k0") != "0" || attr(attrs(s), "k99") != "99" {
		t.Errorf("%d attributes", len(attrs(s)))
	}
}

// TestProviderGetsWhatWasSet looks at the calls that reach a provider: every attribute once, never more in a call than a
// span may hold back, and from memory that is wiped before another span gets it.
func TestProviderGetsWhatWasSet(t *testing.T) {
	p := &keepingProvider{}
	r, _ := logged(t)
	seam.SetProvider(r, p)
	g := on(t, r, "work")
	for _, n := range []int{100, 2, 0, 1} {
		p.calls = nil
		_, s := g.Start(context.Background(), "x")
		for i := range n {
			s.Int("k", i)
		}
		s.End()
		total := 0
		for _, c := range p.calls {
			total += len(c)
			if len(c) > 64 {
				t.Errorf("%d attributes in one call", len(c))
			}
			for _, kv := range c {
				if kv.Valid() {
					t.Fatalf("%s is still in the buffer", kv.Key)
				}
			}
		}
		same(t, "attributes", total, n)
	}
}

// keepingProvider keeps the very slices that SetAttributes is given.
type keepingProvider struct {
	noop.TracerProvider
	calls [][]attribute.KeyValue
}

type keepingTracer struct {
	noop.Tracer
	p *keepingProvider
}

type keepingSpan struct {
	noop.Span
	p *keepingProvider
}

func (p *keepingProvider) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return keepingTracer{p: p}
}

func (t keepingTracer) Start(ctx context.Context, _ string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	return ctx, keepingSpan{p: t.p}
}

func (keepingSpan) IsRecording() bool { return true }

func (s keepingSpan) SetAttributes(kv ...attribute.KeyValue) { s.p.calls = append(s.p.calls, kv) }

func TestEventsLinksNameStatus(t *testing.T) {
	to := lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{2}}
	s := record(t, func(s lens.Span) {
		s.Event("plain")
		s.Event("rich", lens.Int("n", 1), lens.Str("password", "hunter2"), lens.Attr{})
		s.Link(to, lens.Str(semconv.GymLink, semconv.LinkJob))
		s.Link(lens.Ref{})
		s.SetName("renamed")
		s.Err(nil)
		if !s.Recording() || !s.Ref().Valid() {
			t.Error("not recording, or without a ref")
		}
	})
	if s.Name() != "renamed" || s.Status().Code != codes.Unset {
		t.Errorf("%s %+v", s.Name(), s.Status())
	}
	if e := s.Events(); len(e) != 2 || e[0].Name != "plain" || len(e[1].Attributes) != 2 ||
		attr(e[1].Attributes, "password") != "[REDACTED]" {
		t.Errorf("events %+v", e)
	}
	if l := s.Links(); len(l) != 1 || attr(l[0].Attributes, "nemo.gym.link") != "job" {
		t.Errorf("links %+v", l)
	}
}

func TestOkWins(t *testing.T) {
	for name, fn := range map[string]func(lens.Span){
		"before": func(s lens.Span) { s.Ok(); s.Err(errors.New("x")) },
		"after":  func(s lens.Span) { s.Err(errors.New("x")).Ok() },
	} {
		s := record(t, fn)
		if s.Status().Code != codes.Ok || len(s.Events()) != 1 {
			t.Errorf("%s: %+v, %d events", name, s.Status(), len(s.Events()))
		}
	}
}

func TestFail(t *testing.T) {
	s := record(t, func(s lens.Span) { s.Fail("503") })
	if got := s.Status(); got.Code != codes.Error || got.Description != "503" || len(s.Events()) != 0 {
		t.Errorf("%+v, %d events", got, len(s.Events()))
	}
	if s := record(t, func(s lens.Span) { s.Ok(); s.Fail("503") }); s.Status().Code != codes.Ok {
		t.Errorf("Fail wins over Ok: %+v", s.Status())
	}
}

func TestAfterEnd(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	_, span := g.Start(context.Background(), "first")
	ref := span.Ref()
	span.Int("k", 1).End()
	_, second := g.Start(context.Background(), "second") // would get the first one's memory, were it used again
	span.Str("late", "v").Set(lens.Int("late", 1)).Err(errors.New("late"))
	span.Event("late")
	span.Link(ref)
	span.SetName("late")
	span.Fail("late")
	span.Ok()
	span.End()
	span.EndAt(time.Now())
	span.EndErr(nil)
	second.End()
	if span.Recording() || span.Ref() != ref {
		t.Error("recording after the end, or another ref")
	}
	for i, name := range []string{"first", "second"} {
		s := recorder.Ended()[i]
		if s.Name() != name || len(s.Attributes()) != 1-i || len(s.Events())+len(s.Links()) != 0 || s.Status().Code != codes.Unset {
			t.Errorf("%s: %s %v %v", name, s.Name(), s.Attributes(), s.Status())
		}
	}
	if n := len(recorder.Ended()); n != 2 {
		t.Errorf("%d spans", n)
	}
}

func TestEndAt(t *testing.T) {
	at := time.Now().Add(time.Hour)
	s := record(t, func(s lens.Span) { s.EndAt(at) })
	if !s.EndTime().Equal(at) {
		t.Errorf("ended at %s", s.EndTime())
	}
	s = record(t, func(s lens.Span) { s.EndAt(time.Time{}) })
	if s.EndTime().Before(s.StartTime()) {
		t.Errorf("ended at %s", s.EndTime())
	}
}

// TestErrors is the first and the third part of AT-11, and what Err says of errors.
func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name           string
		err            error
		kind, contains string
	}{
		{"plain", errors.New("boom"), "*errors.errorString", "boom"},
		{"cancelled", context.Canceled, "*errors.errorString", "context canceled"},
		{"deadline", context.DeadlineExceeded, "context.deadlineExceededError", "deadline exceeded"},
		{"of this package", &codedError{7}, "*lens_test.codedError", "code 7"},
		{"named", flatError("x"), "github.com/lensgo/lens_test.flatError", "flat x"},
		{"panics when asked", (*codedError)(nil), "*lens_test.codedError", "panics when asked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, recorder, _ := recorded(t)
			ctx, parent := on(t, r, "work").Start(context.Background(), "parent")
			got := func() (err error) {
				_, span := r.NewGroup("work").Start(ctx, "x")
				defer span.EndErr(&err)
				return tt.err
			}()
			if got != tt.err {
				t.Errorf("the error came back as %v", got)
			}
			_, next := r.NewGroup("work").Start(ctx, "next")
			next.End()
			parent.End()

			spans := recorder.Ended()
			s := spans[0]
			if s.Status().Code != codes.Error || !strings.Contains(s.Status().Description, tt.contains) {
				t.Errorf("status %+v", s.Status())
			}
			e := s.Events()
			if len(e) != 1 || e[0].Name != "exception" || attr(e[0].Attributes, "exception.type") != tt.kind ||
				attr(e[0].Attributes, "exception.message") != s.Status().Description {
				t.Errorf("events %+v", e)
			}
			if spans[1].Parent().SpanID() != spans[2].SpanContext().SpanID() {
				t.Error("the context for the next span was not restored")
			}
			if spans[2].Status().Code != codes.Unset {
				t.Error("the error is on the parent too")
			}
		})
	}
}

type codedError struct{ code int }

func (e *codedError) Error() string { return fmt.Sprint("code ", e.code) }

type flatError string

func (e flatError) Error() string { return "flat " + string(e) }

func TestEndErrWithoutError(t *testing.T) {
	var none error
	for _, p := range []*error{nil, &none} {
		s := record(t, func(s lens.Span) { s.EndErr(p) })
		if s.Status().Code != codes.Unset || len(s.Events()) != 0 {
			t.Errorf("%+v %+v", s.Status(), s.Events())
		}
	}
}

// throw is the frame that the stacks below must show.
//
//go:noinline
func throw(v any) { panic(v) }

type deferred func(lens.Span, func())

// deferredEnds are the two ways to defer an end directly.
var deferredEnds = map[string]deferred{
	"End": func(s lens.Span, fn func()) {
		defer s.End()
		fn()
	},
	"EndErr": func(s lens.Span, fn func()) {
		var err error
		defer s.EndErr(&err)
		fn()
	},
}

// TestPanics is the second part of AT-11: the span is ended once and marked, and the same value goes on.
func TestPanics(t *testing.T) {
	var nilMap map[string]int
	pointer := &codedError{3}
	for _, tt := range []struct {
		name          string
		panics        func()
		value         any // nil: only check that one came
		kind, message string
	}{
		{"string", func() { throw("boom") }, "boom", "string", "boom"},
		{"error identity", func() { throw(pointer) }, pointer, "*lens_test.codedError", "code 3"},
		{"http.ErrAbortHandler", func() { throw(http.ErrAbortHandler) }, http.ErrAbortHandler, "*errors.errorString", "net/http: abort Handler"},
		{"runtime error", func() { nilMap["x"] = 1 }, nil, "runtime.", "assignment to entry in nil map"},
		{"nil", func() { throw(nil) }, nil, "*runtime.PanicNilError", "panic called with nil argument"},
		{"value that panics when asked", func() { throw((*codedError)(nil)) }, (*codedError)(nil), "*lens_test.codedError", "panics when asked"},
	} {
		for end, run := range deferredEnds {
			t.Run(tt.name+"/"+end, func(t *testing.T) {
				r, recorder, _ := recorded(t)
				_, span := on(t, r, "work").Start(context.Background(), "x")
				var value any
				func() {
					defer func() { value = recover() }()
					run(span.Int("k", 1), tt.panics)
				}()
				if value == nil || tt.value != nil && value != tt.value {
					t.Fatalf("recovered %v, want %v", value, tt.value)
				}
				spans := recorder.Ended()
				if len(spans) != 1 || attr(spans[0].Attributes(), "k") != "1" {
					t.Fatalf("%d spans ended", len(spans))
				}
				e := spans[0].Events()
				if spans[0].Status().Code != codes.Error || len(e) != 1 || e[0].Name != "exception" {
					t.Fatalf("%+v %+v", spans[0].Status(), e)
				}
				has(t, attr(e[0].Attributes, "exception.type"), tt.kind)
				has(t, attr(e[0].Attributes, "exception.message"), tt.message)
				stack := attr(e[0].Attributes, "exception.stacktrace")
				has(t, stack, "goroutine ", "\npanic(", "lens_test.TestPanics")
				if strings.Contains(stack, "lens.Span.End") {
					t.Errorf("the stack begins with our own frames:\n%s", stack)
				}
			})
		}
	}
}

func TestPanicThroughThreeSpans(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	value := &codedError{1}
	func() {
		defer func() {
			if v := recover(); v != value {
				t.Errorf("recovered %v", v)
			}
		}()
		ctx, a := g.Start(context.Background(), "a")
		defer a.End()
		ctx, b := g.Start(ctx, "b")
		defer b.EndErr(nil)
		_, c := g.Start(ctx, "c")
		defer c.End()
		throw(value)
	}()
	spans := recorder.Ended()
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	for i, name := range []string{"c", "b", "a"} {
		s := spans[i]
		if s.Name() != name || s.Status().Code != codes.Error || len(s.Events()) != 1 {
			t.Errorf("%s: %s %+v %d events", name, s.Name(), s.Status(), len(s.Events()))
		}
		has(t, attr(s.Events()[0].Attributes, "exception.stacktrace"), "lens_test.throw(")
	}
}

func TestDoAndWrapPanic(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	for name, run := range map[string]func(){
		"Do": func() { _ = g.Do(context.Background(), "x", func(context.Context) error { throw("boom"); return nil }) },
		"Wrap": func() {
			_, _ = lens.Wrap(g, "x", func(context.Context, int) (int, error) { throw("boom"); return 0, nil })(context.Background(), 1)
		},
	} {
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("%s: recovered %v", name, v)
				}
			}()
			run()
		}()
	}
	for _, s := range recorder.Ended() {
		if s.Status().Code != codes.Error {
			t.Errorf("%+v", s.Status())
		}
	}
	if n := len(recorder.Ended()); n != 2 {
		t.Errorf("%d spans", n)
	}
}

// TestOnlyADirectlyDeferredEndSeesAPanic: inside a deferred function it ends the span unmarked, and the panic goes on.
func TestOnlyADirectlyDeferredEndSeesAPanic(t *testing.T) {
	r, recorder, _ := recorded(t)
	_, span := on(t, r, "work").Start(context.Background(), "x")
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v", v)
			}
		}()
		defer func() { span.End() }()
		throw("boom")
	}()
	if s := recorder.Ended()[0]; s.Status().Code != codes.Unset || len(s.Events()) != 0 {
		t.Errorf("%+v %+v", s.Status(), s.Events())
	}
}

func TestGoexit(t *testing.T) {
	for name, run := range deferredEnds {
		r, recorder, _ := recorded(t)
		_, span := on(t, r, "work").Start(context.Background(), "x")
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(span, runtime.Goexit)
		}()
		<-done
		if s := recorder.Ended(); len(s) != 1 || s[0].Status().Code != codes.Unset || len(s[0].Events()) != 0 {
			t.Errorf("%s: %d spans", name, len(s))
		}
	}
}

// TestPanicInAnOffSpan: an end that is off does not touch the panic.
func TestPanicInAnOffSpan(t *testing.T) {
	for name, run := range deferredEnds {
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("%s: recovered %v", name, v)
				}
			}()
			run(lens.Span{}, func() { throw("boom") })
		}()
	}
}

// TestCrash: a program that dies of a panic still shows where it came from.
func TestCrash(t *testing.T) {
	isChild, out, err := rerun.Test(t)
	if isChild {
		r, _, _ := recorded(t)
		g := on(t, r, "work")
		go func() { // not the test's goroutine: testing recovers in that one
			ctx, outer := g.Start(context.Background(), "outer")
			defer outer.End()
			_, inner := g.Start(ctx, "inner")
			defer inner.End()
			throw(errors.New("the first cause"))
		}()
		select {}
	}
	if err == nil {
		t.Fatalf("the child did not crash:\n%s", out)
	}
	has(t, out, "panic: ", "the first cause", "lens_test.throw(", "lens_test.TestCrash.func1", "span_test.go:")
	if strings.Contains(out, "all goroutines are asleep") {
		t.Errorf("died of something else:\n%s", out)
	}
	if testing.Verbose() {
		fmt.Fprintln(os.Stderr, out)
	}
}

// TestConcurrentSpan: eight goroutines set and end one span; run it with -race.
func TestConcurrentSpan(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	for range 50 {
		_, span := g.Start(context.Background(), "x")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 20 {
					span.Int("i", i).Str("s", "v").Strs("l", []string{"a"})
				}
				span.Event("e", lens.Int("i", i))
				span.Err(errors.New("x"))
				span.SetName("y")
				span.Recording()
				span.Ref()
				span.End()
				span.Int("late", i)
			})
		}
		wg.Wait()
	}
	if s, e := len(recorder.Started()), len(recorder.Ended()); s != 50 || e != 50 {
		t.Errorf("%d started, %d ended", s, e)
	}
}
