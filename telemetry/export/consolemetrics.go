package export

import (
	"context"
	"fmt"
	"io"
	"sync"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// ConsoleMetrics is an exporter of metrics that writes one compact JSON object a line: all that one export has. The members
// are those of the console exporter of OpenTelemetry for Python, see [Console], which also says how text and numbers are
// written. It is safe for concurrent use.
type ConsoleMetrics struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

var _ sdkmetric.Exporter = (*ConsoleMetrics)(nil)

// NewConsoleMetrics returns a ConsoleMetrics that writes to w. It does not close w.
func NewConsoleMetrics(w io.Writer) *ConsoleMetrics { return &ConsoleMetrics{w: w} }

// Temporality is the SDK's default: totals since the start.
func (c *ConsoleMetrics) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

// Aggregation is the SDK's default.
func (c *ConsoleMetrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

// Export writes the line. An export without metrics writes none.
func (c *ConsoleMetrics) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("cannot print metrics: %w", err)
	}
	if len(data.ScopeMetrics) == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(appendMetrics(c.buf[:0], data), '\n')
	if _, err := c.w.Write(c.buf); err != nil {
		return fmt.Errorf("cannot print metrics: %w", err)
	}
	return nil
}

// ForceFlush does nothing: every line is out when Export returns.
func (c *ConsoleMetrics) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing.
func (c *ConsoleMetrics) Shutdown(context.Context) error { return nil }
