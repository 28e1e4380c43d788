//go:build lens_off

package telemetry

import (
	"errors"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// TestOffSetup: a run that asks for telemetry in vain hears it from Setup, and goes on.
func TestOffSetup(t *testing.T) {
	t.Setenv("NEMO_GYM_OTEL_ENABLED", "1")
	t.Setenv("NEMO_GYM_OTEL_CONTENT", "1")
	h, err := Setup(t.Context(), Supervisor())
	if !errors.Is(err, telemetry.ErrCompiledOut) || h == nil || h.Exporting() {
		t.Fatalf("%+v, %v", h, err)
	}
	contains(t, err.Error(), "telemetry is off", "lens_off")
	if !Enabled() || Content() != 0 || Rollout.Enabled() {
		t.Errorf("asked for: %v, content %d, rollout %v", Enabled(), Content(), Rollout.Enabled())
	}
	enabled, pending := lens.Resolve("default,sandbox")
	if len(enabled) != 0 || len(pending) != 2 {
		t.Errorf("%q, pending %q", enabled, pending)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
