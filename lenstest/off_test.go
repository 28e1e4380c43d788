//go:build lens_off

package lenstest_test

import (
	"context"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

var step = lens.NewGroup("step")

// The tests of a library pass in a build without telemetry, where its call sites emit nothing.
func TestOff(t *testing.T) {
	calls := 0
	passes(t, func(t testing.TB) {
		rec := lenstest.Default(t)
		lens.MustRegister(lens.Library{
			Namespace: "trainer",
			Groups:    []*lens.Group{step},
			Presets:   lens.Presets{"per_step": {"step"}},
		})
		lenstest.AssertResolves(t, step)
		lenstest.AssertPresets(t, step, "per_step")
		lenstest.AssertInPreset(t, step, "per_step")
		lenstest.AssertNotInPreset(t, step, "default")
		lenstest.AssertGated(t, step, func(ctx context.Context) {
			_, span := step.Start(ctx, "trainer.step")
			defer span.End()
			calls++
		})
		lens.SetSpec("all")
		_, span := step.Start(t.Context(), "trainer.step")
		span.End()
		rec.AssertNone(t)
		rec.AssertTree(t, "trainer.step")
	})
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

func TestOff_default_registry_is_put_back(t *testing.T) {
	for range 2 {
		passes(t, func(t testing.TB) {
			lenstest.Default(t)
			if err := lens.Register(lens.Library{Namespace: "trainer", Groups: []*lens.Group{step}}); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestOff_skips_what_needs_spans(t *testing.T) {
	for name, test := range map[string]func(t testing.TB){
		"One":  func(t testing.TB) { lenstest.New(t).One(t, "trainer.step") },
		"Wait": func(t testing.TB) { lenstest.New(t).Wait(t, 1) },
	} {
		if p := attempt(test); !p.skipped || len(p.messages) > 0 {
			t.Errorf("%s: skipped %t, complaints %q", name, p.skipped, p.messages)
		}
	}
	passes(t, func(t testing.TB) { lenstest.New(t).Wait(t, 0) })
}
