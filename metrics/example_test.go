package metrics_test

import (
	"context"
	"time"

	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// A resources server measures its verification. Without telemetry this does nothing.
func Example() {
	verify := func(context.Context) (float64, error) { return 1, nil }

	ctx, began := context.Background(), time.Now()
	_, err := verify(ctx)
	metrics.Gym.Verified(ctx, time.Since(began), err == nil)
}

// A library declares its metrics once, and records those of a step in one call.
func ExampleRecord() {
	metrics.MustRegister(metrics.Group{Name: "mylib", Metrics: []metrics.Metric{
		{Key: "loss", Name: "mylib.loss"},
		{Key: "step", Name: "mylib.step.duration_ms", Kind: metrics.Histogram, Unit: "ms"},
	}})
	metrics.Record(context.Background(), "mylib", metrics.Values{"loss": 0.31, "step": 1204}, metrics.Str("phase", "train"))
}

// What a program has at any time is observed instead: the callback is called when metrics are collected.
func ExampleCallback() {
	queue := make(chan int, 10)
	metrics.MustRegister(metrics.Group{Name: "mylib.queue", Metrics: []metrics.Metric{
		{Key: "depth", Name: "mylib.queue.depth", Kind: metrics.ObservableGauge,
			Callback: func(_ context.Context, observe metrics.Observe) { observe(float64(len(queue))) }},
	}})
}

// A trainer takes the names that NeMo-RL has.
func ExampleRL() {
	ctx := context.Background()
	metrics.MustRegister(metrics.RL())
	metrics.Record(ctx, "rl", metrics.Values{"reward_mean": 0.85, "kl_divergence": 0.02})
	metrics.Record(ctx, "rl", metrics.Values{"setup_duration": 41}, metrics.Str(semconv.RLSetupPhase, "policy_init"))
}

// Another one has some of its own.
func ExampleTraining() {
	group := metrics.Training()
	group.Metrics = append(group.Metrics, metrics.Metric{Key: "samples", Name: "mytrainer.samples", Kind: metrics.Counter})
	metrics.MustRegister(group)
}
