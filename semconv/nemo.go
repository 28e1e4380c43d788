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

	// LensGroup names the span group: an attribute of the instrumentation scope, and of each span on request.
	LensGroup = "lens.group"

	// ScopeLens is the instrumentation scope of spans that belong to no registered library.
	ScopeLens = "github.com/lensgo/lens"
)
