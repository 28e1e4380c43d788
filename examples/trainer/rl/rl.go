// Package rl is an RL driver in miniature, on top of package train: it plays games with the model as the policy, and makes the actions
// that were rewarded more probable (REINFORCE).
//
// It is the upper of two libraries of an example. Its presets have the names of the trainer's, so a user who asks for per_step sees
// both, and they name a group of the trainer, and one of a library that need not be there.
package rl

import (
	"context"
	"math/rand/v2"

	"github.com/lensgo/lens/examples/trainer/rl/telemetry"
	"github.com/lensgo/lens/examples/trainer/train"
)

// Driver trains a policy on one worker.
type Driver struct {
	Trainer *train.Trainer
	Game    *Game
	Seed    uint64
	Games   int // how many this worker plays in a step
}

// Step plays and learns; afterwards all workers have the same policy. It gives the mean reward of this worker's games. What is
// then called in the step's trace comes with the context that after gets.
func (d *Driver) Step(ctx context.Context, i int, after func(context.Context) error) (reward float64, err error) {
	err = d.Trainer.Step(ctx, i, func(ctx context.Context) error {
		var examples []train.Example
		examples, reward = d.rollout(ctx, i)
		if err := d.update(ctx, examples, reward); err != nil {
			return err
		}
		return after(ctx)
	})
	return reward, err
}

// rollout plays this worker's games of a step. The weights of the examples are their rewards.
func (d *Driver) rollout(ctx context.Context, i int) (examples []train.Example, reward float64) {
	ctx, span := telemetry.Rollout.Start(ctx, "rl.rollout")
	defer span.End()
	rng := rand.New(rand.NewPCG(d.Seed, uint64(i)<<16|uint64(d.Trainer.Comm.Rank)))
	states := make([][]float64, d.Games)
	for n := range states {
		states[n] = d.Game.state(rng)
	}
	for n, action := range d.generate(ctx, states, rng) {
		e := train.Example{Input: states[n], Action: action}
		if action == d.Game.right(states[n]) {
			e.Weight = 1
			reward += 1 / float64(d.Games)
		}
		examples = append(examples, e)
	}
	span.Int("games", d.Games).Float("reward", reward)
	return examples, reward
}

// generate lets the policy choose an action for each state.
func (d *Driver) generate(ctx context.Context, states [][]float64, rng *rand.Rand) []int {
	ctx, span := telemetry.Generation.Start(ctx, "rl.generation")
	defer span.End()
	span.Int("actions", len(states))
	actions := make([]int, len(states))
	for n, p := range d.Trainer.Model.Probabilities(ctx, states) {
		left := rng.Float64()
		for left -= p[0]; left > 0 && actions[n] < len(p)-1; left -= p[actions[n]] {
			actions[n]++
		}
	}
	return actions
}

// update learns from the examples: what was better than usual becomes more probable.
func (d *Driver) update(ctx context.Context, examples []train.Example, usual float64) (err error) {
	ctx, span := telemetry.PolicyUpdate.Start(ctx, "rl.policy_update")
	defer span.EndErr(&err)
	for n := range examples {
		examples[n].Weight -= usual
	}
	return d.Trainer.Update(ctx, examples)
}
