// Package ingest receives OpenTelemetry data from any program in any language, over the network and from files.
//
// A [Receiver] answers OTLP over HTTP, in protobuf and in JSON, plain and gzip, and over gRPC, for traces, metrics and logs.
// It hands every request in protobuf to a [Sink], which keeps it; or it appends the traces to a file in the OTLP JSON file
// format, one ExportTraceServiceRequest a line, which every OpenTelemetry Collector reads (otlpjsonfile) and [ReadFile]
// reads back; or both.
//
//	ln, err := ingest.Listen("127.0.0.1:4318")
//	lnGRPC, err := ingest.Listen("127.0.0.1:4317")
//	r, err := ingest.Start(ctx, ln, ingest.Config{Sink: store, GRPC: lnGRPC})
//	// OTEL_EXPORTER_OTLP_ENDPOINT = r.Endpoint(), OTEL_EXPORTER_OTLP_PROTOCOL = http/protobuf
//	err = r.Shutdown(ctx)
//
// [Load] feeds a file into the same sink: lines of traces, metrics and logs, plain or compressed with gzip or zstd.
//
// # Guarantees
//
// A request is acknowledged after the sink has returned and its line was written: a 200 means that they have the data, and
// [Receiver.Shutdown] syncs the file before it returns. Lines are whole: when a write fails half way, the half is taken
// back, the sender is told to try again (503, UNAVAILABLE), and the failure is counted.
//
// Memory is bounded by [Config]: the size of a body as it comes, its size after decompression, what its messages would take
// when they are decoded, and how many bodies are held and worked on at a time; the rest wait in their connections. A gzip
// bomb is refused at the limit, before it is unpacked further, and so is a body of millions of empty spans, in either
// encoding. A sender that stalls holds up nobody else.
//
// Requests are refused as the OTLP specification says: 400 (INVALID_ARGUMENT) for what is no request, 413
// (RESOURCE_EXHAUSTED) for what is too large, 415 for other content types and encodings, each with a google.rpc.Status in
// the encoding of the request. What a sink turns down within a request is told as partial success. JSON is taken as
// senders write it where that can mean one thing only: snake_case members, names of enum values, integers as numbers.
//
// Web pages are kept out: a Host header must name this machine, against DNS rebinding, and an Origin header must be one of
// [Config].Origins. gRPC needs no such check, since a page cannot speak it.
//
// # Cost
//
// Traces in protobuf pass through without being decoded: they are counted, which takes a few nanoseconds a span. Metrics
// and logs are decoded once, to see that they can be.
package ingest
