// Package resource answers one question: where is this program running?
//
// A trace that arrives in a backend is useful only with the answer beside it: which host, which process, which build of
// Go. The package asks the machine and returns plain OpenTelemetry attributes; it sets nothing, starts nothing and keeps
// nothing. Package telemetry of this repository puts the answer on everything that it exports; a program that sets
// OpenTelemetry up by itself can use it alone:
//
//	attrs := append(resource.FromEnv(), resource.Detect()...)
//	res := sdkresource.NewSchemaless(attrs...) // go.opentelemetry.io/otel/sdk/resource
//
// # Guarantees
//
// No function fails, blocks on the network or starts a process. What cannot be found out is left out. All functions are
// safe for concurrent use, and read the environment and the host anew at each call.
//
// The attributes carry no schema URL on purpose: two resources with different schema URLs cannot be merged, and a
// newer SDK would then lose the service name.
package resource
