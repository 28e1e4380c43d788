//go:build !lens_off

package telemetry

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/option"
)

const (
	envInterval = "OTEL_METRIC_EXPORT_INTERVAL"

	// defaultInterval is Lens's: OpenTelemetry's minute is longer than many a run.
	defaultInterval = 10 * time.Second
)

// newMetrics makes the pipeline of metrics, nil when there is none: metrics are off, or the caller has brought an exporter
// of spans, so that the configured one is not looked at, and no reader. What becomes of the telemetry itself is among them: s.
func newMetrics(ctx context.Context, c Config, res *sdkresource.Resource, o option.Set, s *self, log *slog.Logger) (*sdkmetric.MeterProvider, error) {
	if !c.MetricsEnabled {
		return nil, nil
	}
	sayUnusable(metricVariables, log)
	reader := o.Reader
	if reader == nil {
		if o.Exporter != nil {
			return nil, nil
		}
		exporter, err := newMetricExporter(ctx, c, log)
		if exporter == nil || err != nil {
			return nil, err
		}
		opts := []sdkmetric.PeriodicReaderOption{sdkmetric.WithInterval(interval(log))}
		if otlp, ok := exporter.(*export.OTLPMetrics); ok { // who reads a console sees what becomes of telemetry
			s.metrics = otlp
			opts = append(opts, sdkmetric.WithProducer(asPreferred(exporter, s)))
		}
		if o.Runtime {
			opts = append(opts, sdkmetric.WithProducer(asPreferred(exporter, newRuntime())))
		}
		reader = sdkmetric.NewPeriodicReader(exporter, opts...)
	}
	return sdkmetric.NewMeterProvider(sdkmetric.WithResource(res), sdkmetric.WithReader(reader), sdkmetric.WithView(o.Views...)), nil
}

// newMetricExporter makes the exporter that c names; nil when that is none.
func newMetricExporter(ctx context.Context, c Config, log *slog.Logger) (sdkmetric.Exporter, error) {
	name, err := c.exporterFor("METRICS", log)
	switch {
	case err != nil:
		return nil, err
	case name == ExporterConsole:
		return export.NewConsoleMetrics(os.Stdout), nil
	case name == ExporterNone:
		return nil, nil
	}
	return export.NewOTLPMetrics(ctx, otlpConfig(c, log))
}

// interval says how often metrics leave. A value that is no number of milliseconds above 0 stops no program.
func interval(log *slog.Logger) time.Duration {
	text := strings.TrimSpace(os.Getenv(envInterval))
	if text == "" {
		return defaultInterval
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		log.Warn("telemetry: "+envInterval+" is not a number of milliseconds above 0; the default stands",
			"value", text, "default", defaultInterval)
		return defaultInterval
	}
	return time.Duration(n) * time.Millisecond
}
