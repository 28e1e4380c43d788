// Package telemetry is what Gym's processes know about their own telemetry: the span groups and presets, the settings and
// how they reach child processes, and the set-up of one process.
//
// # In the process that starts the others
//
// Settings come from the telemetry: block of the configuration and from the environment, and the environment wins. They
// are written into the environment before anything is spawned, because that is the one channel that reaches every child,
// whatever language it is written in:
//
//	settings := telemetry.ParseSettings(graph.Telemetry())
//	if receiver != nil {
//		telemetry.Receive(telemetry.OS, receiver.Endpoint()) // on, and to here, whatever the environment says
//	}
//	decision := settings.Export(telemetry.OS)
//	for _, w := range decision.Warnings { ... }
//	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
//
// # In every server
//
//	handle, err := telemetry.Setup(ctx, telemetry.Identity{Server: in.Name, Type: in.Type})
//	if err != nil { logger.Warn(...) }               // telemetry is off, the server goes on
//	defer handle.Shutdown(flushCtx)
//
// # At a call site
//
//	ctx, span := telemetry.Verify.Start(ctx, semconv.SpanGymVerify)
//	defer span.EndErr(&err)
//
// The groups are registered when the package is imported. A group that is off costs a branch.
//
// # Guarantees
//
// No mistake in a setting keeps a server from starting: telemetry is off then, and an error says why. Everything is safe for
// concurrent use.
package telemetry
