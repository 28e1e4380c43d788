// Package telemetry declares what the trainer can tell about itself.
package telemetry

import "github.com/lensgo/lens"

var (
	// Step is one step of the training, on every worker: trainer.step. That of rank 0 is the root of the step's trace.
	Step = lens.NewGroup("step")

	// Microbatch is one pass forward and backward over a part of the batch: trainer.microbatch.
	Microbatch = lens.NewGroup("microbatch")

	// Layer is one layer in one pass: trainer.layer. There are too many for a preset.
	Layer = lens.NewGroup("layer")

	// Communication is one collective over all workers: trainer.all_reduce.
	Communication = lens.NewGroup("communication")

	// Checkpoint is the writing and reading of the model's file: trainer.checkpoint.save and trainer.checkpoint.load.
	Checkpoint = lens.NewGroup("checkpoint")

	// Evaluate is the measuring of the model: trainer.evaluate.
	Evaluate = lens.NewGroup("evaluate")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "trainer",
		Groups:    []*lens.Group{Step, Microbatch, Layer, Communication, Checkpoint, Evaluate},
		Presets: lens.Presets{
			"default":  {"checkpoint", "evaluate"},
			"per_step": {"step", "microbatch", "communication", "checkpoint", "evaluate"},
		},
	})
}
