// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Names of the run. Resource attributes.
const (
	// NemoRunID: string, development. The run that a process is part of.
	NemoRunID = "nemo.run.id"

	// NemoUserID: string, development. Whose run it is.
	NemoUserID = "nemo.user.id"

	// WandbEntity: string, development. The entity of Weights & Biases that the run belongs to.
	WandbEntity = "wandb.entity"

	// WandbProject: string, development. Its project.
	WandbProject = "wandb.project"
)

// Attributes that any span may have.
const (
	// SpanTruncated: boolean, development. The span was still open at shutdown, or its program was gone; it is an event of
	// the span, too.
	SpanTruncated = "nemo.span.truncated"

	// InvertedSkew: boolean, development. The span ended before it began, by the clocks of those who timed it, and its end
	// was put at its start.
	InvertedSkew = "inverted.skew"

	// InvertedStart: string, development. The start of such a span as it was given, in seconds since 1970.
	InvertedStart = "inverted.start_epoch_seconds"

	// InvertedEnd: string, development. The end of such a span as it was given, in seconds since 1970.
	InvertedEnd = "inverted.end_epoch_seconds"

	// InvertedDelta: string, development. How many seconds before its start such a span ended.
	InvertedDelta = "inverted.delta_seconds"

	// LensGroup: string, development. The span group; on the instrumentation scope, and on each span on request.
	LensGroup = "lens.group"

	// LensCanceled: string, development. On spans of HTTP and RPC: the caller did not wait for the end.
	LensCanceled = "lens.canceled"
)

// Values of the attributes above.
const (
	// CanceledByCaller is a value of lens.canceled. The caller gave up.
	CanceledByCaller = "canceled"

	// CanceledByDeadline is a value of lens.canceled. The caller's deadline passed.
	CanceledByDeadline = "deadline_exceeded"
)

// Attributes of events and scopes.
const (
	// SpanTruncatedReason: string, development. Why the span was ended.
	SpanTruncatedReason = "nemo.span.truncated.reason"

	// LensBridge: boolean, development. On an instrumentation scope: it is that of a package that speaks OpenTelemetry and
	// whose spans lens gates. The scope's name is the package's then, and lens.group the group's.
	LensBridge = "lens.bridge"
)

// Spans that Lens itself writes.
const (
	// SpanDoctor: internal span, development. The probe that lens doctor sends.
	SpanDoctor = "lens.doctor"
)

// Instrumentation scopes. Spans and metrics of a library are in a scope with the library's namespace.
const (
	// ScopeLens: scope, stable. Spans that belong to no registered library, metrics of Lens and of the process, log
	// records.
	ScopeLens = "github.com/lensgo/lens"
)
