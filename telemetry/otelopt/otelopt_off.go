//go:build lens_off

package otelopt

import (
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/internal/option"
)

var nothing = option.Func(func(*option.Set) {})

func withSpanExporter(sdktrace.SpanExporter) telemetry.Option { return nothing }

func withSpanProcessor(sdktrace.SpanProcessor) telemetry.Option { return nothing }

func withSampler(sdktrace.Sampler) telemetry.Option { return nothing }

func withMetricReader(sdkmetric.Reader) telemetry.Option { return nothing }

func withMetricViews([]sdkmetric.View) telemetry.Option { return nothing }

func withResourceAttributes([]attribute.KeyValue) telemetry.Option { return nothing }
