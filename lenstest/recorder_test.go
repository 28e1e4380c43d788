//go:build !lens_off

package lenstest_test

import (
	"log/slog"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/rerun"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lenstest"
)

// state is what the default registry holds, without the count of switches, which never goes back.
func state() lens.State {
	s := lens.CurrentState()
	s.Generation = 0
	return s
}

func TestDefault_puts_everything_back(t *testing.T) {
	for name, before := range map[string]func(){
		"a spec":  func() { lens.SetSpec("per_step,unknown") },
		"a pin":   func() { lens.Pin("step", "foreign") },
		"nothing": func() { lens.SetSpec("") },
	} {
		t.Run(name, func(t *testing.T) {
			outer := lenstest.Default(t) // this test, too, leaves nothing behind
			before()
			want, generation, line := state(), lens.CurrentState().Generation, len(outer.Logs())

			passes(t, func(t testing.TB) {
				inner := lenstest.Default(t)
				if on := lens.CurrentState().Enabled; len(on) > 0 {
					t.Errorf("the test begins with %q on", on)
				}
				lens.MustRegister(lens.Library{Namespace: "guest", Groups: []*lens.Group{lens.NewGroup("visit")}})
				if err := lens.Unregister("trainer"); err != nil {
					t.Errorf("%v", err)
				}
				lens.SetSpec("all,nobody")
				lens.SetLogger(slog.New(slog.DiscardHandler))
				_, span := lens.NewGroup("visit").Start(t.Context(), "visit")
				span.End()
				if n := len(inner.Spans()); n != 1 {
					t.Errorf("%d spans, want 1", n)
				}
			})

			if got := state(); !reflect.DeepEqual(got, want) {
				t.Errorf("afterwards\n%+v\nbefore\n%+v", got, want)
			}
			if got := lens.CurrentState().Generation; got <= generation {
				t.Errorf("the generation went from %d to %d", generation, got)
			}
			if step.Enabled() != slices.Contains(want.Enabled, "step") {
				t.Errorf("the gate of step says %t", step.Enabled())
			}
			outer.AssertNone(t)
			if got := outer.Logs()[line:]; len(got) > 0 {
				t.Errorf("the outer logger was given %q", got)
			}
			lens.SetSpec("typo")
			if got := outer.Logs(); len(got) != line+1 || !strings.Contains(got[line], "typo") {
				t.Errorf("the logger is not back: %q", got)
			}
			lens.SetSpec("step")
			_, span := step.Start(t.Context(), "again")
			span.End()
			outer.One(t, "again")
		})
	}
}

// A reset cannot do this: what an init function has registered is gone for ever then.
func TestDefault_keeps_init_registrations(t *testing.T) {
	for range 2 {
		passes(t, func(t testing.TB) {
			lenstest.Default(t)
			lenstest.AssertResolves(t, step)
			if err := lens.Unregister("trainer"); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDefault_keeps_handles(t *testing.T) {
	var made *lens.Group
	passes(t, func(t testing.TB) {
		lenstest.Default(t)
		made = lens.NewGroup("made_in_a_test")
	})
	if lens.NewGroup("made_in_a_test") != made {
		t.Error("a variable that keeps a handle is cut off from those that come later")
	}
}

func TestDefault_puts_the_propagator_back(t *testing.T) {
	before := seam.Propagator()
	passes(t, func(t testing.TB) {
		lenstest.Default(t)
		seam.SetPropagator(nothing{})
	})
	if seam.Propagator() != before {
		t.Error("the propagator of the test stays")
	}
}

// nothing is a propagator of its own type.
type nothing struct{ propagation.TraceContext }

func TestDefault_refuses_parallel_tests(t *testing.T) {
	for name, body := range map[string]func(t *testing.T){
		"before":   func(t *testing.T) { t.Parallel(); lenstest.Default(t) },
		"after":    func(t *testing.T) { lenstest.Default(t); t.Parallel() },
		"gated":    func(t *testing.T) { t.Parallel(); lenstest.AssertGated(t, step, nil) },
		"exporter": func(t *testing.T) { t.Parallel(); lenstest.TestExporter(t, lenstest.Exporter{}) },
	} {
		t.Run(name, func(t *testing.T) {
			isChild, output, err := rerun.Test(t)
			if isChild {
				body(t)
				return
			}
			if err == nil || !strings.Contains(output, "t.Setenv") && !strings.Contains(output, "t.Parallel") {
				t.Errorf("error %v, output\n%s", err, output)
			}
		})
	}
}

func TestNew_is_apart(t *testing.T) {
	var tests sync.WaitGroup
	for range 4 {
		tests.Go(func() {
			passes(t, func(t testing.TB) {
				rec := lenstest.New(t)
				g := rec.NewGroup("step") // the name of one in the default registry
				rec.MustRegister(lens.Library{Namespace: "trainer", Groups: []*lens.Group{g}})
				for range 50 {
					rec.SetSpec("step")
					_, span := g.Start(t.Context(), "mine")
					span.End()
					rec.SetSpec("")
				}
				if n := len(rec.Named("mine")); n != 50 {
					t.Errorf("%d spans, want 50", n)
				}
			})
		})
	}
	tests.Wait()
}

// fixture is a recorder with one group that is on.
func fixture(t testing.TB) (*lenstest.Recorder, *lens.Group) {
	t.Helper()
	rec := lenstest.New(t)
	g := rec.NewGroup("work")
	rec.MustRegister(lens.Library{Namespace: "lib", Version: "v1", Groups: []*lens.Group{g}})
	rec.SetSpec("work")
	return rec, g
}

func TestRecorder_span(t *testing.T) {
	rec, g := fixture(t)
	far, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := g.StartWith(lens.WithParent(t.Context(), far), "work.do", lens.StartConfig{Kind: lens.Server, Links: []lens.Ref{far}})
	span.Int("n", 3).Float("f", 0.5).Float("nan", math.NaN()).Bool("b", true).Str("s", "x").Strs("l", []string{"a"})
	span.Event("half", lens.Int("of", 2))
	span.Fail("enough")
	_, inner := rec.Start(ctx, "ungated")
	inner.Ok()
	inner.End()
	span.End()

	s := rec.One(t, "work.do")
	if s.Group != "work" || s.Library != "lib" || s.Kind != lens.Server || s.Status != lenstest.Error || s.Message != "enough" {
		t.Errorf("%+v", s)
	}
	if s.Parent != far || s.Ref != span.Ref() || len(s.Links) != 1 || s.Links[0].Ref != far {
		t.Errorf("parent %v, ref %v (want %v), links %v", s.Parent, s.Ref, span.Ref(), s.Links)
	}
	if s.Start.IsZero() || s.End.Before(s.Start) {
		t.Errorf("from %v to %v", s.Start, s.End)
	}
	s.AssertAttrs(t, map[string]any{"n": uint8(3), "f": float32(0.5), "nan": math.NaN(), "b": true, "s": "x", "l": []string{"a"}, "none": nil})
	if len(s.Events) != 1 || s.Events[0].Name != "half" || !maps.Equal(s.Events[0].Attrs, map[string]any{"of": int64(2)}) {
		t.Errorf("events %+v", s.Events)
	}
	if u := rec.One(t, "ungated"); u.Group != "" || u.Parent != s.Ref || u.Status != lenstest.Ok {
		t.Errorf("%+v", u)
	}
	if names := []string{rec.Spans()[0].Name, rec.Spans()[1].Name}; !slices.Equal(names, []string{"work.do", "ungated"}) {
		t.Errorf("not in the order of their starts: %q", names)
	}
	for _, want := range []map[string]any{{"n": 4}, {"f": math.NaN()}, {"nan": 0.5}, {"n": nil}, {"other": 1}, {"s": 3}} {
		fails(t, func(t testing.TB) { s.AssertAttrs(t, want) }, "work.do")
	}
}

func TestRecorder_assertions_fail(t *testing.T) {
	rec, g := fixture(t)
	passes(t, rec.AssertNone)
	_, a := g.Start(t.Context(), "a")
	fails(t, rec.AssertNone, "a (open)")
	fails(t, rec.AssertEnded, `"a" of group "work"`, "never ended")
	if open := rec.Open(); len(open) != 1 || open[0].Name != "a" || len(rec.Spans()) != 0 {
		t.Errorf("open %+v, ended %+v", open, rec.Spans())
	}
	a.End()
	passes(t, rec.AssertEnded)
	fails(t, func(t testing.TB) { rec.One(t, "b") }, `0 spans are named "b"`, "a\n")
	_, again := g.Start(t.Context(), "a")
	again.End()
	fails(t, func(t testing.TB) { rec.One(t, "a") }, `2 spans are named "a"`)
}

func TestRecorder_Reset(t *testing.T) {
	rec, g := fixture(t)
	_, open := g.Start(t.Context(), "open")
	_, span := g.Start(t.Context(), "ended")
	span.End()
	rec.SetSpec("work,typo")
	rec.Reset()
	open.End()
	rec.AssertNone(t)
	if logs := rec.Logs(); len(logs) > 0 {
		t.Errorf("logs %q", logs)
	}
}

func TestRecorder_Wait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, g := fixture(t)
		var ends sync.WaitGroup
		for range 3 {
			_, span := g.Start(t.Context(), "a")
			ends.Go(func() { span.End() })
		}
		if n := len(rec.Wait(t, 3)); n != 3 {
			t.Errorf("%d spans", n)
		}
		ends.Wait()
		fails(t, func(t testing.TB) { rec.Wait(t, 4) }, "3 spans ended, want 4")
	})
}

// A trace that the caller did not sample stays so, whatever the environment says about sampling.
func TestRecorder_sampling(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	rec, g := fixture(t)
	_, span := g.Start(t.Context(), "root")
	span.End()
	rec.One(t, "root")
	far, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "")
	_, span = g.Start(lens.WithParent(t.Context(), far), "below")
	span.End()
	if n := len(rec.Named("below")); n > 0 {
		t.Error("a span of a trace that is not sampled")
	}
}

// A program that makes its own provider is recorded through the processor, one that takes a provider through that.
func TestRecorder_foreign(t *testing.T) {
	rec, g := fixture(t)
	seam.SetProvider(rec.Registry, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(rec.Processor())))
	ctx, span := g.Start(t.Context(), "own provider")
	_, foreign := rec.Provider().Tracer("otelhttp").Start(ctx, "foreign", trace.WithSpanKind(trace.SpanKindClient))
	foreign.End()
	span.End()
	rec.AssertTree(t, `
		own provider
		  foreign (client)
	`)
	if s := rec.One(t, "foreign"); s.Library != "otelhttp" || s.Group != "" {
		t.Errorf("%+v", s)
	}
}
