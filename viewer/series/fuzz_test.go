package series_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/lensgo/lens/viewer/series"
)

// FuzzIngest takes any request, alone and after others, and holds what is drawn to what must be true of it: also after a restart.
func FuzzIngest(f *testing.F) {
	for _, req := range traffic(f, 12) {
		f.Add(req, req)
	}
	f.Add(encode(f, exponential("e", 20, 0, 10, false, 1e300, -5)), encode(f, exponential("e", 20, 10, 20, false, 1e-300, -7)))
	f.Add(encode(f, exponential("e", 20, 0, 10, true, 1e-300)), encode(f, exponential("e", -10, 0, 20, true, 1e300, 1e-300)))
	f.Add(encode(f, histogram("d", 0, 10, math.MaxUint64, 1, 0, 0, 0)), encode(f, histogram("d", 0, 20, 1, math.MaxUint64, 0, 0, 0)))
	f.Add(encode(f, counter("c", 0, 10, math.MaxFloat64)), encode(f, counter("c", 0, 20, -math.MaxFloat64)))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		o := series.Options{MaxPoints: 16, MaxSeries: 8}
		m, again := series.NewModel(o), series.NewModel(o)
		for i, req := range [][]byte{a, b, a} {
			m.Add(m.Read(req), uint64(i), uint64(at(100)))
			if err := again.Merge(uint64(i), m.Seal()); err != nil {
				t.Fatalf("cannot read what was written: %v", err)
			}
		}
		all := everything(m)
		if d := cmp.Diff(all, everything(again), numbers); d != "" {
			t.Errorf("after a restart (-before +after):\n%s", d)
		}
		for _, c := range all {
			sound(t, c)
		}
	})
}

// sound holds a chart to what is true of any.
func sound(t *testing.T, c series.Chart) {
	if c.Series > 8 || len(c.Lines) > c.Total || c.Total > max(c.Series, 1) {
		t.Errorf("%d lines of %d, of %d series", len(c.Lines), c.Total, c.Series)
	}
	for _, l := range c.Lines {
		if len(l.Time) > 16*8 {
			t.Errorf("a line has %d points", len(l.Time))
		}
		for i, x := range l.Time {
			if x <= 0 || i > 0 && x < l.Time[i-1] {
				t.Errorf("the times are %v", l.Time)
				break
			}
		}
		for _, v := range l.Values {
			if len(v) != len(l.Time) {
				t.Errorf("%d values at %d times", len(v), len(l.Time))
			}
		}
		if c.Shape != series.Distribution {
			continue
		}
		for i := range l.Time {
			p50, p95, p99 := l.Values[0][i], l.Values[1][i], l.Values[2][i]
			if math.IsInf(p50+p95+p99, 0) && !math.IsInf(p50, 0) && !math.IsInf(p99, 0) {
				continue // the sum of large numbers
			}
			if p50 > p95 || p95 > p99 {
				t.Errorf("p50 %v, p95 %v, p99 %v", p50, p95, p99)
			}
		}
	}
}

// FuzzMerge takes any footer. What it cannot read changes nothing.
func FuzzMerge(f *testing.F) {
	m := series.NewModel(series.Options{})
	for i, req := range traffic(f, 60) {
		m.Add(m.Read(req), 0, uint64(at(100)))
		if i%15 == 14 {
			f.Add(m.Seal())
		}
	}
	f.Fuzz(func(t *testing.T, footer []byte) {
		m := series.NewModel(series.Options{MaxPoints: 16})
		m.Add(m.Read(encode(t, func(ms pmetric.MetricSlice) { gauge("g", 10, 1)(ms) })), 0, uint64(at(100)))
		before := everything(m)
		if err := m.Merge(1, footer); err != nil {
			if d := cmp.Diff(before, everything(m), numbers); d != "" {
				t.Error(d)
			}
			return
		}
		for _, c := range everything(m) {
			for _, l := range c.Lines {
				for _, v := range l.Values {
					if len(v) != len(l.Time) {
						t.Errorf("%d values at %d times", len(v), len(l.Time))
					}
				}
			}
		}
	})
}
