//go:build lens_off

package metrics_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lensgo/lens/metrics"
)

// TestOff: every call site compiles without telemetry, and does nothing at no cost.
func TestOff(t *testing.T) {
	ctx := context.Background()
	if n := testing.AllocsPerRun(10, func() {
		everything(ctx)
		inference(ctx)
		metrics.Record(ctx, "nobody", metrics.Values{"loss": 0.3, "step": 12}, metrics.Str("phase", "train"))
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestOffGroups: nothing is registered, so nothing is refused, not even what is wrong or unknown.
func TestOffGroups(t *testing.T) {
	metrics.MustRegister(metrics.Group{})
	for range 2 {
		if err := errors.Join(metrics.Register(metrics.RL()), metrics.Unregister("nobody")); err != nil {
			t.Error(err)
		}
	}
	if got := metrics.Groups(); got == nil || len(got) > 0 {
		t.Errorf("Groups: %v", got)
	}
}
