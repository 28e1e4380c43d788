package semconv

// Spans of sandboxes, opened by whoever holds one; each is one operation of its provider.
const (
	SpanGymSandboxStart = "gym.sandbox.start"
	SpanGymSandboxExec  = "gym.sandbox.exec"
	SpanGymSandboxStop  = "gym.sandbox.stop"
)

// Attributes of these spans, beside GymSandboxProvider. Commands, file names and environments are never recorded.
const (
	GymSandboxID         = "nemo.gym.sandbox.id"          // string, the provider's
	GymSandboxReturnCode = "nemo.gym.sandbox.return_code" // int, of an exec
)
