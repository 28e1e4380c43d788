// Package otlp sends encoded requests to a collector: where and how the environment says, over HTTP, or over gRPC when a
// program links it. A request is the protobuf message that OTLP defines for its signal.
//
// The variables are those of the OpenTelemetry specification, https://opentelemetry.io/docs/specs/otel/protocol/exporter;
// which answers are worth another try is in https://opentelemetry.io/docs/specs/otlp/.
package otlp
