package semconv

// Names of the OpenTelemetry conventions that are written by our own code.
const (
	ServiceName           = "service.name"
	ServiceVersion        = "service.version"
	ServiceInstanceID     = "service.instance.id"
	DeploymentEnvironment = "deployment.environment"

	EventException      = "exception"
	ExceptionType       = "exception.type"
	ExceptionMessage    = "exception.message"
	ExceptionStacktrace = "exception.stacktrace"

	HostName        = "host.name"
	HostArch        = "host.arch"
	OSType          = "os.type"
	ProcessPID      = "process.pid"
	ProcessName     = "process.executable.name"
	ProcessExitCode = "process.exit.code" // 128 and the number of the signal that killed it, as shells have it
	ProcessRuntime  = "process.runtime.name"
	RuntimeVersion  = "process.runtime.version"

	TelemetrySDKName     = "telemetry.sdk.name"
	TelemetrySDKLanguage = "telemetry.sdk.language"
	TelemetrySDKVersion  = "telemetry.sdk.version"
)
