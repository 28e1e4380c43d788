// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Spans of sandboxes, opened by whoever holds one; each is one operation of its provider.
const (
	// SpanGymSandboxStart: internal span, development. Creating a sandbox.
	SpanGymSandboxStart = "gym.sandbox.start"

	// SpanGymSandboxExec: internal span, development. A command in a sandbox.
	SpanGymSandboxExec = "gym.sandbox.exec"

	// SpanGymSandboxStop: internal span, development. Deleting a sandbox.
	SpanGymSandboxStop = "gym.sandbox.stop"
)

// Attributes of these spans. Commands, file names and environments are never recorded.
const (
	// GymSandboxProvider: string, development. Which provider it is, also in metrics.
	GymSandboxProvider = "nemo.gym.sandbox.provider"

	// GymSandboxID: string, development. The provider's id of the sandbox.
	GymSandboxID = "nemo.gym.sandbox.id"

	// GymSandboxReturnCode: int, development. How a command ended.
	GymSandboxReturnCode = "nemo.gym.sandbox.return_code"
)
