package ingest

import (
	"context"
	"errors"
)

// Sink takes what a [Receiver] or [Load] got, one request a call, always in protobuf: an ExportTraceServiceRequest, an
// ExportMetricsServiceRequest or an ExportLogsServiceRequest, whatever the sender spoke. An acknowledgement goes out when
// the call has returned, so a sink returns when it has kept the request.
//
// Calls come from several goroutines at a time. req is the sink's from then on: nobody else reads or changes it, so the
// sink may keep views into it. Metrics and logs were decoded once to see that they can be; traces are as they came, since
// a sink walks them anyway, and it must be ready for bytes that are no request. Empty requests are answered without a call.
//
// rejected is how many spans, data points or log records of the request were not kept, and why says so in a sentence: the
// sender gets both as OTLP's partial success and does not send them again. why without rejected is a warning. An error
// means that nothing was kept: one that wraps [ErrInvalid] or [ErrTooLarge] blames the request (400, 413), any other asks
// the sender to try again (503).
type Sink interface {
	Traces(ctx context.Context, req []byte) (rejected int, why string, err error)
	Metrics(ctx context.Context, req []byte) (rejected int, why string, err error)
	Logs(ctx context.Context, req []byte) (rejected int, why string, err error)
}

var (
	// ErrInvalid is wrapped by the error of a [Sink] for a request that is malformed and would be the next time too.
	ErrInvalid = errors.New("invalid request")
	// ErrTooLarge is wrapped by the error of a [Sink] for a request that is more than it can take at a time.
	ErrTooLarge = errors.New("request is too large")
)
