// The program edges measures what lenshttp and lensgrpc cost beside otelhttp and otelgrpc, and beside the same work without
// either.
//
//	GOWORK=off go run ./edges
//
// All are in the same rounds, and what is compared is CPU time. While a group is off, the counterpart has OpenTelemetry's no-op
// provider; while it is on, both record with the SDK, and the spans go nowhere. Both read and write trace context and
// baggage. One operation is
//
//   - http server: a request with a traceparent, to a handler that answers 200 into a writer that keeps nothing
//   - http client: a request inside a span, to a transport that answers at once
//   - grpc unary: a call inside a span over a connection in memory, with both sides
//   - grpc stream: the same with a stream of ten messages each way
//
// "Added" is what one adds to the bare work, by what the other adds.
package main
