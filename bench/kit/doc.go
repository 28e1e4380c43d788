// The program kit measures what a span group costs around packages of others that are instrumented with OpenTelemetry:
// otelhttp, otelgrpc and otelsql, each with the tracer provider of a group beside the stock one.
//
//	GOWORK=off go run ./kit
//
// While the group is off, the counterpart is OpenTelemetry's no-op provider; while it is on, the SDK. Both are in the
// same rounds, inside a span that records, and the spans go nowhere. What is compared is CPU time. One operation is an HTTP request
// to a transport that answers at once, the events of one RPC as gRPC reports them, one query of a database that answers at
// once.
//
// The tests of this package show that these packages work behind a group: off, on, and switched in between.
package main
