package semconv

// Names of the run, and marks that Lens itself writes.
const (
	NemoRunID  = "nemo.run.id"
	NemoUserID = "nemo.user.id"

	WandbEntity  = "wandb.entity"
	WandbProject = "wandb.project"

	// SpanTruncated is both an attribute (true) and an event of a span that was still open at shutdown.
	SpanTruncated       = "nemo.span.truncated"
	SpanTruncatedReason = "nemo.span.truncated.reason"

	// InvertedSkew and what follows mark a span that ended before it began, by the clocks of those who timed it, and whose end was
	// put at its start.
	InvertedSkew  = "inverted.skew"                // true
	InvertedStart = "inverted.start_epoch_seconds" // text, as it was given
	InvertedEnd   = "inverted.end_epoch_seconds"   // text, as it was given
	InvertedDelta = "inverted.delta_seconds"       // decimal text: how long before

	// LensGroup names the span group: an attribute of the instrumentation scope, and of each span on request.
	LensGroup = "lens.group"

	// LensBridge is true on the instrumentation scope of a package that speaks OpenTelemetry and whose spans lens gates: its
	// name is the package's, and lens.group the group's.
	LensBridge = "lens.bridge"

	// LensCanceled says on spans of HTTP and RPC that the caller did not wait for the end: CanceledByCaller or
	// CanceledByDeadline.
	LensCanceled = "lens.canceled"

	// ScopeLens is the instrumentation scope of spans that belong to no registered library.
	ScopeLens = "github.com/lensgo/lens"
)

// Values of [LensCanceled].
const (
	CanceledByCaller   = "canceled"
	CanceledByDeadline = "deadline_exceeded"
)
