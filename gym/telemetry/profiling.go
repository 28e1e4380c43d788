package telemetry

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lensgo/lens/telemetry"
)

const (
	envProfiling         = Prefix + "_MEMORY_PROFILING_ENABLED"
	envProfilingInterval = Prefix + "_MEMORY_PROFILING_INTERVAL_SECONDS"

	defaultProfilingInterval = time.Second
)

// Profiling says whether the memory of the servers is to be sampled, and how often: 0 is never. It reads the environment of
// this process, into which [Settings.Export] has written telemetry.memory_profiling. A value that cannot be read is never, and an error.
func Profiling() (interval time.Duration, err error) { return profiling(OS) }

func profiling(env Environ) (time.Duration, error) {
	text := value(env, envProfiling)
	if text == "" {
		return 0, nil
	}
	on, ok := telemetry.ParseBool(text)
	if !ok {
		return 0, fmt.Errorf("cannot read %s: %q is not a boolean; use 1, true, yes, on or 0, false, no, off", envProfiling, text)
	}
	if !on {
		return 0, nil
	}
	if text = value(env, envProfilingInterval); text == "" {
		return defaultProfilingInterval, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	interval := time.Duration(seconds * float64(time.Second))
	if err != nil || !(seconds > 0) || seconds > 1e9 || interval <= 0 {
		return 0, fmt.Errorf("cannot read %s: %q is not a number of seconds above 0, as in 1.0", envProfilingInterval, text)
	}
	return interval, nil
}
