package rl_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/examples/trainer/rl"
	above "github.com/lensgo/lens/examples/trainer/rl/telemetry"
	"github.com/lensgo/lens/examples/trainer/train"
	below "github.com/lensgo/lens/examples/trainer/train/telemetry"
	"github.com/lensgo/lens/lenstest"
)

// step is a step of a job of one process, with a checkpoint and an evaluation.
func step(t *testing.T) func(context.Context) {
	path := filepath.Join(t.TempDir(), "model.json")
	return func(ctx context.Context) {
		game := rl.NewGame(3, 2, 1)
		d := rl.Driver{Trainer: &train.Trainer{Model: train.NewModel(3, 4, 2, 1), Comm: &train.Comm{}, Rate: 1, Microbatch: 4}, Game: game, Games: 8}
		_, err := d.Step(ctx, 0, func(ctx context.Context) error {
			if err := d.Trainer.Model.Save(ctx, path); err != nil {
				return err
			}
			m, err := train.Load(ctx, path)
			if err == nil {
				train.Evaluate(ctx, m, game.Examples(5, 1))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestGroups(t *testing.T) {
	for group, presets := range map[*lens.Group][]string{
		above.Rollout:       {"default", "per_step"},
		above.Generation:    {"per_step"},
		above.PolicyUpdate:  {"default", "per_step"},
		below.Step:          {"default", "per_step"}, // default by the driver's preset
		below.Microbatch:    {"per_step"},
		below.Layer:         nil,
		below.Communication: {"per_step"},
		below.Checkpoint:    {"default", "per_step"},
		below.Evaluate:      {"default", "per_step"},
	} {
		t.Run(group.Name(), func(t *testing.T) {
			lenstest.AssertResolves(t, group)
			lenstest.AssertPresets(t, group, presets...)
			lenstest.AssertGated(t, group, step(t))
		})
	}
}

func TestStep_spans(t *testing.T) {
	rec := lenstest.Default(t)
	lens.SetSpec("per_step")
	step(t)(t.Context())
	rec.AssertTree(t, `
		trainer.step
		  rl.rollout
		    rl.generation
		  rl.policy_update
		    trainer.microbatch
		    trainer.microbatch
		    trainer.all_reduce
		  trainer.checkpoint.save
		  trainer.checkpoint.load
		  trainer.evaluate
	`)
}

// The group of an optional library counts once somebody registers it.
func TestOptionalLibrary(t *testing.T) {
	lenstest.Default(t)
	sandbox := lens.NewGroup("sandbox")
	lens.SetSpec("per_step")
	if sandbox.Enabled() {
		t.Error("on, and nobody has registered it")
	}
	lens.MustRegister(lens.Library{Namespace: "sandbox", Groups: []*lens.Group{sandbox}})
	lenstest.AssertInPreset(t, sandbox, "per_step")
}
