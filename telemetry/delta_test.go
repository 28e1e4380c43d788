//go:build !lens_off

package telemetry_test

import (
	"math"
	"testing"

	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/lensgo/lens/telemetry"
)

// A backend that asks for deltas gets nothing else, also of what is not recorded but read: the runtime, the process, telemetry
// itself. All of them together are what was counted.
func TestMetrics_deltas(t *testing.T) {
	c := newCollector(t)
	setenv(t, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta")
	h := start(t, config(), telemetry.WithRuntimeMetrics())
	var sent, starts []float64
	for range 3 {
		record(t)
		if err := h.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		counted := 0
		for name, m := range c.metrics {
			sum, histogram := m.GetSum(), m.GetHistogram()
			if sum.GetIsMonotonic() && sum.AggregationTemporality != metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA ||
				histogram != nil && histogram.AggregationTemporality != metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
				t.Errorf("%s is no delta", name)
			}
			if sum != nil && !sum.IsMonotonic && sum.AggregationTemporality != metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
				t.Errorf("%s may fall, and is a delta", name)
			}
			counted++
		}
		points := c.metrics["otel.sdk.exporter.metric_data_point.exported"].GetSum().GetDataPoints()
		schedule := c.metrics["go.schedule.duration"].GetHistogram().GetDataPoints()
		c.mu.Unlock()
		if counted < 10 || len(points) != 1 || len(schedule) != 1 {
			t.Fatalf("%d metrics, %v, %v", counted, points, schedule)
		}
		sent, starts = append(sent, float64(points[0].GetAsInt())), append(starts, float64(points[0].StartTimeUnixNano))
		var inBuckets uint64
		for _, n := range schedule[0].BucketCounts {
			inBuckets += n
		}
		if inBuckets != schedule[0].Count || schedule[0].GetSum() < 0 || math.IsNaN(schedule[0].GetSum()) {
			t.Errorf("go.schedule.duration: %v", schedule[0])
		}
	}
	// The first collection knows of none, and each counts those of the one before.
	if sent[0] != 0 || sent[1] <= 0 || sent[2] <= 0 || sent[2] > 2*sent[1] {
		t.Errorf("data points were sent: %v, want those of each export", sent)
	}
	if !(starts[0] < starts[1] && starts[1] < starts[2]) {
		t.Errorf("they count from %v, want each from the end of the one before", starts)
	}
	shutdown(t, h)
}
