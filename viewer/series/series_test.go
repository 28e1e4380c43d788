package series_test

import (
	"math"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/lensgo/lens/viewer/series"
)

var nan = math.NaN()

// TestStreams sends what programs, networks and clocks make of one stream, and looks at the line and at what is said of it.
func TestStreams(t *testing.T) {
	type points []func(pmetric.MetricSlice)
	none := func(p pmetric.NumberDataPoint) { p.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true)) }
	stale := func(t float64) func(pmetric.MetricSlice) {
		return func(ms pmetric.MetricSlice) {
			gauge("m", t, 0)(ms)
			none(ms.At(0).Gauge().DataPoints().At(0))
		}
	}
	tests := []struct {
		name     string
		shape    series.Shape
		send     points
		times    []float64
		values   []float64
		problems series.Problems
	}{
		{"gauge", series.Level, points{gauge("m", 10, 1), gauge("m", 20, 2.5), gauge("m", 30, -1)}, []float64{10, 20, 30}, []float64{1, 2.5, -1}, series.Problems{}},
		{"gauge out of order", series.Level, points{gauge("m", 10, 1), gauge("m", 30, 3), gauge("m", 20, 2)}, []float64{10, 20, 30}, []float64{1, 2, 3}, series.Problems{}},
		{"gauge twice", series.Level, points{gauge("m", 10, 1), gauge("m", 20, 2), gauge("m", 20, 2), gauge("m", 10, 1)}, []float64{10, 20}, []float64{1, 2}, series.Problems{Twice: 2}},
		{"gauge of no number", series.Level, points{gauge("m", 10, 1), gauge("m", 20, nan), gauge("m", 30, math.Inf(1)), gauge("m", 40, 4)}, []float64{10, 20, 30, 40}, []float64{1, nan, nan, 4}, series.Problems{NotFinite: 2}},
		{"gauge that ends", series.Level, points{gauge("m", 10, 1), stale(20), gauge("m", 30, 3)}, []float64{10, 20, 30}, []float64{1, nan, 3}, series.Problems{}},
		{"no time", series.Level, points{gauge("m", -begin0(), 7), gauge("m", 10, 1)}, []float64{10}, []float64{1}, series.Problems{Untimed: 1}},
		{"next year", series.Level, points{gauge("m", 3e7, 7), gauge("m", 10, 1)}, []float64{10}, []float64{1}, series.Problems{Untimed: 1}},

		{"counter", series.Rate, points{counter("m", 0, 10, 20), counter("m", 0, 20, 50), counter("m", 0, 30, 50)}, []float64{10, 20, 30}, []float64{2, 3, 0}, series.Problems{}},
		{"counter without a start", series.Rate, points{counter("m", nan, 10, 1000), counter("m", nan, 20, 1050)}, []float64{20}, []float64{5}, series.Problems{}},
		{"counter twice", series.Rate, points{counter("m", 0, 10, 20), counter("m", 0, 10, 20)}, []float64{10}, []float64{2}, series.Problems{Twice: 1}},
		{"counter restarted", series.Rate, points{counter("m", 0, 10, 100), counter("m", 12, 20, 40), counter("m", 12, 30, 60)}, []float64{10, 20, 30}, []float64{10, 5, 2}, series.Problems{Resets: 1}},
		{"counter reset unsaid", series.Rate, points{counter("m", 0, 10, 100), counter("m", 0, 20, 40)}, []float64{10, 20}, []float64{10, 4}, series.Problems{Resets: 1}},
		{"counter late", series.Rate, points{counter("m", 0, 10, 10), counter("m", 0, 30, 50), counter("m", 0, 20, 30)}, []float64{10, 30}, []float64{1, 2}, series.Problems{Late: 1}},
		{"clock set back", series.Rate, points{counter("m", 0, 10, 10), counter("m", 0, 1000, 20), counter("m", 0, 30, 40), counter("m", 0, 40, 50)}, []float64{10, 30, 40, 1000}, []float64{1, nan, 1, 10. / 990}, series.Problems{Backwards: 1}},
		{"late from before a restart", series.Rate, points{counter("m", 0, 10, 100), counter("m", 12, 20, 8), counter("m", 0, 9, 90)}, []float64{10, 20}, []float64{10, 1}, series.Problems{Resets: 1, Late: 1}},
		{"two processes as one", series.Rate, points{counter("m", 0, 10, 10), counter("m", 5, 15, 100), counter("m", 0, 20, 20), counter("m", 5, 25, 200)}, []float64{10, 15, 20, 25}, []float64{1, 10, 1, 10}, series.Problems{Resets: 1}},
		{"counter of no number", series.Rate, points{counter("m", 0, 10, 10), counter("m", 0, 20, nan), counter("m", 0, 30, 30)}, []float64{10, 30}, []float64{1, 1}, series.Problems{NotFinite: 1}},
		{"ends in an instant", series.Rate, points{counter("m", 9.999, 10, 5), counter("m", 9.999, 20, 25), counter("m", 9.999, 30, 45), counter("m", 9.999, 30.001, 46)}, []float64{20, 30.001}, []float64{25 / 10.001, 21 / 10.001}, series.Problems{}},
		{"only an instant", series.Rate, points{counter("m", 9.9, 10, 5)}, []float64{10}, []float64{50}, series.Problems{}},
		{"delta", series.Rate, points{delta("m", 0, 10, 10), delta("m", 10, 20, 30)}, []float64{10, 20}, []float64{1, 3}, series.Problems{}},
		{"delta twice", series.Rate, points{delta("m", 0, 10, 10), delta("m", 10, 20, 30), delta("m", 0, 10, 10)}, []float64{10, 20}, []float64{1, 3}, series.Problems{Twice: 1}},
		{"delta late", series.Rate, points{delta("m", 10, 20, 30), delta("m", 0, 10, 10)}, []float64{10, 20}, []float64{1, 3}, series.Problems{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFeed(t, series.Options{})
			for _, p := range tt.send {
				f.add(p)
			}
			m := f.model.Metrics(run, 0, 0)
			if len(m) != 1 {
				t.Fatalf("there are the metrics %+v", m)
			}
			c := f.chart(series.Ask{Name: "m", Unit: m[0].Unit, Shape: tt.shape})
			same(t, "times", seconds(c.Lines[0].Time), tt.times)
			same(t, "values", c.Lines[0].Values[0], tt.values)
			same(t, "problems", c.Problems, tt.problems)
		})
	}
}

// begin0 is the begin in seconds since 1970, so that its negative is no time at all.
func begin0() float64 { return float64(begin.Unix()) }

// TestUpDown shows a sum that may fall as the value that it is.
func TestUpDown(t *testing.T) {
	f := newFeed(t, series.Options{})
	for i, v := range []float64{3, 5, 2} {
		f.add(func(ms pmetric.MetricSlice) {
			counter("gym.sandbox.active", 0, float64(i+1), v)(ms)
			ms.At(0).Sum().SetIsMonotonic(false)
		})
	}
	c := f.chart(series.Ask{Name: "gym.sandbox.active", Unit: "{rollout}", Shape: series.Level})
	same(t, "values", c.Lines[0].Values[0], []float64{3, 5, 2})
	if c.Kind != series.Sum {
		t.Errorf("the kind is %s", c.Kind)
	}
}

// TestInstances keeps apart two processes of one service, whose totals would else seem to reset each other.
func TestInstances(t *testing.T) {
	for _, key := range []string{"service.instance.id", "process.pid"} {
		f := newFeed(t, series.Options{})
		for i, v := range []float64{10, 1000, 20, 2000} {
			f.raw(withResource(t, counter("m", 0, float64(10*(1+i/2)), v), key, i%2))
		}
		c := f.chart(series.Ask{Name: "m", Unit: "{rollout}", Shape: series.Rate})
		if len(c.Lines) != 2 || c.Problems != (series.Problems{}) {
			t.Fatalf("%s: %d lines, %+v", key, len(c.Lines), c.Problems)
		}
		same(t, "the first", c.Lines[0].Values[0], []float64{1, 1})
		same(t, "the second", c.Lines[1].Values[0], []float64{100, 100})
		same(t, "both", f.chart(series.Ask{Name: "m", Unit: "{rollout}", Shape: series.Rate, By: series.Together}).Lines[0].Values[0], []float64{101, 101})
	}
}

func withResource(t *testing.T, fill func(pmetric.MetricSlice), key string, value int) []byte {
	t.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	a := rm.Resource().Attributes()
	a.PutStr("nemo.run.id", run)
	a.PutStr("service.name", "worker")
	a.PutInt(key, int64(value))
	fill(rm.ScopeMetrics().AppendEmpty().Metrics())
	return marshal(t, md)
}

// TestRuns keeps runs apart, and puts Gym's metrics first.
func TestRuns(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.add(func(ms pmetric.MetricSlice) {
		for _, name := range []string{"process.cpu.time", "gen_ai.client.token.usage", "gym.verify.success_rate", "http.server.request.duration", "gym.rollout.completed_total"} {
			gauge(name, 10, 1)(ms)
		}
	})
	f.raw(encodeOf(t, "other", "x", gauge("m", 20, 1)))
	f.raw(encodeOf(t, "", "x", gauge("m", 5, 1)))
	var names []string
	for _, m := range f.model.Metrics(run, 0, 0) {
		names = append(names, m.Name)
	}
	same(t, "names", names, []string{"gym.rollout.completed_total", "gym.verify.success_rate", "gen_ai.client.token.usage", "http.server.request.duration", "process.cpu.time"})
	var runs []string
	for _, r := range f.model.Runs() {
		runs = append(runs, r.ID)
	}
	same(t, "runs", runs, []string{"other", run, ""})
	if n := len(f.model.Metrics(run, int64(at(10)), 0)); n != 0 {
		t.Errorf("%d metrics have a point after their last one", n)
	}
	if n := len(f.model.Metrics(run, 0, int64(at(9)))); n != 0 {
		t.Errorf("%d metrics have a point before their first one", n)
	}
}

// TestNamesakes draws a chart each for what has one name and is not of one kind.
func TestNamesakes(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.add(gauge("m", 10, 1))
	f.add(counter("m", 0, 10, 10))
	f.add(histogram("m", 0, 10, 1, 0, 0, 0, 0))
	if m := f.model.Metrics(run, 0, 0); len(m) != 3 {
		t.Errorf("there are the metrics %+v", m)
	}
}
