package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/repair"
)

// OTLPLogs exports log records by OTLP. Make it with [NewOTLPLogs].
//
// An export that fails is warned about once and is no error of Export, since the SDK would print each one; Shutdown returns
// the error of the last export, if that failed.
type OTLPLogs struct {
	stock    sdklog.Exporter // whose requests go to delivery instead of the net
	delivery *delivery
	log      *slog.Logger

	mu   sync.Mutex
	said bool
	last error // of the last export
}

var _ sdklog.Exporter = (*OTLPLogs)(nil)

// NewOTLPLogs returns the exporter of logs by OTLP. It reads OTEL_EXPORTER_OTLP_* and OTEL_EXPORTER_OTLP_LOGS_* as [NewOTLP]
// reads those for spans; without any, logs go to http://localhost:4318/v1/logs.
func NewOTLPLogs(ctx context.Context, c OTLPConfig) (*OTLPLogs, error) {
	d, err := newDelivery(otlp.Logs, c)
	if err != nil {
		return nil, err
	}
	e, err := otlploghttp.New(ctx,
		otlploghttp.WithEndpointURL("https://delivery"+otlp.Logs.Path), // nobody asks for that name
		otlploghttp.WithHTTPClient(&http.Client{Transport: handOver{d}}),
		otlploghttp.WithCompression(otlploghttp.NoCompression),
		otlploghttp.WithRetry(otlploghttp.RetryConfig{}))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make the OTLP exporter of logs: %w", err), d.shutdown(ctx))
	}
	return &OTLPLogs{stock: e, delivery: d, log: d.log}, nil
}

// Export sends records, or keeps them. Bytes that are not UTF-8 become U+FFFD: protobuf would refuse all records for one.
func (e *OTLPLogs) Export(ctx context.Context, records []sdklog.Record) error {
	repair.Records(records)
	err := shorten(delivered(e.stock.Export(context.WithValue(ctx, itemsKey{}, len(records)), records)))
	e.mu.Lock()
	e.last = err
	first := err != nil && !e.said
	e.said = e.said || first
	e.mu.Unlock()
	if first {
		e.log.Warn("telemetry: cannot export logs; this is said once, Stats counts those that failed", "error", err)
	}
	return nil
}

// ForceFlush does nothing: what Export took is there or kept.
func (e *OTLPLogs) ForceFlush(context.Context) error { return nil }

// Shutdown sends what waits on disk while ctx and the collector allow it, and closes the connections.
func (e *OTLPLogs) Shutdown(ctx context.Context) error {
	err := errors.Join(e.stock.Shutdown(ctx), e.delivery.shutdown(ctx))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil {
		err = errors.Join(fmt.Errorf("cannot export the last logs: %w", e.last), err)
	}
	return err
}

// Stats counts records on their way.
func (e *OTLPLogs) Stats() DeliveryStats { return e.delivery.Stats() }
