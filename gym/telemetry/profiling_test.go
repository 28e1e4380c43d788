package telemetry

import (
	"testing"
	"time"
)

func TestProfiling(t *testing.T) {
	const on, every = "NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED=", "NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS="
	for _, c := range []struct {
		name string
		env  []string
		want time.Duration
		bad  bool
	}{
		{"nothing is said", nil, 0, false},
		{"an interval alone", []string{every + "5"}, 0, false},
		{"on", []string{on + "1"}, time.Second, false},
		{"off", []string{on + "no", every + "5"}, 0, false},
		{"half a second", []string{on + "yes", every + "0.5"}, 500 * time.Millisecond, false},
		{"no boolean", []string{on + "maybe"}, 0, true},
		{"no number", []string{on + "1", every + "often"}, 0, true},
		{"nothing", []string{on + "1", every + "0"}, 0, true},
		{"less", []string{on + "1", every + "-1"}, 0, true},
		{"no number at all", []string{on + "1", every + "NaN"}, 0, true},
		{"too long", []string{on + "1", every + "1e300"}, 0, true},
		{"too short", []string{on + "1", every + "1e-300"}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := profiling(envOf(c.env...))
			if got != c.want || (err != nil) != c.bad {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}
