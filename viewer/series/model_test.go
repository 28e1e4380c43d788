package series_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/lensgo/lens/viewer/series"
	"github.com/lensgo/lens/viewer/store"
)

// TestLong keeps the bound of points, and no increase gets lost in it.
func TestLong(t *testing.T) {
	f := newFeed(t, series.Options{MaxPoints: 100})
	const n = 5000
	buckets := make([]uint64, 5)
	for i := 1; i <= n; i++ {
		f.add(counter("c", 0, float64(i), float64(3*i)))
		f.add(gauge("g", float64(i), float64(i%10)))
		buckets[i%5]++
		f.add(histogram("d", 0, float64(i), buckets...))
	}
	c := f.chart(series.Ask{Name: "c", Unit: "{rollout}", Shape: series.Rate})
	if c.Points > 100 || c.Points < 25 || c.Step == 0 || c.Interval != c.Step {
		t.Errorf("%d points of %d ns, drawn at %d ns", c.Points, c.Step, c.Interval)
	}
	rise := 0.0
	for i, v := range c.Lines[0].Increase {
		rise += v
		if r := c.Lines[0].Values[0][i]; math.Abs(r-3) > 1e-9 {
			t.Errorf("rate is %v", r)
		}
	}
	same(t, "rise", rise, float64(3*n))
	g := f.chart(series.Ask{Name: "g", Shape: series.Level}).Lines[0]
	if len(g.Low) != len(g.Time) || g.Low[3] != 0 || g.High[3] != 9 {
		t.Errorf("least and greatest are %v and %v", g.Low, g.High)
	}
	d := f.chart(series.Ask{Name: "d", Unit: "ms", Shape: series.Distribution}).Lines[0]
	sum := uint64(0)
	for _, x := range d.Count {
		sum += x
	}
	same(t, "count", sum, uint64(n))

	few := f.chart(series.Ask{Name: "c", Unit: "{rollout}", Shape: series.Rate, Points: 10})
	if len(few.Lines[0].Time) > 10 || few.Interval <= c.Interval {
		t.Errorf("%d points at %d ns, asked for 10", len(few.Lines[0].Time), few.Interval)
	}
	part := f.chart(series.Ask{Name: "g", Shape: series.Level, From: int64(at(1000)), To: int64(at(2000))}).Lines[0]
	if ts := seconds(part.Time); ts[0] <= 1000 || ts[len(ts)-1] > 2000 {
		t.Errorf("asked for 1000 to 2000, got %v", ts)
	}
}

// TestOldPoint does not let one point of a wrong clock blur the others.
func TestOldPoint(t *testing.T) {
	f := newFeed(t, series.Options{MaxPoints: 100})
	f.add(gauge("g", -40*365*86400, 1))
	for i := range 150 {
		f.add(gauge("g", float64(i), 1))
	}
	c := f.chart(series.Ask{Name: "g", Shape: series.Level})
	if c.Step > 10e9 || c.Problems.Older != 1 {
		t.Errorf("points stand for %d ns; %+v", c.Step, c.Problems)
	}
}

// TestTooManySeries says how many are not shown.
func TestTooManySeries(t *testing.T) {
	f := newFeed(t, series.Options{MaxSeries: 10})
	for range 2 {
		f.add(func(ms pmetric.MetricSlice) {
			for i := range 25 {
				gauge("g", 10, 1)(ms)
				ms.At(i).Gauge().DataPoints().At(0).Attributes().PutInt("task", int64(i))
			}
		})
	}
	f.model.Seal()
	m := f.model.Metrics(run, 0, 0)[0]
	if m.Series != 10 || m.More != 15 {
		t.Errorf("%d series and %d more", m.Series, m.More)
	}
}

// TestTooManyMetrics does not grow without end by names either.
func TestTooManyMetrics(t *testing.T) {
	f := newFeed(t, series.Options{})
	for i := range 30 {
		f.add(func(ms pmetric.MetricSlice) {
			for k := range 100 {
				gauge(fmt.Sprint("g", i, ".", k), 10, 1)(ms)
			}
		})
	}
	r, _ := f.model.Run(run)
	if r.Metrics != 2000 || r.More != 1000 {
		t.Errorf("%d metrics and %d more", r.Metrics, r.More)
	}
}

// TestMemory forgets whole runs first, those that were quiet for longest, and says so; then the one that stays gets coarser.
func TestMemory(t *testing.T) {
	f := newFeed(t, series.Options{MaxBytes: 100_000})
	for r := range 6 {
		for i := range 300 {
			f.raw(encodeOf(t, fmt.Sprint("run ", r), "s", gauge("g", float64(1000*r+i), float64(i))))
		}
	}
	var left []string
	for _, r := range f.model.Runs() {
		left = append(left, r.ID)
	}
	if slices.Contains(left, "run 0") || !slices.Contains(left, "run 5") || !f.model.Forgotten("run 0") || f.model.Forgotten("run 5") {
		t.Errorf("the runs %q are left", left)
	}
	for i := range 200 {
		f.raw(encodeOf(t, "large", "s", func(ms pmetric.MetricSlice) {
			for k := range 50 {
				gauge("g", float64(10_000+i), 1)(ms)
				ms.At(k).Gauge().DataPoints().At(0).Attributes().PutInt("k", int64(k))
			}
		}))
	}
	m := f.model.Metrics("large", 0, 0)
	if len(m) != 1 || m[0].Series < 30 || m[0].Points < m[0].Series || m[0].Step == 0 {
		t.Errorf("%+v", m)
	}
}

// traffic makes requests of everything at random.
func traffic(tb testing.TB, n int) (list [][]byte) {
	r := rand.New(rand.NewPCG(3, 4))
	counts := make([]uint64, 5)
	total := 0.0
	for i := range n {
		list = append(list, encodeOf(tb, []string{run, "other", ""}[r.IntN(3)], "s", func(ms pmetric.MetricSlice) {
			t := float64(i) + r.Float64()*3
			total += float64(r.IntN(5))
			counts[r.IntN(5)]++
			for _, fill := range []func(pmetric.MetricSlice){
				gauge("g", t, r.NormFloat64()), gauge("whole", t, float64(r.IntN(100)-50)), counter("c", 0, t, total), delta("x", t-1, t, r.Float64()),
				histogram("d", 0, t, counts...), exponential("e", int32(r.IntN(4)), t-1, t, false, r.ExpFloat64(), -r.ExpFloat64(), 0),
				gauge("bad", -begin0(), 1), histogram("broken", 0, t, 1, 2),
			} {
				if r.IntN(3) > 0 {
					fill(ms)
				}
			}
			for i := range ms.Len() {
				if m := ms.At(i); m.Type() == pmetric.MetricTypeGauge {
					m.Gauge().DataPoints().At(0).Attributes().PutInt("k", int64(r.IntN(6)))
				}
			}
		}))
	}
	return list
}

// TestRestart rebuilds the same model from what Seal returned, without a look at the requests.
func TestRestart(t *testing.T) {
	o := series.Options{MaxPoints: 40, MaxSeries: 4}
	f, again := newFeed(t, o), series.NewModel(o)
	size, sealed := 0, 0
	for i, req := range traffic(t, 500) {
		f.raw(req)
		size += len(req)
		if i%23 == 22 {
			b := f.model.Seal()
			sealed += len(b)
			if err := again.Merge(f.chunk, b); err != nil {
				t.Fatal(err)
			}
			f.chunk++
		}
	}
	if err := again.Merge(f.chunk, f.model.Seal()); err != nil {
		t.Fatal(err)
	}
	if f.model.Seal() != nil {
		t.Error("there is something in an empty chunk")
	}
	same(t, "runs", again.Runs(), f.model.Runs())
	same(t, "charts", everything(again), everything(f.model))
	if len(everything(again)) < 20 {
		t.Errorf("there are only %d charts", len(everything(again)))
	}
	t.Logf("%d bytes of requests, %d of footers", size, sealed)
	if sealed > size/3 {
		t.Errorf("footers have %d bytes, the requests %d", sealed, size)
	}
	for _, bad := range [][]byte{{9}, {1, 0}, []byte("no footer at all")} {
		if err := again.Merge(7, bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	same(t, "charts after damage", everything(again), everything(f.model))
}

// TestForget takes away the points of chunks that retention removed, and then the series, metrics and runs of which nothing is left.
func TestForget(t *testing.T) {
	f := newFeed(t, series.Options{})
	f.raw(encodeOf(t, "old", "s", gauge("g", 1, 1)))
	for i := range 10 {
		f.chunk = uint64(i)
		f.add(gauge("g", float64(10*i), float64(i)))
	}
	f.add(gauge("late", 50, 1))
	f.model.Forget(store.Removed{Chunk: 6}, nil)
	same(t, "times", seconds(f.chart(series.Ask{Name: "g", Shape: series.Level}).Lines[0].Time), []float64{70, 80, 90})
	if r := f.model.Runs(); len(r) != 1 {
		t.Errorf("there are the runs %v", r)
	}
	if m := f.model.Metrics(run, 0, 0); seconds([]int64{m[0].First})[0] != 70 {
		t.Errorf("the first point is at %v", m[0].First)
	}
	f.model.Forget(store.Removed{Chunk: 9}, nil)
	if r := f.model.Runs(); len(r) != 0 {
		t.Errorf("there are the runs %v", r)
	}
	f.chunk = 10
	f.add(gauge("g", 100, 1))
	same(t, "times", seconds(f.chart(series.Ask{Name: "g", Shape: series.Level}).Lines[0].Time), []float64{100})
}

// TestConcurrent writes and reads at a time; what was handed out does not change.
func TestConcurrent(t *testing.T) {
	m := series.NewModel(series.Options{MaxPoints: 32})
	list := traffic(t, 300)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
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
				runtime.Gosched()
			}
		})
	}
	for i, req := range list {
		m.Add(m.Read(req), uint64(i/20), uint64(at(10_000)))
		if i%20 == 19 {
			m.Seal()
		}
		if i%100 == 99 {
			m.Forget(store.Removed{Chunk: uint64(i/20) - 3}, nil)
		}
	}
	close(done)
	wg.Wait()
}

// heavy is a request as a busy process sends it: 200 series of every kind.
func heavy(tb testing.TB, export int) []byte {
	return encode(tb, func(ms pmetric.MetricSlice) {
		t := float64(10 * export)
		for i := range 10 {
			counter(fmt.Sprint("gym.counter.", i), 0, t, float64(export*i))(ms)
			gauge(fmt.Sprint("gym.gauge.", i), t, float64(i))(ms)
			histogram(fmt.Sprint("gym.histogram.", i), 0, t, uint64(export), uint64(2*export), 0, 3, 0)(ms)
			for k := 1; k <= 3; k++ {
				m := ms.At(ms.Len() - k)
				var attributes []pcommon.Map
				switch m.Type() {
				case pmetric.MetricTypeSum:
					attributes = spread(m.Sum().DataPoints())
				case pmetric.MetricTypeGauge:
					attributes = spread(m.Gauge().DataPoints())
				default:
					attributes = spread(m.Histogram().DataPoints())
				}
				for n, a := range attributes {
					a.PutStr("nemo.gym.server.name", "policy_model")
					a.PutInt("worker", int64(n))
				}
			}
		}
	})
}

// spread makes seven points of one.
func spread[P interface {
	Attributes() pcommon.Map
	CopyTo(P)
}](list interface {
	At(int) P
	AppendEmpty() P
	Len() int
}) (attributes []pcommon.Map) {
	for range 6 {
		p := list.AppendEmpty()
		list.At(0).CopyTo(p)
	}
	for i := range list.Len() {
		attributes = append(attributes, list.At(i).Attributes())
	}
	return attributes
}

// TestAllocs: what a known series costs per point, decoded already, is next to nothing.
func TestAllocs(t *testing.T) {
	m := series.NewModel(series.Options{})
	var batches []store.Batch
	points := 0
	for i := range 220 {
		b := m.Read(heavy(t, i+1))
		points = b.Items
		batches = append(batches, b)
	}
	i := 0
	add := func() { m.Add(batches[i], 0, uint64(at(1e5))); i++ }
	for range 100 {
		add()
	}
	if per := testing.AllocsPerRun(100, add) / float64(points); per > 1.6 { // a third are histograms, whose difference is a distribution of its own
		t.Errorf("%.2f allocations a point", per)
	}
}

func BenchmarkIngest(b *testing.B) {
	m := series.NewModel(series.Options{})
	var reqs [][]byte
	for i := range 500 {
		reqs = append(reqs, heavy(b, i+1))
	}
	points := m.Read(reqs[0]).Items
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			m.Read(reqs[i%500])
		}
		perPoint(b, points)
	})
	b.Run("add", func(b *testing.B) {
		batches := make([]store.Batch, len(reqs))
		for i, req := range reqs {
			batches[i] = m.Read(req)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			m.Add(batches[i%500], 0, uint64(at(1e5)))
			if i%17 == 0 {
				m.Seal()
			}
		}
		perPoint(b, points)
	})
	b.Run("merge", func(b *testing.B) {
		w := series.NewModel(series.Options{})
		var footers [][]byte
		for i, req := range reqs {
			w.Add(w.Read(req), 0, uint64(at(1e5)))
			if i%17 == 16 {
				footers = append(footers, w.Seal())
			}
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%len(footers) == 0 {
				m = series.NewModel(series.Options{})
			}
			if err := m.Merge(uint64(i), footers[i%len(footers)]); err != nil {
				b.Fatal(err)
			}
		}
		perPoint(b, 17*points)
	})
}

func perPoint(b *testing.B, points int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(points), "ns/point")
}
