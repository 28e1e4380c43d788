package viewer

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/store"
)

// BenchmarkTracesBesideMetrics measures what senders of spans notice of senders of metrics: none, 5,000 points a second (a fleet of a
// hundred processes with 500 series each, every ten seconds), and as many as there is time for. Compare the sub-benchmarks of one run. The
// spans come again and again, which makes them as cheap as they can be, and the load beside them as visible.
func BenchmarkTracesBesideMetrics(b *testing.B) {
	spans, metrics := someSpans(b), someMetrics(b)
	for _, load := range []struct {
		name  string
		every time.Duration // between requests of 500 points; 0 sends none
	}{{"none", 0}, {"5000_points_per_s", 100 * time.Millisecond}, {"flood", time.Nanosecond}} {
		b.Run(load.name, func(b *testing.B) {
			m := newModels()
			s, err := store.Open(b.TempDir(), m.storeOptions(store.Options{}))
			if err != nil {
				b.Fatal(err)
			}
			ctx, stop := context.WithCancel(b.Context())
			var senders sync.WaitGroup
			sent := 0
			if load.every > 0 {
				senders.Go(func() { sent = send(ctx, s, metrics, load.every) })
			}
			for i := 0; b.Loop(); i++ {
				if _, err := s.AddTraces(context.Background(), spans[i%len(spans)]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*spansOfRequest/b.Elapsed().Seconds(), "spans/s")
			stop()
			senders.Wait()
			b.ReportMetric(float64(sent)*500/b.Elapsed().Seconds(), "points/s")
			if err := s.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// send sends metrics until ctx ends, and returns how many requests.
func send(ctx context.Context, s *store.Store, metrics [][]byte, every time.Duration) (n int) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return n
		case <-tick.C:
			if s.AddMetrics(ctx, metrics[n%len(metrics)]) == nil {
				n++
			}
		}
	}
}

const spansOfRequest = 512

// someSpans makes requests of rollouts.
func someSpans(b *testing.B) (list [][]byte) {
	for r := range 64 {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "agent")
		rs.Resource().Attributes().PutStr("nemo.run.id", "run")
		ss := rs.ScopeSpans().AppendEmpty()
		for i := range spansOfRequest {
			span := ss.Spans().AppendEmpty()
			span.SetName("POST /v1/responses")
			span.SetTraceID(pcommon.TraceID{1, byte(r), byte(i / 16)})
			span.SetSpanID(pcommon.SpanID{1, byte(r), byte(i), byte(i >> 8)})
			span.SetStartTimestamp(pcommon.Timestamp(1796000000e9 + i*1e6))
			span.SetEndTimestamp(pcommon.Timestamp(1796000000e9 + i*1e6 + 5e8))
			span.Attributes().PutStr("http.route", "/v1/responses")
			span.Attributes().PutInt("http.response.status_code", 200)
		}
		body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, body)
	}
	return list
}

// someMetrics makes requests of 500 points, of 50 histograms among them, ten seconds apart.
func someMetrics(b *testing.B) (list [][]byte) {
	for r := range 200 {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "agent")
		rm.Resource().Attributes().PutStr("nemo.run.id", "run")
		ms := rm.ScopeMetrics().AppendEmpty().Metrics()
		at := pcommon.Timestamp(1796000000e9 + r*10e9)
		for i := range 50 {
			m := ms.AppendEmpty()
			m.SetName(fmt.Sprint("gym.metric.", i))
			if i%10 == 0 {
				h := m.SetEmptyHistogram()
				h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
				for k := range 10 {
					p := h.DataPoints().AppendEmpty()
					p.SetTimestamp(at)
					p.SetStartTimestamp(1796000000e9 - 1e9)
					p.SetCount(uint64(6 * r))
					p.ExplicitBounds().FromRaw([]float64{10, 100, 1000})
					p.BucketCounts().FromRaw([]uint64{uint64(r), uint64(2 * r), uint64(3 * r), 0})
					p.Attributes().PutInt("k", int64(k))
				}
				continue
			}
			for k := range 10 {
				p := gaugeOf(m, k).AppendEmpty()
				p.SetTimestamp(at)
				p.SetDoubleValue(float64(r * k))
				p.Attributes().PutInt("k", int64(k))
			}
		}
		body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, body)
	}
	return list
}

func gaugeOf(m pmetric.Metric, k int) pmetric.NumberDataPointSlice {
	if k == 0 {
		return m.SetEmptyGauge().DataPoints()
	}
	return m.Gauge().DataPoints()
}
