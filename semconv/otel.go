// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Who exports. Resource attributes.
const (
	// ServiceName: string, stable. The program.
	ServiceName = "service.name"

	// ServiceVersion: string, stable. The version of Lens that is in it.
	ServiceVersion = "service.version"

	// ServiceInstanceID: string, stable. The process, as <run id>-rank<rank> where it has a rank, else a random UUID.
	ServiceInstanceID = "service.instance.id"

	// DeploymentEnvironment: string, development, deprecated. Where it runs, from DEPLOYMENT_ENV or ENVIRONMENT. The
	// Python library has this name. OpenTelemetry calls it deployment.environment.name meanwhile.
	DeploymentEnvironment = "deployment.environment"

	// TelemetrySDKName: string, stable. opentelemetry.
	TelemetrySDKName = "telemetry.sdk.name"

	// TelemetrySDKLanguage: string, stable. go.
	TelemetrySDKLanguage = "telemetry.sdk.language"

	// TelemetrySDKVersion: string, stable. The version of the OpenTelemetry SDK for Go.
	TelemetrySDKVersion = "telemetry.sdk.version"
)

// Host and process. Resource attributes; the number of a process is on spans and metrics that speak of another one,
// too.
const (
	// HostName: string, development. The host.
	HostName = "host.name"

	// HostArch: string, development. The processor.
	HostArch = "host.arch"

	// OSType: string, development. The operating system.
	OSType = "os.type"

	// ProcessPID: int, release candidate. The number of the process.
	ProcessPID = "process.pid"

	// ProcessName: string, release candidate. The file that it runs.
	ProcessName = "process.executable.name"

	// ProcessRuntime: string, release candidate. go.
	ProcessRuntime = "process.runtime.name"

	// RuntimeVersion: string, release candidate. The version of Go.
	RuntimeVersion = "process.runtime.version"
)

// The end of a process.
const (
	// ProcessExitCode: int, release candidate. How it ended; 128 and the number of the signal that killed it, as shells
	// have it.
	ProcessExitCode = "process.exit.code"
)

// What an error or a panic is on a span.
const (
	// ExceptionType: string, stable. The type of the error or of the panic's value.
	ExceptionType = "exception.type"

	// ExceptionMessage: string, stable. Its text.
	ExceptionMessage = "exception.message"

	// ExceptionStacktrace: string, stable. Where it panicked.
	ExceptionStacktrace = "exception.stacktrace"
)

// Events of the OpenTelemetry conventions.
const (
	// EventException: event, stable. An error that was recorded, or a panic.
	EventException = "exception"
)
