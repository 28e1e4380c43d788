package train

import (
	"context"
	"fmt"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/examples/trainer/train/telemetry"
)

// Example is an input, and how much more (or less, below zero) probable an action should become for it.
type Example struct {
	Input  []float64
	Action int
	Weight float64
}

// Trainer is one worker of a training. All workers have the same model after every step.
type Trainer struct {
	Model      *Model
	Comm       *Comm
	Rate       float64 // how far a step goes
	Microbatch int     // how many examples a pass has
}

// Step calls do in a span of step i. On all workers that is in the trace of rank 0, which is a new one for each step; the trace
// that the context holds, such as that of a launcher, is linked.
func (t *Trainer) Step(ctx context.Context, i int, do func(context.Context) error) (err error) {
	if t.Comm.Rank == 0 {
		var span lens.Span
		ctx, span = telemetry.Step.StartWith(ctx, "trainer.step", lens.StartConfig{Root: true, Links: []lens.Ref{lens.RefFrom(ctx)}})
		defer span.EndErr(&err)
		span.Int("step", i).Int("workers", t.Comm.Size())
	}
	if ctx, err = carrier.Broadcast(ctx, t.Comm, t.Comm.Rank, 0); err != nil {
		return fmt.Errorf("cannot begin step %d: %w", i, err)
	}
	if t.Comm.Rank > 0 {
		var span lens.Span
		ctx, span = telemetry.Step.Start(ctx, "trainer.step")
		defer span.EndErr(&err)
		span.Int("step", i)
	}
	return do(ctx)
}

// Update changes the model by the examples of all workers.
func (t *Trainer) Update(ctx context.Context, examples []Example) error {
	clear(t.Model.grad)
	for from := 0; from < len(examples); from += t.Microbatch {
		t.pass(ctx, examples[from:min(from+t.Microbatch, len(examples))])
	}
	if err := t.Comm.Sum(ctx, t.Model.grad); err != nil {
		return err
	}
	for i, g := range t.Model.grad {
		t.Model.Weights[i] -= t.Rate * g / float64(len(examples)*t.Comm.Size())
	}
	return nil
}

func (t *Trainer) pass(ctx context.Context, examples []Example) {
	ctx, span := telemetry.Microbatch.Start(ctx, "trainer.microbatch")
	defer span.End()
	span.Int("examples", len(examples))
	inputs := make([][]float64, len(examples))
	for i, e := range examples {
		inputs[i] = e.Input
	}
	slopes := t.Model.Probabilities(ctx, inputs)
	for i, e := range examples {
		slopes[i][e.Action]--
		for a := range slopes[i] {
			slopes[i][a] *= e.Weight
		}
	}
	t.Model.backward(ctx, slopes)
}

// Evaluate gives the model's loss: how probable, on average, it is to choose something else than the examples' actions.
func Evaluate(ctx context.Context, m *Model, examples []Example) float64 {
	ctx, span := telemetry.Evaluate.Start(ctx, "trainer.evaluate")
	defer span.End()
	inputs := make([][]float64, len(examples))
	for i, e := range examples {
		inputs[i] = e.Input
	}
	loss := 1.0
	for i, p := range m.Probabilities(ctx, inputs) {
		loss -= p[examples[i].Action] / float64(len(examples))
	}
	span.Float("loss", loss).Int("examples", len(examples))
	return loss
}
