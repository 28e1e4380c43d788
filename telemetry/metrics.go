//go:build !lens_off

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/option"
	"github.com/lensgo/lens/telemetry/internal/scrape"
)

const (
	envInterval = "OTEL_METRIC_EXPORT_INTERVAL"

	// defaultInterval is Lens's: OpenTelemetry's minute is longer than many a run.
	defaultInterval = 10 * time.Second
)

// meters is the pipeline of metrics.
type meters struct {
	provider *sdkmetric.MeterProvider
	endpoint scrape.Endpoint // nil: Prometheus does not come
}

// newMeters makes the pipeline of metrics, nil when there is none: metrics are off, or nobody gets them. A caller who has brought an
// exporter of spans or a reader does without the exporters that c names. What becomes of the telemetry itself is among them: s.
func newMeters(ctx context.Context, c Config, res *sdkresource.Resource, o option.Set, s *self, log *slog.Logger) (*meters, error) {
	if !c.MetricsEnabled {
		return nil, nil
	}
	sayUnusable(metricVariables, log)
	m := &meters{}
	var readers []sdkmetric.Option
	var exporters []sdkmetric.Exporter
	switch {
	case o.Reader != nil:
		readers = append(readers, sdkmetric.WithReader(o.Reader))
	case o.Exporter == nil:
		names, err := c.exportersFor(signalMetrics, log)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names, exporterPrometheus) && o.Scrape == nil {
			o.Scrape = linkedScrape(log)
		}
		if exporters, err = newMetricExporters(ctx, names, c, log); err != nil {
			return nil, err
		}
	}
	if o.Scrape != nil {
		var err error
		if m.endpoint, err = o.Scrape(scrape.Source{Resource: res, Producers: producers(s, o), Log: log}); err != nil {
			return nil, errors.Join(err, shutdownAll(ctx, exporters))
		}
		readers = append(readers, sdkmetric.WithReader(m.endpoint.Reader()))
	}
	if len(exporters) > 0 {
		every := interval(log)
		for _, e := range exporters {
			readers = append(readers, sdkmetric.WithReader(newReader(e, every, s, o)))
		}
	}
	if len(readers) == 0 {
		return nil, nil
	}
	m.provider = sdkmetric.NewMeterProvider(append(readers, sdkmetric.WithResource(res), sdkmetric.WithView(o.Views...))...)
	return m, nil
}

// linkedScrape is the endpoint that the program has linked.
func linkedScrape(log *slog.Logger) scrape.Maker {
	if scrape.Linked() == nil {
		log.Warn("telemetry: OTEL_METRICS_EXPORTER names prometheus, which is not in this program, so there is no endpoint to fetch metrics " +
			`from; link it with import _ "github.com/lensgo/lens/telemetry/export/prometheus"`)
	}
	return scrape.Linked()
}

// newReader exports again and again.
func newReader(e sdkmetric.Exporter, every time.Duration, s *self, o option.Set) sdkmetric.Reader {
	opts := []sdkmetric.PeriodicReaderOption{sdkmetric.WithInterval(every)}
	if otlp, ok := e.(*export.OTLPMetrics); ok {
		s.metrics = otlp
	} else {
		s = nil // who reads a console sees what becomes of telemetry
	}
	for _, p := range producers(s, o) {
		opts = append(opts, sdkmetric.WithProducer(asPreferred(e, p)))
	}
	return sdkmetric.NewPeriodicReader(e, opts...)
}

// producers are those of one reader, since each is called by one at a time.
func producers(s *self, o option.Set) (list []sdkmetric.Producer) {
	if s != nil {
		list = append(list, s)
	}
	if o.Runtime {
		list = append(list, newRuntime())
	}
	return list
}

// newMetricExporters makes the exporters of names that are to be sent to.
func newMetricExporters(ctx context.Context, names []string, c Config, log *slog.Logger) (list []sdkmetric.Exporter, err error) {
	for _, name := range names {
		switch name {
		case ExporterConsole:
			list = append(list, export.NewConsoleMetrics(os.Stdout))
		case ExporterOTLP:
			e, err := export.NewOTLPMetrics(ctx, otlpConfig(c, log))
			if err != nil {
				return nil, errors.Join(err, shutdownAll(ctx, list))
			}
			list = append(list, e)
		}
	}
	return list, nil
}

func shutdownAll(ctx context.Context, list []sdkmetric.Exporter) (err error) {
	for _, e := range list {
		err = errors.Join(err, e.Shutdown(ctx))
	}
	return err
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
