//go:build lens_off

package telemetry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// TestOffSetup: the program hears that it has no telemetry, and goes on with a Handle like any other.
func TestOffSetup(t *testing.T) {
	defer lens.SetSpec("")
	c := config()
	c.RunID = "run-7"
	for range 2 { // there is no first one that a second could meet
		h, err := telemetry.Setup(t.Context(), c, nil, telemetry.WithLogger(quiet), telemetry.WithReinit())
		if !errors.Is(err, telemetry.ErrCompiledOut) {
			t.Fatalf("the error is %v", err)
		}
		contains(t, err.Error(), "cannot set telemetry up", "lens_off")
		if h == nil || h.Exporting() || h.RunID() != "run-7" || h.Stats() != (telemetry.Stats{}) || h.Closed() {
			t.Fatalf("the handle is %+v", h)
		}
		if s := lens.CurrentState(); s.Spec != "all" || len(s.Enabled) != 0 || len(s.Pending) != 1 {
			t.Errorf("the state is %+v", s)
		}
		if telemetry.Current() != nil || job.Enabled() {
			t.Error("something is on")
		}
		borrowed := h.Borrow()
		for _, do := range []func(context.Context) error{borrowed.ForceFlush, borrowed.Shutdown, h.ForceFlush, h.Shutdown, h.Shutdown} {
			if err := do(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if !h.Closed() {
			t.Error("not closed after Shutdown")
		}
	}
}

func TestOffSetupDisabled(t *testing.T) {
	h, err := telemetry.Setup(t.Context(), telemetry.Default())
	if err != nil || h == nil || h.RunID() == "" {
		t.Errorf("%+v, %v", h, err)
	}
	if !lens.CurrentState().Pinned {
		t.Error("the empty set is not pinned")
	}
	t.Setenv("OTEL_SDK_DISABLED", "true")
	if _, err := telemetry.Setup(t.Context(), config(), telemetry.WithLogger(quiet)); err != nil {
		t.Errorf("disabled by the environment: %v", err)
	}
}

func TestOffNilHandle(t *testing.T) {
	var h *telemetry.Handle
	if h.Exporting() || h.RunID() != "" || !h.Closed() || h.Borrow() != nil || h.Stats() != (telemetry.Stats{}) ||
		h.ForceFlush(t.Context()) != nil || h.Shutdown(t.Context()) != nil {
		t.Error("a nil handle does something")
	}
}
