// Package otlpgrpc brings OTLP over gRPC into a program that imports it for its side effect:
//
//	import _ "github.com/lensgo/lens/telemetry/export/otlpgrpc"
//
// OTEL_EXPORTER_OTLP_PROTOCOL=grpc works then, for all signals, and an endpoint with port 4317 means gRPC when no protocol is
// set. Without the import the first is an error of the set-up that names it. It is apart because gRPC is large.
//
// The endpoint is a URL, http://host:4317 without TLS or https://host:4317 with it; a bare host:port needs
// OTEL_EXPORTER_OTLP_INSECURE to say which. Headers become metadata.
package otlpgrpc
