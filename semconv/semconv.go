// Package semconv holds every attribute, span, event and metric name that Lens and Gym write, once.
//
// The names are untyped string constants and the package imports nothing, so every room may use it, and so may a
// program that is built without OpenTelemetry. A name that is written and does not stand here is a mistake, which a test finds.
//
// The constants are made from the table conventions.yaml, and so is docs/semantic-conventions.md:
//
//	go generate ./semconv
//
// They are grouped by topic, one file a topic: [gym.go] the rollout system, [genai.go] what is said to models and tools,
// [sandbox.go] sandboxes, [metrics.go] and [training.go] all metrics and what stands on them only, [http.go] and [rpc.go] the HTTP and
// gRPC edges, [nemo.go] the run and what Lens itself marks, [resource.go] where a process runs, [otel.go] names of the OpenTelemetry
// conventions that we write ourselves.
package semconv

//go:generate go run ../cmd/internal/conventions/generate
