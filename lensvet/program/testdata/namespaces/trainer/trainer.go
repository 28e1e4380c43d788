// Package trainer is a library with groups.
package trainer

import (
	"context"
	"maps"

	"github.com/lensgo/lens"
)

// Presets are put together over several statements.
var Presets = lens.Presets{" Quiet ": {}}

const always = "default"

var (
	// Step is one step of training. It holds a microbatch for each | of the batch.
	Step = lens.NewGroup("step")

	Microbatch = lens.NewGroup("Microbatch") // Microbatch is a part of a step.

	Checkpoint = lens.NewGroup("checkpoint")
)

func init() {
	base := []string{Step.Name()}
	Presets["per_step"] = append(base, "microbatch")
	Presets[always] = []string{"checkpoint", "evaluate", "chekpoint"}
	lens.MustRegister(lens.Library{
		Namespace: "trainer",
		Version:   "1.4.0",
		Groups:    []*lens.Group{Step, Microbatch, Checkpoint},
		Presets:   Presets,
	})
}

// Train takes a step.
func Train(ctx context.Context) {
	ctx, span := Step.Start(ctx, "train.step")
	defer span.End()
	for range 2 {
		_, part := Microbatch.Start(ctx, "train.microbatch")
		part.End()
	}
	for name := range maps.Keys(Presets) {
		_ = name
	}
}
