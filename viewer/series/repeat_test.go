package series_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/lensgo/lens/viewer/series"
	"github.com/lensgo/lens/viewer/store"
)

// TestRepeat: a request whose answer was lost comes again, and is stored and drawn once. One without a time may be another event.
func TestRepeat(t *testing.T) {
	m := series.NewModel(series.Options{})
	s, err := store.Open(t.TempDir(), store.Options{Metrics: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	timed := encode(t, delta("m", 10, 20, 5))
	untimed := encode(t, func(ms pmetric.MetricSlice) {
		p := ms.AppendEmpty()
		p.SetName("n")
		p.SetEmptyGauge().DataPoints().AppendEmpty().SetDoubleValue(1)
	})
	for _, req := range [][]byte{timed, timed, untimed, untimed} {
		if err := s.AddMetrics(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if k := s.Stats().Kinds[store.Metrics]; k.Requests != 3 || k.Spans != 3 || k.Repeated != 1 {
		t.Errorf("%+v", k)
	}
	for _, x := range m.Metrics(run, 0, 0) {
		if x.Problems.Twice != 0 {
			t.Errorf("%s: %+v", x.Name, x.Problems)
		}
	}
}

// TestRead_times: the times of a request are those of its earliest and latest point that has one.
func TestRead_times(t *testing.T) {
	b := series.NewModel(series.Options{}).Read(encode(t, func(ms pmetric.MetricSlice) {
		gauge("m", 30, 1)(ms)
		gauge("m", 10, 1)(ms)
		ms.AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().SetDoubleValue(1)
		gauge("m", 20, 1)(ms)
	}))
	if b.First != uint64(at(10)) || b.Last != uint64(at(30)) {
		t.Errorf("from %d to %d, want from %d to %d", b.First, b.Last, at(10), at(30))
	}
}
