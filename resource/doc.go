// Package resource answers one question: where is this program running?
//
// A trace that arrives in a backend is useful only with the answer beside it: which host, which process, which GPU, which job of
// Slurm, which pod. The package asks the machine and the environment and returns plain OpenTelemetry attributes. Package
// telemetry of this repository puts the answer on everything that it exports; a program that sets OpenTelemetry up by itself
// can use it alone:
//
//	found, late := resource.Detect(ctx) // give ctx a deadline; late names who missed it
//	attrs := append(resource.FromEnv(), found...)
//	res := sdkresource.NewSchemaless(attrs...) // go.opentelemetry.io/otel/sdk/resource
//
// It also writes the one channel by which identity reaches a child process, the variable OTEL_RESOURCE_ATTRIBUTES: [Format],
// [Extend] and [Check] are about its text, [Environ], [Set] and [Publish] about environments.
//
// # Guarantees
//
// No detector fails, and none blocks on the network: what cannot be found out is left out. [GPUCount] and [GPU] start nvidia-smi,
// bounded by their context and by five seconds, and leave neither a running child nor a zombie; no other function starts a
// process. Detectors are safe for concurrent use and read the environment and the host anew at each call. [Set] and [Publish]
// change the environment of this process; nothing else changes anything.
//
// The attributes carry no schema URL on purpose: two resources with different schema URLs cannot be merged, and a
// newer SDK would then lose the service name.
package resource
