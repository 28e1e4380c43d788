//go:build !lens_off

package telemetry_test

import (
	"testing"

	"github.com/lensgo/lens/telemetry"
)

// TestRuntime_host: the metrics of the host come with those of the runtime.
func TestRuntime_host(t *testing.T) {
	c := newCollector(t)
	shutdown(t, start(t, config(), telemetry.WithRuntimeMetrics()))
	for _, name := range []string{"system.memory.usage", "system.memory.limit", "system.memory.linux.available", "system.cpu.time",
		"system.cpu.logical.count", "system.cpu.load_average.1m", "system.cpu.load_average.5m", "system.cpu.load_average.15m"} {
		if c.metrics[name] == nil {
			t.Errorf("%s is not there", name)
		}
	}
	if p := c.metrics["system.cpu.logical.count"].GetSum().GetDataPoints(); len(p) != 1 || p[0].GetAsInt() < 1 {
		t.Errorf("system.cpu.logical.count: %v", p)
	}
}
