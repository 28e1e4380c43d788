//go:build !lens_off

package telemetry

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/export"
)

// self reports what becomes of spans and data points as metrics: the conventions' otel.sdk.*, and what they have no name for.
type self struct {
	began   time.Time
	batch   *export.Batch       // nil: no spans are exported
	spans   *export.OTLP        // nil: not by OTLP
	metrics *export.OTLPMetrics // the same
	logs    *export.OTLPLogs    // the same
}

var _ sdkmetric.Producer = (*self)(nil)

// Produce is called by one reader, one call at a time.
func (s *self) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	list := collected{began: s.began, now: time.Now()}
	if s.batch != nil {
		list.batch(s.batch)
	}
	var waiting, repeated []value
	add := func(signal, name, unit string, d export.DeliveryStats) {
		list.delivered(name, unit, d)
		waiting, repeated = append(waiting, ofSignal(d.Spooled, signal)), append(repeated, ofSignal(d.Repeated, signal))
	}
	if s.spans != nil {
		add("traces", semconv.MetricSDKSpans, "{span}", s.spans.Stats())
	}
	if s.metrics != nil {
		add("metrics", semconv.MetricSDKPoints, "{data_point}", s.metrics.Stats())
	}
	if s.logs != nil {
		add("logs", semconv.MetricSDKLogs, "{log_record}", s.logs.Stats())
	}
	if len(waiting) > 0 {
		list.sum(semconv.MetricSpoolItems, "{item}", false, waiting...)
		list.sum(semconv.MetricRepeatedItems, "{item}", true, repeated...)
	}
	scope := instrumentation.Scope{Name: semconv.ScopeLens}
	return []metricdata.ScopeMetrics{{Scope: scope, Metrics: list.metrics}}, nil
}

func ofSignal(n uint64, signal string) value {
	return numbered(int64(n), attribute.String(semconv.LensSignal, signal))
}

// batch adds what the queue of spans holds and has lost.
func (c *collected) batch(b *export.Batch) {
	who := component(semconv.SDKBatchProcessor)
	size, capacity := b.Queue()
	c.sum(semconv.MetricSDKQueueSize, "{span}", false, numbered(int64(size), who...))
	c.sum(semconv.MetricSDKQueueCapacity, "{span}", false, numbered(int64(capacity), who...))
	s := b.Stats()
	c.sum(semconv.MetricSDKProcessed, "{span}", true,
		numbered(int64(s.Exported+s.Failed), who...),
		numbered(int64(s.Dropped), lost(who, semconv.LostQueueFull)...))
}

// delivered adds what became of items at the exporter.
func (c *collected) delivered(name, unit string, d export.DeliveryStats) {
	who := component(semconv.SDKExporter)
	values := []value{numbered(int64(d.Sent), who...)}
	for _, l := range []struct {
		n   uint64
		why string
	}{
		{d.Rejected, semconv.LostRejected}, {d.Refused, semconv.LostRefused}, {d.Unsent, semconv.LostUnsent},
		{d.Overflowed, semconv.LostSpoolFull}, {d.Damaged, semconv.LostSpoolWrong},
	} {
		if l.n > 0 {
			values = append(values, numbered(int64(l.n), lost(who, l.why)...))
		}
	}
	c.sum(name, unit, true, values...)
}

// component says which part of the SDK a number is of. A process has one of each.
func component(kind string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String(semconv.SDKComponentType, kind), attribute.String(semconv.SDKComponentName, kind+"/0")}
}

func lost(who []attribute.KeyValue, why string) []attribute.KeyValue {
	return append(slices.Clip(who), attribute.String(semconv.ErrorType, why))
}
