package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/repair"
)

// OTLPMetrics exports metrics by OTLP. Make it with [NewOTLPMetrics].
//
// An export that fails is warned about once, and is no error of Export or Shutdown: the next one has the numbers too, the SDK
// would print each error, and a program whose collector takes traces only must not fail for it. ForceFlush returns the error
// of the last export, if that failed.
type OTLPMetrics struct {
	sdkmetric.Exporter // the stock one, whose requests go to delivery instead of the net

	delivery *delivery
	log      *slog.Logger

	mu   sync.Mutex
	said bool
	last error // of the last export
}

var _ sdkmetric.Exporter = (*OTLPMetrics)(nil)

// NewOTLPMetrics returns the exporter of metrics by OTLP. It reads OTEL_EXPORTER_OTLP_* and OTEL_EXPORTER_OTLP_METRICS_* as
// [NewOTLP] reads those for spans; without any, metrics go to http://localhost:4318/v1/metrics.
func NewOTLPMetrics(ctx context.Context, c OTLPConfig) (*OTLPMetrics, error) {
	d, err := newDelivery(otlp.Metrics, c)
	if err != nil {
		return nil, err
	}
	e, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpointURL("https://delivery"+otlp.Metrics.Path), // nobody asks for that name
		otlpmetrichttp.WithHTTPClient(&http.Client{Transport: handOver{d}}),
		otlpmetrichttp.WithCompression(otlpmetrichttp.NoCompression),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make the OTLP exporter of metrics: %w", err), d.shutdown(ctx))
	}
	return &OTLPMetrics{Exporter: e, delivery: d, log: d.log}, nil
}

// items is the key of the number of items of an export in its context.
type itemsKey struct{}

// handOver gives requests that a stock exporter has encoded to a delivery.
type handOver struct{ *delivery }

// RoundTrip answers as a collector that takes everything: what one says is counted by the delivery.
func (h handOver) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	items, _ := r.Context().Value(itemsKey{}).(int)
	if err := h.deliver(r.Context(), body, items); err != nil {
		return nil, err
	}
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(nil)), Request: r}, nil
}

// Export sends metrics, or keeps them. Bytes that are not UTF-8 become U+FFFD: protobuf would refuse all metrics for one.
func (q *OTLPMetrics) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	repair.Metrics(data)
	err := shorten(delivered(q.Exporter.Export(context.WithValue(ctx, itemsKey{}, points(data)), data)))
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

// delivered is the error of the delivery without what two clients write around it.
func delivered(err error) error {
	var f *otlp.Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errShutDown):
		return errShutDown
	}
	return err
}

// ForceFlush returns the error of the last export.
func (q *OTLPMetrics) ForceFlush(ctx context.Context) error {
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

// Shutdown sends what waits on disk while ctx and the collector allow it, and closes the connections.
func (q *OTLPMetrics) Shutdown(ctx context.Context) error {
	return errors.Join(q.Exporter.Shutdown(ctx), q.delivery.shutdown(ctx))
}

// Stats counts data points on their way.
func (q *OTLPMetrics) Stats() DeliveryStats { return q.delivery.Stats() }

// points counts the data points.
func points(data *metricdata.ResourceMetrics) (n int) {
	for _, s := range data.ScopeMetrics {
		for _, m := range s.Metrics {
			n += pointsOf(m.Data)
		}
	}
	return n
}

func pointsOf(a metricdata.Aggregation) int {
	switch d := a.(type) {
	case metricdata.Gauge[int64]:
		return len(d.DataPoints)
	case metricdata.Gauge[float64]:
		return len(d.DataPoints)
	case metricdata.Sum[int64]:
		return len(d.DataPoints)
	case metricdata.Sum[float64]:
		return len(d.DataPoints)
	case metricdata.Histogram[int64]:
		return len(d.DataPoints)
	case metricdata.Histogram[float64]:
		return len(d.DataPoints)
	case metricdata.ExponentialHistogram[int64]:
		return len(d.DataPoints)
	case metricdata.ExponentialHistogram[float64]:
		return len(d.DataPoints)
	case metricdata.Summary:
		return len(d.DataPoints)
	}
	return 0
}
