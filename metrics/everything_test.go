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
