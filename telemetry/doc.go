// Package telemetry turns telemetry on in a program: from settings to providers to one [Handle] that flushes everything at
// the end.
//
// A library that is instrumented with package lens records nothing until the program says so. This package is how it says
// so, in two lines of main:
//
//	c, err := telemetry.FromEnv("NEMO_LENS")
//	...
//	h, err := telemetry.Setup(ctx, c)
//	...
//	defer func() {
//		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
//		defer cancel()
//		h.Shutdown(ctx)
//	}()
//
// and then, from outside:
//
//	NEMO_LENS_ENABLED=1 NEMO_LENS_SPAN_GROUPS=default OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 ./program
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
// that is full drops, counts and warns once. A collector that is down costs one warning. A wrong span group is a warning;
// wrong settings are errors of FromEnv and [Setup], which a program may log and go on from, since what comes with them is
// off. Shutdown ends when its context ends.
//
// Everything is safe for concurrent use. No exported name of this package mentions an OpenTelemetry type: options that take
// them are in package otelopt.
package telemetry
