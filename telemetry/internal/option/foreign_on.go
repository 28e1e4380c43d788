//go:build !lens_off

package option

import (
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/internal/scrape"
)

// Foreign is what options say in OpenTelemetry's types.
type Foreign struct {
	Exporter   sdktrace.SpanExporter // nil: the one that the configuration names
	Processors []sdktrace.SpanProcessor
	Sampler    sdktrace.Sampler // nil: OTEL_TRACES_SAMPLER
	Reader     sdkmetric.Reader // nil: a periodic one, before the exporter that the configuration names
	Views      []sdkmetric.View
	Scrape     scrape.Maker // nil: the linked one, when the configuration asks for it
	Attributes []attribute.KeyValue
}
