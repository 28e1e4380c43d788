// Package export holds what carries ended spans out of the process: a batch processor, an exporter that prints, and OTLP
// over HTTP.
//
// Programs get all of it through telemetry.Setup. It can be used with a provider of one's own, too:
//
//	e, err := export.NewOTLP(ctx, export.OTLPConfig{})
//	...
//	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(export.NewBatch(e, export.BatchConfig{})))
//
// # Guarantees
//
// [Batch] never makes the program wait, and never holds more spans than its queue has room for: what does not fit is
// dropped, counted and warned about once. ForceFlush and Shutdown return when their context ends. The one goroutine of a
// Batch belongs to it and is gone after Shutdown. [Console] writes whole lines.
package export
