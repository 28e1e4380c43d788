// Package ingest receives OpenTelemetry data from any program in any language and reads it back from files.
//
// A [Receiver] is the least that a run needs to keep its traces: it answers OTLP over HTTP in protobuf and appends what
// arrives to a file in the OTLP JSON file format, one ExportTraceServiceRequest a line, which every OpenTelemetry
// Collector reads (otlpjsonfile) and [ReadFile] reads back.
//
//	ln, err := net.Listen("tcp", "127.0.0.1:0")
//	r, err := ingest.Start(ctx, ln, ingest.Config{Path: "traces.jsonl"})
//	// OTEL_EXPORTER_OTLP_ENDPOINT = r.Endpoint(), OTEL_EXPORTER_OTLP_PROTOCOL = http/protobuf
//	err = r.Shutdown(ctx)
//	err = ingest.ReadFile("traces.jsonl", func(td ptrace.Traces) error { ... })
//
// # Guarantees
//
// A request is acknowledged after its line was written: a 200 means that the operating system has the data, and
// [Receiver.Shutdown] syncs the file before it returns. Lines are whole: when a write fails half way, the half is taken
// back, the sender is told to try again (503), and the failure is counted.
//
// Memory is bounded by [Config]: the size of a body as it comes, its size after decompression, what its messages would take
// when they are decoded, and how many bodies are held and worked on at a time; the rest wait in their connections. A gzip
// bomb is refused at the limit, before it is unpacked further, and so is a body of millions of empty spans. A sender that
// stalls holds up nobody else. Metrics and logs are answered with 200 and counted, so that a program that sends all three signals does not
// fill its log; they are not kept yet.
package ingest
