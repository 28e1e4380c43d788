//go:build !lens_off

package otelopt

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/internal/option"
)

func withSpanExporter(e sdktrace.SpanExporter) telemetry.Option {
	return option.Func(func(s *option.Set) { s.Exporter = e })
}

func withSpanProcessor(p sdktrace.SpanProcessor) telemetry.Option {
	return option.Func(func(s *option.Set) {
		if p != nil {
			s.Processors = append(s.Processors, p)
		}
	})
}

func withSampler(m sdktrace.Sampler) telemetry.Option {
	return option.Func(func(s *option.Set) { s.Sampler = m })
}

func withMetricReader(r sdkmetric.Reader) telemetry.Option {
	return option.Func(func(s *option.Set) { s.Reader = r })
}

func withMetricViews(views []sdkmetric.View) telemetry.Option {
	views = slices.DeleteFunc(views, func(v sdkmetric.View) bool { return v == nil })
	return option.Func(func(s *option.Set) { s.Views = append(s.Views, views...) })
}

func withResourceAttributes(attrs []attribute.KeyValue) telemetry.Option {
	return option.Func(func(s *option.Set) { s.Attributes = append(s.Attributes, attrs...) })
}
