// Package semconv holds every attribute, span and event name that Lens and Gym write, once.
//
// The names are untyped string constants and the package imports nothing, so every room may use it, and so may a
// program that is built without OpenTelemetry. A name that is written to a span and does not stand here is a mistake.
//
// Constants are grouped by topic, one file a topic: [gym.go] the rollout system, [metrics.go] all metrics and what stands on
// them only, [http.go] and [rpc.go] the HTTP and gRPC edges, [nemo.go] the run and what Lens itself marks, [resource.go] where
// a process runs, [otel.go] names of the OpenTelemetry conventions that we write ourselves.
package semconv
