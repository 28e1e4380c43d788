//go:build !lens_off

package lenstest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

// trainer stands for the library under test. It registers its groups in an init function, as every library does.
var (
	step       = lens.NewGroup("step")
	checkpoint = lens.NewGroup("checkpoint")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "trainer",
		Groups:    []*lens.Group{step, checkpoint},
		Presets: lens.Presets{
			"default":  {"checkpoint"},
			"per_step": {"step", "checkpoint"},
		},
	})
}

// train is an instrumented function of it.
func train(ctx context.Context, steps int) (err error) {
	for i := range steps {
		ctx, span := step.Start(ctx, "trainer.step")
		span.Int("iteration", i)
		err = save(ctx, i)
		span.Err(err).End()
	}
	return err
}

func save(ctx context.Context, i int) error {
	return checkpoint.Do(ctx, "trainer.checkpoint", func(context.Context) error {
		if i == 1 {
			return errors.New("disk full")
		}
		return nil
	})
}

// run stands for go test: it runs a test and prints what it complains about.
func run(test func(t testing.TB)) {
	messages := try(test)
	if messages == nil {
		fmt.Println("ok")
	}
	for _, m := range messages {
		fmt.Println(m)
	}
}

// A test gets the default registry lent. It may register, switch and replace what it likes; nothing of it carries over
// to the next test, and what init functions have registered is still there.
func ExampleDefault() {
	run(func(t testing.TB) {
		rec := lenstest.Default(t)
		lens.MustRegister(lens.Library{Namespace: "guest", Groups: []*lens.Group{lens.NewGroup("visit")}})
		lens.SetSpec("visit,step")
		_ = train(t.Context(), 1)
		fmt.Println(len(rec.Spans()), "span; groups", lens.CurrentState().Groups)
	})
	fmt.Println("afterwards", lens.CurrentState().Groups, "on:", lens.CurrentState().Enabled)
	// Output:
	// 1 span; groups [checkpoint step visit]
	// ok
	// afterwards [checkpoint step] on: []
}

// Lens ships no groups, so a test that needs one registers it.
func ExampleDefault_register() {
	run(func(t testing.TB) {
		lenstest.Default(t)
		group := lens.NewGroup("my_new_group")
		lens.MustRegister(lens.Library{
			Namespace: "mylib",
			Groups:    []*lens.Group{group},
			Presets:   lens.Presets{"per_step": {"my_new_group"}},
		})
		lens.SetSpec("per_step")
		fmt.Println("enabled:", group.Enabled())
	})
	// Output:
	// enabled: true
	// ok
}

// The group resolves from its bare name. One that no library lists does not, and the message says what is missing.
func ExampleAssertResolves() {
	run(func(t testing.TB) { lenstest.AssertResolves(t, step) })
	run(func(t testing.TB) { lenstest.AssertResolves(t, lens.NewGroup("optimizer")) })
	// Output:
	// ok
	// the spec "optimizer" does not switch group "optimizer" on: no library registers it; list the handle in Groups of the lens.Library that init registers (registered groups are ["checkpoint" "step"])
}

// The group is in every preset that it was added to, and in no other.
func ExampleAssertPresets() {
	run(func(t testing.TB) {
		lenstest.AssertPresets(t, step, "per_step")
		lenstest.AssertPresets(t, checkpoint, "default", "per_step")
	})
	run(func(t testing.TB) { lenstest.AssertPresets(t, checkpoint, "default") })
	// Output:
	// ok
	// group "checkpoint" is in preset "per_step" and should not be: it has ["checkpoint" "step"]
}

// Where a library knows only some of the presets, they are named.
func ExampleAssertNotInPreset() {
	run(func(t testing.TB) {
		lenstest.AssertInPreset(t, step, "per_step")
		lenstest.AssertNotInPreset(t, step, "default")
	})
	run(func(t testing.TB) { lenstest.AssertNotInPreset(t, step, "defualt") })
	// Output:
	// ok
	// no library registers a preset "defualt"; there are ["all" "default" "per_step"]
}

// A call site emits a span when its group is on and nothing when it is off.
func ExampleAssertGated() {
	run(func(t testing.TB) {
		lenstest.AssertGated(t, step, func(ctx context.Context) { _ = train(ctx, 1) })
	})
	run(func(t testing.TB) {
		lenstest.AssertGated(t, checkpoint, func(ctx context.Context) {
			_, span := lens.Start(ctx, "trainer.checkpoint") // belongs to no group
			defer span.End()
		})
	})
	// Output:
	// ok
	// group "checkpoint" is off, as all groups are, and spans were started: start them with the group, and ask it at every call
	// trainer.checkpoint
}

// The spans of a call are compared as indented text, with the attributes that matter to the test.
func ExampleRecorder_AssertTree() {
	run(func(t testing.TB) {
		rec := lenstest.Default(t)
		lens.SetSpec("per_step")
		_ = train(t.Context(), 2)
		rec.AssertTree(t, `
			trainer.step iteration=0
			  trainer.checkpoint
			trainer.step iteration=1 Error "disk full"
			  trainer.checkpoint Error "disk full"
		`, "iteration")
	})
	// Output: ok
}

// A library that takes a registry is given the recorder's. Such tests may run in parallel.
func ExampleNew() {
	run(func(t testing.TB) {
		rec := lenstest.New(t)
		group := rec.NewGroup("fetch")
		rec.MustRegister(lens.Library{Namespace: "crawler", Groups: []*lens.Group{group}})
		rec.SetSpec("fetch")

		_, span := group.Start(t.Context(), "crawler.fetch")
		span.Str("page", "/").Int("depth", 2).End()

		rec.One(t, "crawler.fetch").AssertAttrs(t, map[string]any{"page": "/", "depth": 2, "error.type": nil})
	})
	// Output: ok
}
