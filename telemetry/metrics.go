//go:build !lens_off

package telemetry

import (
	"context"
	"fmt"
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
// of spans, so that the configured one is not looked at, and no reader.
func newMetrics(ctx context.Context, c Config, res *sdkresource.Resource, o option.Set, log *slog.Logger) (*sdkmetric.MeterProvider, error) {
	if !c.MetricsEnabled {
		return nil, nil
	}
	reader := o.Reader
	if reader == nil {
		if o.Exporter != nil {
			return nil, nil
		}
		exporter, err := newMetricExporter(ctx, c, log)
		if err != nil {
			return nil, err
		}
		opts := []sdkmetric.PeriodicReaderOption{sdkmetric.WithInterval(interval(log))}
		if o.Runtime {
			opts = append(opts, sdkmetric.WithProducer(newRuntime()))
		}
		reader = sdkmetric.NewPeriodicReader(exporter, opts...)
	}
	return sdkmetric.NewMeterProvider(sdkmetric.WithResource(res), sdkmetric.WithReader(reader)), nil
}

// newMetricExporter makes the exporter that c names.
func newMetricExporter(ctx context.Context, c Config, log *slog.Logger) (sdkmetric.Exporter, error) {
	switch strings.ToLower(strings.TrimSpace(c.Exporter)) {
	case "", ExporterOTLP:
		return export.NewOTLPMetrics(ctx, log)
	case ExporterConsole:
		return export.NewConsoleMetrics(os.Stdout), nil
	}
	return nil, unknownExporter(c)
}

func unknownExporter(c Config) error {
	return fmt.Errorf("unknown exporter %q; use %q or %q", c.Exporter, ExporterOTLP, ExporterConsole)
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
