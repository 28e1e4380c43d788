// Package otelopt holds the options of telemetry.Setup that name OpenTelemetry types.
//
// Package telemetry itself mentions none, so a program that only reads its environment learns one small vocabulary. A
// program that brings its own exporter, processor, sampler, views of metrics or resource attributes takes them from here:
//
//	h, err := telemetry.Setup(ctx, c,
//		otelopt.WithSpanExporter(myExporter),
//		otelopt.WithResourceAttributes(attribute.Int("nv.dl.rank", rank)))
//
// All options may be used together. A nil argument leaves the default. In a build with the tag lens_off they do nothing:
// what a caller hands over is neither used nor shut down.
package otelopt

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry"
)

// WithSpanExporter sends spans to e instead of to what the configuration names, whose exporter and protocol are then not
// looked at. Spans still pass through the batch processor, and the handle shuts e down. The last use wins.
//
// With an exporter of one's own the configuration's is not made for metrics either: they need [WithMetricReader].
func WithSpanExporter(e sdktrace.SpanExporter) telemetry.Option {
	return withSpanExporter(e)
}

// WithSpanProcessor adds p to the chain, before the batch processor, in the order of use. The handle flushes it and shuts
// it down. A processor that blocks in OnEnd blocks the program; the ones of this repository do not.
func WithSpanProcessor(p sdktrace.SpanProcessor) telemetry.Option {
	return withSpanProcessor(p)
}

// WithSampler decides with m which spans are recorded. Default: what OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG
// say, else every span whose parent is recorded and every root. The last use wins.
func WithSampler(m sdktrace.Sampler) telemetry.Option {
	return withSampler(m)
}

// WithMetricReader collects metrics with r instead of exporting them to what the configuration names, or letting Prometheus fetch
// them. The handle flushes it and shuts it down. The last use wins.
func WithMetricReader(r sdkmetric.Reader) telemetry.Option {
	return withMetricReader(r)
}

// WithMetricViews changes what instruments record before it leaves, to wherever it does: the buckets of a histogram, attributes that
// are dropped or a metric as a whole, a name. A metric that no view matches stays as it is. They do not see what is collected without
// an instrument: the metrics of telemetry.WithRuntimeMetrics and what telemetry says of itself. Repeated use adds up; when two
// match, the metric leaves twice, as OpenTelemetry has it.
func WithMetricViews(views ...sdkmetric.View) telemetry.Option {
	return withMetricViews(slices.Clone(views))
}

// WithResourceAttributes puts attrs on the resource: above what the configuration and OTEL_RESOURCE_ATTRIBUTES say, below
// what is found out about host and process. Repeated use adds up; of two equal keys the later one wins.
func WithResourceAttributes(attrs ...attribute.KeyValue) telemetry.Option {
	return withResourceAttributes(slices.Clone(attrs))
}
