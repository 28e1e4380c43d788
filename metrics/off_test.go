//go:build lens_off

package metrics_test

import (
	"context"
	"testing"
)

// TestOff: every call site compiles without telemetry, and does nothing at no cost.
func TestOff(t *testing.T) {
	ctx := context.Background()
	if n := testing.AllocsPerRun(10, func() { everything(ctx) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
