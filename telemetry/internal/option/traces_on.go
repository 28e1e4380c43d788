//go:build !lens_off

package option

import (
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Traces is what options say about the pipeline of spans.
type Traces struct {
	Exporter   sdktrace.SpanExporter // nil: the one that the configuration names
	Processors []sdktrace.SpanProcessor
	Sampler    sdktrace.Sampler // nil: OTEL_TRACES_SAMPLER
	Attributes []attribute.KeyValue
}
