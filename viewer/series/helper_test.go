package series_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/series"
)

const run = "demo-1130-1402"

var begin = time.Date(2026, 11, 30, 14, 2, 11, 0, time.UTC)

// at is so many seconds after the begin.
func at(seconds float64) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(begin.Add(time.Duration(seconds * float64(time.Second))))
}

// feed is a model and what was sent to it.
type feed struct {
	tb    testing.TB
	model *series.Model
	chunk uint64
}

func newFeed(tb testing.TB, o series.Options) *feed {
	return &feed{tb: tb, model: series.NewModel(o)}
}

// encode makes a request of metrics of one process of the run.
func encode(tb testing.TB, fill func(pmetric.MetricSlice)) []byte {
	tb.Helper()
	return encodeOf(tb, run, "nemo-gym/policy_model", fill)
}

func encodeOf(tb testing.TB, run, service string, fill func(pmetric.MetricSlice)) []byte {
	tb.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	if run != "" {
		rm.Resource().Attributes().PutStr("nemo.run.id", run)
	}
	rm.Resource().Attributes().PutStr("service.name", service)
	fill(rm.ScopeMetrics().AppendEmpty().Metrics())
	b, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func (f *feed) raw(req []byte) {
	f.model.Add(f.model.Read(req), f.chunk, uint64(at(100_000)))
}

func (f *feed) add(fill func(pmetric.MetricSlice)) {
	f.tb.Helper()
	f.raw(encode(f.tb, fill))
}

// chart asks for a metric that must be there.
func (f *feed) chart(a series.Ask) series.Chart {
	f.tb.Helper()
	a.Run = run
	c, ok := f.model.Chart(a)
	if !ok {
		f.tb.Fatalf("there is no %s %q in %v", a.Shape, a.Name, f.model.Metrics(run, 0, 0))
	}
	return c
}

func gauge(name string, t, v float64) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName(name)
		p := m.SetEmptyGauge().DataPoints().AppendEmpty()
		p.SetTimestamp(at(t))
		p.SetDoubleValue(v)
	}
}

// counter is a cumulative sum that only rises; without a start it has none.
func counter(name string, start, t, v float64) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName(name)
		m.SetUnit("{rollout}")
		s := m.SetEmptySum()
		s.SetIsMonotonic(true)
		s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		p := s.DataPoints().AppendEmpty()
		if !math.IsNaN(start) {
			p.SetStartTimestamp(at(start))
		}
		p.SetTimestamp(at(t))
		p.SetDoubleValue(v)
	}
}

func delta(name string, start, t, v float64) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		counter(name, start, t, v)(ms)
		ms.At(ms.Len() - 1).Sum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	}
}

// histogram is a cumulative histogram with the bounds 10, 20, 50, 100.
func histogram(name string, start, t float64, buckets ...uint64) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName(name)
		m.SetUnit("ms")
		s := m.SetEmptyHistogram()
		s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		p := s.DataPoints().AppendEmpty()
		p.SetStartTimestamp(at(start))
		p.SetTimestamp(at(t))
		p.ExplicitBounds().FromRaw([]float64{10, 20, 50, 100})
		p.BucketCounts().FromRaw(buckets)
		n := uint64(0)
		for _, b := range buckets {
			n += b
		}
		p.SetCount(n)
		p.SetSum(float64(n) * 25)
	}
}

// seconds are times from the begin.
func seconds(ns []int64) (list []float64) {
	for _, t := range ns {
		list = append(list, float64(t-begin.UnixNano())/1e9)
	}
	return list
}

var numbers = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-9, 1e-9), cmpopts.EquateEmpty()}

func same(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if d := cmp.Diff(want, got, numbers); d != "" {
		tb.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// everything is all charts of all runs.
func everything(m *series.Model) (all []series.Chart) {
	for _, r := range m.Runs() {
		for _, x := range m.Metrics(r.ID, 0, 0) {
			for _, by := range []string{"", series.Together} {
				c, _ := m.Chart(series.Ask{Run: r.ID, Name: x.Name, Unit: x.Unit, Shape: x.Shape, By: by, Lines: 1000, Points: 1000})
				all = append(all, c)
			}
		}
	}
	return all
}
