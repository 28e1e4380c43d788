//go:build !lens_off

package lenstest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensotel"
	"github.com/lensgo/lens/lenstest"
)

// emit is a call site that is as it should be.
func emit(g *lens.Group) func(context.Context) {
	return func(ctx context.Context) {
		_, span := g.Start(ctx, "work.do")
		defer span.End()
	}
}

func TestAssertGated_passes(t *testing.T) {
	rec, g := fixture(t)
	before := rec.CurrentState()
	calls := 0
	passes(t, func(t testing.TB) {
		lenstest.AssertGated(t, g, func(ctx context.Context) { calls++; emit(g)(ctx) })
	})
	after := rec.CurrentState()
	if after.Spec != before.Spec || !g.Enabled() || calls != 3 {
		t.Errorf("spec %q, enabled %t, %d calls", after.Spec, g.Enabled(), calls)
	}
	rec.AssertNone(t)
	if logs := rec.Logs(); len(logs) > 0 {
		t.Errorf("the registry's own logger was given %q", logs)
	}
}

func TestAssertGated_default_registry(t *testing.T) {
	before := state()
	passes(t, func(t testing.TB) { lenstest.AssertGated(t, step, func(ctx context.Context) { _ = train(ctx, 1) }) })
	if after := state(); after.Spec != before.Spec || step.Enabled() {
		t.Errorf("afterwards %+v", after)
	}
}

func TestAssertGated_fails(t *testing.T) {
	rec, g := fixture(t)
	other := rec.NewGroup("other")
	rec.MustRegister(lens.Library{Namespace: "other", Groups: []*lens.Group{other}, Presets: lens.Presets{"idle": {"other"}}})
	lost := rec.NewGroup("lost")
	idle := rec.NewGroup("idle")
	rec.MustRegister(lens.Library{Namespace: "idle", Groups: []*lens.Group{idle}})

	asked := func() func(context.Context) { // a call site that asks once
		var once sync.Once
		var on bool
		return func(ctx context.Context) {
			if once.Do(func() { on = g.Enabled() }); on {
				emit(g)(ctx)
			}
		}
	}
	seen := false
	for name, c := range map[string]struct {
		group *lens.Group
		fn    func(context.Context)
		says  []string
	}{
		"nothing is emitted":     {g, func(context.Context) {}, []string{`"work" is on`, "no span"}},
		"another group's span":   {g, emit(other), []string{`"work" is on`, "another group"}},
		"gated by another group": {g, func(ctx context.Context) { _ = other.Enabled() && call(emit(g), ctx) }, []string{`"work" is on`}},
		"the answer is kept":     {g, asked(), []string{`"work" is on`, "kept the answer"}},
		"a span without a group": {g, func(ctx context.Context) { _, s := rec.Start(ctx, "bare"); s.End() }, []string{`"work" is off`, "bare"}},
		"a span is not ended":    {g, func(ctx context.Context) { g.Start(ctx, "left") }, []string{`"left" of group "work"`, "never ended"}},
		"nobody registers it":    {lost, emit(lost), []string{`"lost" cannot be switched on`, "no library registers it"}},
		"a preset has its name":  {idle, emit(idle), []string{`"idle" cannot be switched on`, "preset", `["other"]`}},
		"its name is not valid":  {rec.NewGroup("a b"), func(context.Context) {}, []string{"not valid"}},
		"there is no group":      {nil, func(context.Context) {}, []string{"nil", "NewGroup"}},
		"it is a zero group":     {&lens.Group{}, func(context.Context) {}, []string{"zero lens.Group"}},
		"it goes on when off":    {g, func(ctx context.Context) { seen = seen || g.Enabled(); _ = seen && call(bare(rec), ctx) }, []string{`"work" is off`, "bare"}},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, func(t testing.TB) { lenstest.AssertGated(t, c.group, c.fn) }, c.says...)
			if got := rec.CurrentState().Spec; got != "work" {
				t.Errorf("the registry is left with spec %q", got)
			}
		})
	}
}

func bare(rec *lenstest.Recorder) func(context.Context) {
	return func(ctx context.Context) {
		_, span := rec.Start(ctx, "bare")
		span.End()
	}
}

func call(fn func(context.Context), ctx context.Context) bool {
	fn(ctx)
	return true
}

// An instrumented package behind a group, by lensotel, is a call site like any other.
func TestAssertGated_foreign_instrumentation(t *testing.T) {
	rec, g := fixture(t)
	behind := lensotel.TracerProvider(g).Tracer("instrumented")
	passes(t, func(t testing.TB) {
		lenstest.AssertGated(t, g, func(ctx context.Context) {
			_, span := behind.Start(ctx, "query")
			span.End()
		})
	})
	direct := rec.Provider().Tracer("instrumented")
	fails(t, func(t testing.TB) {
		lenstest.AssertGated(t, g, func(ctx context.Context) {
			_, span := direct.Start(ctx, "query") // past every group, and past the recorder that is borrowed
			span.End()
		})
	}, `"work" is on`, "no span")
}

// A function that panics, or ends its test, does not leave the registry borrowed.
func TestAssertGated_gives_back(t *testing.T) {
	rec, g := fixture(t)
	for _, fn := range []func(t testing.TB){
		func(t testing.TB) { t.Fatalf("stop") },
		func(testing.TB) {
			defer func() { _ = recover() }()
			lenstest.AssertGated(t, g, func(context.Context) { panic("stop") })
		},
	} {
		try(func(t testing.TB) { lenstest.AssertGated(t, g, func(context.Context) { fn(t) }) })
		if got := rec.CurrentState().Spec; got != "work" {
			t.Errorf("the registry is left with spec %q", got)
		}
	}
}

func TestAssertResolves(t *testing.T) {
	rec, g := fixture(t)
	passes(t, func(t testing.TB) { lenstest.AssertResolves(t, g) })
	fails(t, func(t testing.TB) { lenstest.AssertResolves(t, rec.NewGroup("lost")) }, `"lost"`, "no library registers it")
	fails(t, func(t testing.TB) { lenstest.AssertResolves(t, nil) }, "nil")
}

func TestAssertPresets(t *testing.T) {
	rec, g := fixture(t)
	rec.MustRegister(lens.Library{Namespace: "presets", Presets: lens.Presets{
		"default": {"work"}, "per_step": {"work", "elsewhere"}, "quiet": {},
	}})
	lost := rec.NewGroup("lost")
	for name, c := range map[string]struct {
		test func(t testing.TB)
		says []string // nil: it passes
	}{
		"exactly":           {func(t testing.TB) { lenstest.AssertPresets(t, g, "per_step", " Default ") }, nil},
		"one too many":      {func(t testing.TB) { lenstest.AssertPresets(t, g, "per_step") }, []string{`preset "default"`, "should not be"}},
		"one too few":       {func(t testing.TB) { lenstest.AssertPresets(t, g, "per_step", "default", "quiet") }, []string{`not in preset "quiet"`}},
		"unknown":           {func(t testing.TB) { lenstest.AssertPresets(t, g, "per_step", "default", "loud") }, []string{`a preset "loud"`}},
		"in":                {func(t testing.TB) { lenstest.AssertInPreset(t, g, "default", "per_step", "all") }, nil},
		"in, but is not":    {func(t testing.TB) { lenstest.AssertInPreset(t, g, "default", "quiet") }, []string{`not in preset "quiet"`}},
		"in an unknown":     {func(t testing.TB) { lenstest.AssertInPreset(t, g, "loud") }, []string{`a preset "loud"`}},
		"not in":            {func(t testing.TB) { lenstest.AssertNotInPreset(t, g, "quiet") }, nil},
		"not in, but is":    {func(t testing.TB) { lenstest.AssertNotInPreset(t, g, "quiet", "default") }, []string{`preset "default"`, "should not be"}},
		"not in an unknown": {func(t testing.TB) { lenstest.AssertNotInPreset(t, g, "loud") }, []string{`a preset "loud"`}},
		"not registered":    {func(t testing.TB) { lenstest.AssertNotInPreset(t, lost, "quiet") }, []string{"no library registers it"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.says == nil {
				passes(t, c.test)
			} else {
				fails(t, c.test, c.says...)
			}
		})
	}
}
