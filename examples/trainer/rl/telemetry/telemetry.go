// Package telemetry declares what the RL driver can tell about itself.
package telemetry

import "github.com/lensgo/lens"

var (
	// Rollout is the playing of one batch of games: rl.rollout.
	Rollout = lens.NewGroup("rollout")

	// Generation is the policy's choice of actions for some games at once: rl.generation.
	Generation = lens.NewGroup("generation")

	// PolicyUpdate is what a batch does to the policy: rl.policy_update. The trainer's own spans are below it.
	PolicyUpdate = lens.NewGroup("policy_update")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "rl",
		Groups:    []*lens.Group{Rollout, Generation, PolicyUpdate},
		Presets: lens.Presets{
			// step is the trainer's: without it the spans of a step would have no common root.
			"default": {"rollout", "policy_update", "step"},
			// sandbox belongs to a library for games that run code, and to no program without it. The member counts once somebody
			// registers it; until then it counts for nothing, and a warning says so, since a typo looks the same.
			"per_step": {"rollout", "generation", "policy_update", "step", "sandbox"}, //lensvet:ignore absent of an optional library
		},
	})
}
