// Package driver is a library on top of another one, whose groups it names.
package driver

import (
	"context"

	"github.com/lensgo/lens"
)

// Rollout is one rollout.
var Rollout = lens.NewGroup("rollout")

var step = lens.NewGroup("step") // the trainer has it too

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "driver",
		Groups:    []*lens.Group{Rollout, step},
		Presets: lens.Presets{
			"default":  {"rollout", "step", "inference"}, // of an engine that may be there
			"per_step": {"step"},
			"quiet":    {"inference"},
			"none":     {},
		},
	})
}

// Run runs.
func Run(ctx context.Context) {
	ctx, span := Rollout.Start(ctx, "rollout")
	defer span.End()
	if step.Enabled() {
		_, inner := step.Start(ctx, "driver.step")
		inner.End()
	}
}
