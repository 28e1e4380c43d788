package metrics_test

import (
	"context"
	"time"

	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// everything records each of Gym's metrics once.
func everything(ctx context.Context) {
	g := metrics.Gym
	g.RolloutRan(ctx, 1500*time.Millisecond)
	g.RolloutEnded(ctx, semconv.OutcomeScored, "ignored", "ignored")
	g.Verified(ctx, 2*time.Millisecond, true)
	g.ServersActive(ctx, 3)
	g.ServerStarted(ctx, "policy_model", "responses_api_models", time.Second)
	g.ServerStage(ctx, "policy_model", "responses_api_models", "load_config", time.Millisecond)
	g.ServerRequested(ctx, time.Millisecond)
	g.RequestsInFlight(ctx, "policy_model", 1)
	g.Request(ctx, "POST", "/verify", 200, time.Millisecond)
	g.ServerMemory(ctx, metrics.ServerMemory{Server: "policy_model", Type: "responses_api_models", PID: 7, Processes: 2,
		RSS: 10, PeakRSS: 20, PSS: -1, PeakPSS: -1})
	g.HostMemory(ctx, metrics.HostMemory{Used: 6, Available: 4, Total: 10, PeakUsed: 8})
	g.SandboxesHeld(ctx, "local", 1)
	g.SandboxStarted(ctx, "local", time.Second)
	g.SandboxExecuted(ctx, "local", time.Second)
	g.SandboxRetried(ctx, "local")
	g.PoolQueued(ctx, "policy_model", false, time.Millisecond)
	g.PoolConnected(ctx, "")
	g.ModelCalled(ctx, metrics.ModelCall{Server: "policy_model", Dialect: semconv.DialectChat, Outcome: semconv.ModelCallOK,
		Took: time.Second, FirstToken: 60 * time.Millisecond, Tokens: true, Input: 1200, Output: 300, Reasoning: 200, Finish: "stop"})
	var d metrics.GymDriver
	d.Offered(4)
	d.Resident(2)
	d.Active(1)
	d.Admitted(time.Second)
	d.Limit(8)
}

// inference records each metric of an inference server once.
func inference(ctx context.Context) {
	metrics.Inference.Served(ctx, "nvidia/Llama-3.1 8B", time.Second)
	metrics.Inference.Used(ctx, "nvidia/Llama-3.1 8B", 12, 3)
	metrics.Inference.Used(ctx, "", -1, 5)
}

// own is a group with a metric of each kind.
func own(name string) metrics.Group {
	observe := func(_ context.Context, observe metrics.Observe) { observe(7, metrics.Str("queue", "a")) }
	return metrics.Group{Name: name, Version: "1.2", Metrics: []metrics.Metric{
		{Key: "loss", Name: name + ".loss", Description: "Loss of a step."},
		{Key: "step", Name: name + ".step_ms", Kind: metrics.Histogram, Unit: "ms", Bounds: []float64{1, 10}},
		{Key: "tokens", Name: name + ".tokens", Kind: metrics.Counter, Unit: "{token}"},
		{Key: "active", Name: name + ".active", Kind: metrics.UpDownCounter},
		{Key: "depth", Name: name + ".depth", Kind: metrics.ObservableGauge, Callback: observe},
		{Key: "read", Name: name + ".read", Kind: metrics.ObservableCounter, Unit: "By", Callback: observe},
		{Key: "held", Name: name + ".held", Kind: metrics.ObservableUpDownCounter, Callback: observe},
	}}
}
