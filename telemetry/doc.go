// Package telemetry turns telemetry on in a program: from settings to providers to one [Handle] that flushes everything at
// the end.
//
// A library that is instrumented with package lens records nothing until the program says so. This package is how it says
// so, at the beginning of main:
//
//	c, err := telemetry.FromEnv("NEMO_LENS")
//	if err != nil {
//		log.Print(err) // names the variable; c is off then
//	}
//	h, err := telemetry.Setup(ctx, c)
//	if err != nil {
//		log.Print(err) // nothing was set up; h is nil or does nothing, and everything on it is a no-op
//	}
//	defer func() {
//		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
//		defer cancel()
//		if err := h.Shutdown(ctx); err != nil {
//			log.Print(err) // the last spans did not arrive
//		}
//	}()
//
// and then, from outside, with a collector on this host, or with none:
//
//	NEMO_LENS_ENABLED=1 NEMO_LENS_SPAN_GROUPS=default ./program
//	NEMO_LENS_ENABLED=1 NEMO_LENS_EXPORTER=console ./program
//
// Instrumentations written against OpenTelemetry itself (otelhttp and its like) join the same traces.
//
// # What it reads
//
// [FromEnv] says which variables make a [Config]. Beside them the standard ones count: OTEL_EXPORTER_OTLP_* for where and how
// spans leave, OTEL_BSP_* for the batch processor, OTEL_TRACES_SAMPLER, OTEL_PROPAGATORS, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_SDK_DISABLED, and DEPLOYMENT_ENV, else ENVIRONMENT, for deployment.environment.
//
// # Guarantees
//
// Telemetry never breaks, blocks or slows the program that it watches. Ending a span takes no lock and never waits; a queue
// that is full drops, counts and warns once. A collector that is down costs the spans and one warning; what the last export
// of Shutdown loses is in its error. A wrong span group is a warning; wrong settings are errors of FromEnv and [Setup],
// which a program may log and go on from, since what comes with them is off. Shutdown ends when its context ends.
//
// Everything is safe for concurrent use. No exported name of this package mentions an OpenTelemetry type: options that take
// them are in package otelopt.
package telemetry
