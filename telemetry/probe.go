package telemetry

import (
	"context"
	"time"
)

// Outcome is what became of one span, data point or log record.
type Outcome struct {
	Err      error         // why it was not taken
	Took     time.Duration // until that was known
	TraceID  string        // of the span
	Rejected int64         // 1: the request was taken and the item was not (partial success)
	Message  string        // why, or a warning beside a success
	Reply    *Reply        // the answer as it came; nil when there was none, or a success over gRPC
}

// Reply is the answer of a collector, or of who stands before it, with nothing in it that is secret by the settings.
type Reply struct {
	Status    int       // of HTTP; 0 over gRPC
	Code      string    // of gRPC, such as Unauthenticated; empty over HTTP
	Media     string    // the media type of the text
	Server    string    // who says that it answers
	Location  string    // of a redirect
	Challenge string    // which credentials it asks for, such as Bearer
	Date      time.Time // by its clock; zero when it does not say
	Text      string    // at most a kilobyte
}

// Probe sends one span, data point or log record to where its signal goes, under the resource of the explanation: once, through the
// exporter that [Setup] would take, and past the spool. It is for signals that go by OTLP. It returns when ctx ends.
func (x *Explanation) Probe(ctx context.Context, signal string) Outcome { return x.probe(ctx, signal) }
