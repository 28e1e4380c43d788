package telemetry

import "strconv"

const (
	envQueue = "OTEL_BSP_MAX_QUEUE_SIZE"
	// queueSize is what the queue of a process holds by default: export.DefaultQueueSize, which a build without telemetry has not.
	queueSize = 32768
	// mostQueue bounds the queue of a process that stands for many, since it has its room from the start.
	mostQueue = 1 << 19
)

// Gather makes room in the queue of a process that stands for several for the spans of all of them, unless env says how much there is to
// be. Call it before [Setup].
func Gather(env Environ, processes int) {
	if value(env, envQueue) == "" {
		_ = env.Setenv(envQueue, strconv.Itoa(min(queueSize*max(processes, 1), mostQueue))) // fails on a bad name only
	}
}
