package metrics

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

var (
	sandboxActive  = of(kindUpDown, semconv.MetricSandboxActive, "{sandbox}", "Sandboxes that this process holds.")
	sandboxStartup = milliseconds(semconv.MetricSandboxStartup, "How long it took to create a sandbox.", sandboxBounds)
	sandboxExec    = milliseconds(semconv.MetricSandboxExec, "How long a command in a sandbox took.", sandboxBounds)
	sandboxRetries = of(kindCounter, semconv.MetricSandboxCreateRetry, "", "How often a provider tried again to create a sandbox.")
)

// SandboxesHeld adds n to the sandboxes of a provider: 1 when there is a handle, -1 when it is released.
func (GymMetrics) SandboxesHeld(ctx context.Context, provider string, n int) {
	sandboxActive.int(ctx, int64(n), labels{text(semconv.GymSandboxProvider, provider)})
}

// SandboxStarted records how long it took to create a sandbox.
func (GymMetrics) SandboxStarted(ctx context.Context, provider string, took time.Duration) {
	sandboxStartup.float(ctx, ms(took), labels{text(semconv.GymSandboxProvider, provider)})
}

// SandboxExecuted records how long a command in a sandbox took.
func (GymMetrics) SandboxExecuted(ctx context.Context, provider string, took time.Duration) {
	sandboxExec.float(ctx, ms(took), labels{text(semconv.GymSandboxProvider, provider)})
}

// SandboxRetried counts that a provider tries once more to create a sandbox.
func (GymMetrics) SandboxRetried(ctx context.Context, provider string) {
	sandboxRetries.int(ctx, 1, labels{text(semconv.GymSandboxProvider, provider)})
}
