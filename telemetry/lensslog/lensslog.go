// Package lensslog writes on each log record which span it belongs to, so that a reader of logs finds the trace, and a
// reader of traces the logs.
//
//	slog.SetDefault(slog.New(lensslog.NewHandler(slog.NewJSONHandler(os.Stderr, nil))))
//	...
//	slog.InfoContext(ctx, "checkpoint written", "step", 120)
//	// {"time":...,"level":"INFO","msg":"checkpoint written","step":120,
//	//  "trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331","trace_flags":"01"}
//
// The handler goes around any other and adds three attributes, named and written as OpenTelemetry's specification has it
// for logs that are not sent as OTLP: [TraceID], [SpanID] and [TraceFlags], in lower-case hexadecimal.
//
// # Which span
//
// The current one of the context that the record is logged with: the nearest that records or was refused by the sampler
// (trace_flags 00 then), whoever started it, else the remote parent. A span group that is off has no span, so its records
// are those of the span above. Records that are logged without a context have none: use slog.InfoContext and its kin.
//
// # Guarantees
//
//   - The attributes stand at the top, also in a logger with open groups, and behind the others.
//   - Without a span a record goes to the wrapped handler as it is; looking for the span is all that it costs, and
//     allocates nothing.
//   - Levels, and everything else, are the wrapped handler's. Values are not redacted: what a program logs is its own affair.
//   - The handler is safe for concurrent use where the wrapped one is. Wrapping twice adds the attributes once.
//
// A handler of [NewHandler] sends records nowhere; one of [NewExporter] also hands them to the exporter of logs, where the set-up
// of telemetry has one. In a build with lens_off both give back what they were given.
package lensslog

// The keys of the attributes.
const (
	TraceID    = "trace_id"
	SpanID     = "span_id"
	TraceFlags = "trace_flags"
)
