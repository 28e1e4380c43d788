//go:build !lens_off

package lenstest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/metrics"
)

func TestMetrics(t *testing.T) {
	t.Run("records", func(t *testing.T) {
		m := lenstest.Metrics(t)
		ctx := context.Background()
		metrics.Gym.SandboxesHeld(ctx, "local", 2)
		metrics.Gym.SandboxesHeld(ctx, "docker", 1)
		metrics.Gym.SandboxStarted(ctx, "local", 3*time.Millisecond)
		metrics.Gym.SandboxStarted(ctx, "local", 4*time.Millisecond)
		want := []lenstest.Point{{Attributes: "nemo.gym.sandbox.provider=docker", Value: 1}, {Attributes: "nemo.gym.sandbox.provider=local", Value: 2}}
		if got := m.Points("gym.sandbox.active"); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		if p := m.Point("gym.sandbox.startup_duration_ms", "nemo.gym.sandbox.provider=local"); p.Value != 7 || p.Count != 2 {
			t.Errorf("got %v", p)
		}
		if p := m.Point("gym.sandbox.startup_duration_ms", ""); p != (lenstest.Point{}) {
			t.Errorf("got %v for attributes that nobody has", p)
		}
		if got := m.Names(); !slices.Equal(got, []string{"gym.sandbox.active", "gym.sandbox.startup_duration_ms"}) {
			t.Errorf("names %v", got)
		}
	})
	t.Run("observes", func(t *testing.T) {
		metrics.MustRegister(metrics.Group{Name: "observed", Metrics: []metrics.Metric{{Key: "depth", Name: "observed.depth",
			Kind: metrics.ObservableGauge, Callback: func(_ context.Context, observe metrics.Observe) { observe(3) }}}})
		defer func() { _ = metrics.Unregister("observed") }()
		m := lenstest.Metrics(t)
		for tries := 0; m.Point("observed.depth", "").Value != 3; tries++ { // a machine may be slow enough for a callback to be late
			if tries == 100 {
				t.Fatal("the callback is not called")
			}
		}
	})
	t.Run("anew for each test", func(t *testing.T) {
		if m := lenstest.Metrics(t); len(m.Names()) > 0 || m.Points("gym.sandbox.active") != nil {
			t.Errorf("there is %v", m.Names())
		}
	})
}
