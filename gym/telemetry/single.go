package telemetry

import "github.com/lensgo/lens/telemetry"

const envSingleTrace = "ENABLE_SINGLE_TRACEID"

// SingleTrace reports whether the environment asks for one trace for the whole job: rollouts are then children of gym.job
// instead of roots of their own. A value that is no boolean asks for nothing; Setup refuses it.
func SingleTrace() bool {
	on, _ := telemetry.ParseBool(value(OS, envSingleTrace))
	return on
}
