package export

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// NewOTLPMetrics returns the exporter of metrics by OTLP over HTTP. It reads OTEL_EXPORTER_OTLP_* and
// OTEL_EXPORTER_OTLP_METRICS_* as [NewOTLP] reads those for spans; without any, metrics go to
// http://localhost:4318/v1/metrics. They leave as protobuf also when the protocol is http/json, which every receiver of it
// takes too.
//
// An export that fails is warned about once, and is no error of Export or Shutdown: the next one has the numbers too, the SDK
// would print each error, and a program whose collector takes traces only must not fail for it. ForceFlush returns the error
// of the last export, if that failed.
func NewOTLPMetrics(ctx context.Context, log *slog.Logger) (sdkmetric.Exporter, error) {
	if log == nil {
		log = slog.Default()
	}
	if err := metricsSignal.check(log); err != nil {
		return nil, err
	}
	c, err := newClient(metricsSignal, log)
	if err != nil {
		return nil, err
	}
	o := []otlpmetrichttp.Option{otlpmetrichttp.WithHTTPClient(&c.Client)}
	if url := metricsSignal.defaultURL(); url != "" {
		o = append(o, otlpmetrichttp.WithEndpointURL(url))
	}
	e, err := otlpmetrichttp.New(ctx, o...)
	if err != nil {
		return nil, fmt.Errorf("cannot make the OTLP exporter of metrics: %w", err)
	}
	return &quiet{Exporter: e, client: c, log: log}, nil
}

// quiet is an exporter that says once that it cannot export.
type quiet struct {
	sdkmetric.Exporter
	client *client
	log    *slog.Logger

	mu   sync.Mutex
	said bool
	last error // of the last export
}

func (q *quiet) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	err := q.client.export(func() error { return shorten(q.Exporter.Export(ctx, data)) })
	q.mu.Lock()
	q.last = err
	first := err != nil && !q.said
	q.said = q.said || first
	q.mu.Unlock()
	if first {
		q.log.Warn("telemetry: cannot export metrics; this is said once, and each export tries again. "+
			"For a collector that takes none, switch them off (METRICS_ENABLED=0 under your prefix)", "error", err)
	}
	return nil
}

// Shutdown ends an export that is running, and closes the connections.
func (q *quiet) Shutdown(ctx context.Context) error {
	return q.client.shutdown(ctx, q.Exporter.Shutdown)
}

func (q *quiet) ForceFlush(ctx context.Context) error {
	if err := q.Exporter.ForceFlush(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.last == nil {
		return nil
	}
	return fmt.Errorf("cannot export metrics: %w", q.last)
}
