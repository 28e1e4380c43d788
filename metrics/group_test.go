//go:build !lens_off

package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/metrics"
)

// diary is a log that a test reads.
type diary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diary) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// lines counts the lines that have all parts.
func (d *diary) lines(parts ...string) (n int) {
	for line := range strings.Lines(d.String()) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			n++
		}
	}
	return n
}

func newDiary(t *testing.T) *diary {
	t.Helper()
	d := &diary{}
	metrics.ForgetFaults()
	metrics.SetLogger(slog.New(slog.NewTextHandler(d, nil)))
	t.Cleanup(func() { metrics.SetLogger(nil) })
	return d
}

// registered registers a group until the test ends, and replaces one that has the name.
func registered(t *testing.T, g metrics.Group) metrics.Group {
	t.Helper()
	g.Override = true
	if err := metrics.Register(g); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = metrics.Unregister(g.Name) }) // the test may have done it
	return g
}

// TestRegister_refused has the declarations that are refused. All of a declaration's problems are in the error, and nothing of it
// takes effect.
func TestRegister_refused(t *testing.T) {
	observe := func(context.Context, metrics.Observe) {}
	one := func(m metrics.Metric) metrics.Group {
		return metrics.Group{Name: "refused", Metrics: []metrics.Metric{m}}
	}
	for name, c := range map[string]struct {
		group metrics.Group
		want  []string
	}{
		"empty group":   {metrics.Group{Metrics: []metrics.Metric{{Key: "a", Name: "a"}}}, []string{`metric group ""`, "name is empty"}},
		"blank group":   {metrics.Group{Name: " \t", Metrics: []metrics.Metric{{Key: "a", Name: "a"}}}, []string{"name is empty"}},
		"no metrics":    {metrics.Group{Name: "refused"}, []string{`"refused"`, "declares no metric"}},
		"empty key":     {one(metrics.Metric{Name: "a"}), []string{`"refused"`, "metric 0", "key is empty"}},
		"empty name":    {one(metrics.Metric{Key: "loss"}), []string{`key "loss"`, "name is empty"}},
		"name":          {one(metrics.Metric{Key: "loss", Name: "1loss"}), []string{`name "1loss"`, "letter"}},
		"name inside":   {one(metrics.Metric{Key: "loss", Name: "a loss"}), []string{`name "a loss"`}},
		"long name":     {one(metrics.Metric{Key: "loss", Name: strings.Repeat("a", 256)}), []string{"254"}},
		"unit":          {one(metrics.Metric{Key: "loss", Name: "a", Unit: "µs"}), []string{`unit "µs"`, "ASCII"}},
		"kind":          {one(metrics.Metric{Key: "loss", Name: "a", Kind: 99}), []string{"kind 99 is unknown", "up_down_counter"}},
		"no callback":   {one(metrics.Metric{Key: "loss", Name: "a", Kind: metrics.ObservableGauge}), []string{"observable_gauge requires a callback"}},
		"callback":      {one(metrics.Metric{Key: "loss", Name: "a", Kind: metrics.Counter, Callback: observe}), []string{"callback is only used by", "counter"}},
		"bounds":        {one(metrics.Metric{Key: "loss", Name: "a", Kind: metrics.Histogram, Bounds: []float64{1, 1}}), []string{"[1 1] do not rise"}},
		"NaN in bounds": {one(metrics.Metric{Key: "loss", Name: "a", Kind: metrics.Histogram, Bounds: []float64{math.NaN()}}), []string{"do not rise"}},
		"bounds of a gauge": {one(metrics.Metric{Key: "loss", Name: "a", Bounds: []float64{1}}),
			[]string{"bounds are only used by a histogram", "gauge"}},
		"key twice": {metrics.Group{Name: "refused", Metrics: []metrics.Metric{{Key: "a", Name: "a"}, {Key: "a", Name: "b"}}},
			[]string{"metric 1", "the key is there twice"}},
		"several": {metrics.Group{Metrics: []metrics.Metric{{Key: "a"}, {Name: "b"}}},
			[]string{"name is empty", "metric 0", "metric 1", "key is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := metrics.Register(c.group)
			if err == nil {
				_ = metrics.Unregister(c.group.Name)
				t.Fatal("it is registered")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
			if _, there := metrics.Groups()[c.group.Name]; there {
				t.Error("it is registered all the same")
			}
			defer func() {
				if recover() == nil {
					t.Error("MustRegister does not panic")
				}
			}()
			metrics.MustRegister(c.group)
		})
	}
}

// TestRegister_taken: a name is taken until somebody overrides it or gives it back.
func TestRegister_taken(t *testing.T) {
	d := newDiary(t)
	registered(t, own("taken"))
	if err := metrics.Register(own("taken")); err == nil || !strings.Contains(err.Error(), `"taken"`) || !strings.Contains(err.Error(), "Override") {
		t.Errorf("Register: %v", err)
	}
	metrics.MustRegister(metrics.Group{Name: "taken", Metrics: []metrics.Metric{{Key: "other", Name: "other"}}})
	if d.lines("level=ERROR", "left out", "taken") != 1 {
		t.Errorf("MustRegister said %q", d)
	}
	if got := metrics.Groups()["taken"].Metrics; len(got) != 7 {
		t.Errorf("the one that was first has %d metrics", len(got))
	}
	if err := metrics.Unregister("taken"); err != nil {
		t.Error(err)
	}
	if err := metrics.Unregister("taken"); err == nil || !strings.Contains(err.Error(), `"taken"`) {
		t.Errorf("Unregister: %v", err)
	}
}

// TestGroups: the copy is a copy, and so is what is registered.
func TestGroups(t *testing.T) {
	g := registered(t, own("copies"))
	g.Metrics[1].Key, g.Metrics[1].Bounds[0] = "mine", 99
	for range 2 {
		got := metrics.Groups()["copies"]
		if m := got.Metrics[1]; got.Version != "1.2" || m.Key != "step" || m.Unit != "ms" || m.Bounds[0] != 1 {
			t.Errorf("got %+v", m)
		}
		got.Metrics[1].Key, got.Metrics[1].Bounds[0] = "mine", 99
		delete(metrics.Groups(), "copies")
	}
}

// TestRecord: each kind arrives under its name and unit, in the scope of its group, with the labels.
func TestRecord(t *testing.T) {
	m := newMeter(t)
	registered(t, own("each"))
	ctx := context.Background()
	metrics.Record(ctx, "each", metrics.Values{"loss": 3, "step": 5, "tokens": 10, "active": 2}, metrics.Str("phase", "train"),
		metrics.Int("rank", 3), metrics.Bool("warm", true), metrics.Label{})
	metrics.Record(ctx, "each", metrics.Values{"loss": 2, "step": 6, "tokens": 0.5, "active": -3}, metrics.Str("phase", "train"),
		metrics.Int("rank", 3), metrics.Bool("warm", true))
	metrics.Record(ctx, "each", nil)
	var nowhere context.Context
	metrics.Record(nowhere, "each", metrics.Values{"active": 4})
	got := m.collect(t)
	const l = "phase=train,rank=3,warm=true"
	for name, want := range map[string]struct {
		kind, unit string
		labels     string
		value      float64
	}{
		"each.loss":    {"gauge", "", l, 2},
		"each.step_ms": {"histogram", "ms", l, 11},
		"each.tokens":  {"counter", "{token}", l, 10.5},
		"each.active":  {"updown", "", l, -1},
		"each.depth":   {"gauge", "", "queue=a", 7},
		"each.read":    {"counter", "By", "queue=a", 7},
		"each.held":    {"updown", "", "queue=a", 7},
	} {
		f := got[name]
		if v, ok := f.value(want.labels); !ok || v != want.value || f.kind != want.kind || f.unit != want.unit || f.scope != "each" {
			t.Errorf("%s: %+v, want %+v", name, f, want)
		}
	}
	if p := got["each.step_ms"].points[0]; p.count != 2 || !slices.Equal(p.bounds, []float64{1, 10}) {
		t.Errorf("each.step_ms: %+v", p)
	}
	if v, ok := got["each.active"].value(""); !ok || v != 4 || got["each.loss"].about != "Loss of a step." {
		t.Errorf("without labels %v, %v; the description is %q", v, ok, got["each.loss"].about)
	}
}

// TestRecord_faults: what is wrong is dropped and said once, and costs nothing else of the call.
func TestRecord_faults(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		values metrics.Values
		labels []metrics.Label
		want   []string // in the one warning
		lost   []string // metrics that are not there
	}{
		"unknown key":           {metrics.Values{"lost": 1}, nil, []string{"no metric with this key", "group=faults", "key=lost"}, []string{"faults.lost"}},
		"observable key":        {metrics.Values{"depth": 99}, nil, []string{"observed by its callback", "key=depth"}, nil},
		"negative counter":      {metrics.Values{"tokens": -1}, nil, []string{"value is dropped", "key=tokens", "error=-1"}, []string{"faults.tokens"}},
		"NaN in a histogram":    {metrics.Values{"step": math.NaN()}, nil, []string{"value is dropped", "key=step", "NaN"}, []string{"faults.step_ms"}},
		"infinity in a counter": {metrics.Values{"tokens": math.Inf(1)}, nil, []string{"value is dropped", "key=tokens"}, []string{"faults.tokens"}},
		"label without a key":   {nil, []metrics.Label{metrics.Str("phase", "a"), metrics.Str("", "a")}, []string{"without its labels", "group=faults"}, nil},
		"nine labels": {nil, []metrics.Label{metrics.Int("a", 1), metrics.Int("b", 1), metrics.Int("c", 1), metrics.Int("d", 1), metrics.Int("e", 1),
			metrics.Int("f", 1), metrics.Int("g", 1), metrics.Int("h", 1), metrics.Int("i", 1)}, []string{"without its labels"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, d := newMeter(t), newDiary(t)
			registered(t, own("faults"))
			for i := range 5 {
				values := metrics.Values{"loss": float64(i), "active": 1}
				for key, v := range c.values {
					values[key] = v
				}
				metrics.Record(ctx, "faults", values, c.labels...)
			}
			if d.lines(c.want...) != 1 || d.lines() != 1 {
				t.Errorf("said %q, want one line with %q", d, c.want)
			}
			got := m.collect(t)
			for _, name := range c.lost {
				if f, there := got[name]; there {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if v, _ := got["faults.loss"].value(""); v != 4 {
				t.Errorf("faults.loss: %v, want 4", v)
			}
			if v, _ := got["faults.active"].value(""); v != 5 {
				t.Errorf("faults.active: %v, want 5", v)
			}
			if v, _ := got["faults.depth"].value("queue=a"); v != 7 {
				t.Errorf("faults.depth: %v, want 7", v)
			}

			registered(t, own("faults")) // a group that is replaced has its faults said anew
			metrics.Record(ctx, "faults", metrics.Values{"lost": 1})
			want := 1
			if _, said := c.values["lost"]; said {
				want = 2
			}
			if d.lines("key=lost") != want {
				t.Errorf("said %q, want %d lines of the key", d, want)
			}
		})
	}
}

// TestRecord_unregistered: values for a group that nobody knows, or knows any more, are dropped and that is said once.
func TestRecord_unregistered(t *testing.T) {
	m, d := newMeter(t), newDiary(t)
	ctx := context.Background()
	registered(t, own("gone"))
	metrics.Record(ctx, "gone", metrics.Values{"tokens": 1})
	if err := metrics.Unregister("gone"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		metrics.Record(ctx, "gone", metrics.Values{"tokens": 1})
		metrics.Record(ctx, "nobody", metrics.Values{"tokens": 1})
	}
	if d.lines("nobody has registered", "group=gone") != 1 || d.lines("nobody has registered", "group=nobody") != 1 || d.lines() != 2 {
		t.Errorf("said %q", d)
	}
	if v, _ := m.collect(t)["gone.tokens"].value(""); v != 1 {
		t.Errorf("gone.tokens: %v, want 1", v)
	}
}

// TestRecord_off: where telemetry is off there is nothing to say either.
func TestRecord_off(t *testing.T) {
	d := newDiary(t)
	seam.SetMeterProvider(noop.NewMeterProvider())
	defer seam.SetMeterProvider(nil)
	metrics.Record(context.Background(), "nobody at all", metrics.Values{"x": 1})
	if d.lines() != 0 {
		t.Errorf("said %q", d)
	}
}

// TestRecord_notFinite: a loss that is NaN arrives as what it is.
func TestRecord_notFinite(t *testing.T) {
	m := newMeter(t)
	registered(t, own("nan"))
	metrics.Record(context.Background(), "nan", metrics.Values{"loss": math.NaN()})
	if v, ok := m.collect(t)["nan.loss"].value(""); !ok || !math.IsNaN(v) {
		t.Errorf("got %v, %v", v, ok)
	}
}

// halfBroken is a provider that cannot make the counter, and whose gauges break when they are used.
type halfBroken struct{ metric.MeterProvider }

func (h halfBroken) Meter(name string, o ...metric.MeterOption) metric.Meter {
	return halfBrokenMeter{h.MeterProvider.Meter(name, o...)}
}

type halfBrokenMeter struct{ metric.Meter }

func (halfBrokenMeter) Float64Counter(string, ...metric.Float64CounterOption) (metric.Float64Counter, error) {
	return nil, errors.New("no counter today")
}

func (halfBrokenMeter) Float64ObservableCounter(string, ...metric.Float64ObservableCounterOption) (metric.Float64ObservableCounter, error) {
	panic("no counter today")
}

func (halfBrokenMeter) Float64Gauge(string, ...metric.Float64GaugeOption) (metric.Float64Gauge, error) {
	return brokenGauge{}, nil
}

type brokenGauge struct{ noop.Float64Gauge }

func (brokenGauge) Enabled(context.Context) bool                            { return true }
func (brokenGauge) Record(context.Context, float64, ...metric.RecordOption) { panic("no gauge today") }

// TestRecord_broken: an instrument that cannot be made or breaks is said once, and the others go on.
func TestRecord_broken(t *testing.T) {
	m, d := newMeter(t), newDiary(t)
	whole := *seam.MeterProvider()
	seam.SetMeterProvider(halfBroken{whole})
	registered(t, own("half"))
	for range 5 {
		metrics.Record(context.Background(), "half", metrics.Values{"loss": 1, "step": 5, "tokens": 1, "active": 1})
	}
	got := m.collect(t)
	if v, _ := got["half.active"].value(""); v != 5 || got["half.step_ms"].points[0].count != 5 || got["half.depth"].points[0].value != 7 {
		t.Errorf("got %+v", got)
	}
	for _, want := range [][]string{{"cannot create", "half.tokens", "no counter today"}, {"cannot create", "key=read", "no counter today"},
		{"cannot record", "key=loss", "no gauge today"}} {
		if d.lines(want...) != 1 {
			t.Errorf("said %q, want one line with %q", d, want)
		}
	}
	if d.lines() != 3 {
		t.Errorf("said %q, want three lines", d)
	}
}

// TestRecord_unusable: a provider of which nothing works is said, and is no error.
func TestRecord_unusable(t *testing.T) {
	d := newDiary(t)
	defer seam.SetMeterProvider(nil)
	seam.SetMeterProvider(broken{how: "meter"})
	registered(t, own("unusable"))
	for range 5 {
		metrics.Record(context.Background(), "unusable", metrics.Values{"loss": 1})
	}
	if d.lines("cannot create", "group=unusable", "unusable.loss") != 1 || d.lines("cannot create", "group=unusable", "no meter") != 2 || d.lines() != 2 {
		t.Errorf("said %q", d)
	}
}

// TestRecord_brokenLogger: a logger that panics costs nobody anything.
func TestRecord_brokenLogger(t *testing.T) {
	newMeter(t)
	metrics.SetLogger(slog.New(brokenHandler{}))
	defer metrics.SetLogger(nil)
	metrics.Record(context.Background(), "nobody with a broken logger", metrics.Values{"x": 1})
}

type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool { panic("no log") }

// TestRecord_bounds: labels that somebody makes up end in one series, numbers as well as texts, and text that is too long.
func TestRecord_bounds(t *testing.T) {
	m, d := newMeter(t), newDiary(t)
	registered(t, own("bounds"))
	ctx := context.Background()
	for i := range 300 {
		metrics.Record(ctx, "bounds", metrics.Values{"tokens": 1}, metrics.Str("model", fmt.Sprint("m", i)))
		metrics.Record(ctx, "bounds", metrics.Values{"active": 1}, metrics.Int("step", i))
	}
	metrics.Record(ctx, "bounds", metrics.Values{"loss": 1}, metrics.Str("text", strings.Repeat("x", 129)))
	metrics.Record(ctx, "bounds", metrics.Values{"loss": 2}, metrics.Str("text", "a\xffb"))
	got := m.collect(t)
	for name, attributes := range map[string]string{"bounds.tokens": "model=other", "bounds.active": "step=other"} {
		if v, _ := got[name].value(attributes); v != 200 || len(got[name].points) != 101 {
			t.Errorf("%s: %v of %d series in the last one", name, v, len(got[name].points))
		}
	}
	for attributes, want := range map[string]float64{"text=other": 1, "text=a\ufffdb": 2} {
		if v, _ := got["bounds.loss"].value(attributes); v != want {
			t.Errorf("%s: %v, want %v", attributes, v, want)
		}
	}
	if d.lines() != 0 {
		t.Errorf("said %q", d)
	}
	for i := range 40 {
		metrics.Record(ctx, "bounds", metrics.Values{"tokens": 1}, metrics.Str(fmt.Sprint("key", i), "a"))
	}
	if v, _ := m.collect(t)["bounds.tokens"].value(""); v == 0 || d.lines("without its labels") != 1 {
		t.Errorf("%v recorded without labels, said %q", v, d)
	}
}

// TestRecord_concurrent: groups come and go while others record and collect.
func TestRecord_concurrent(t *testing.T) {
	m := newMeter(t)
	newDiary(t)
	registered(t, own("busy"))
	var recorders, changers sync.WaitGroup
	for i := range 4 {
		recorders.Go(func() {
			for n := range 200 {
				metrics.Record(context.Background(), "busy", metrics.Values{"active": 1, "loss": 1, "lost": 1}, metrics.Int("n", n%20+i))
			}
		})
	}
	changers.Go(func() {
		for range 20 {
			registered(t, own("busy"))
			m.collect(t)
			_ = metrics.Groups()
		}
	})
	recorders.Wait()
	changers.Wait()
	var sum float64
	for _, p := range m.collect(t)["busy.active"].points {
		sum += p.value
	}
	if sum != 4*200 {
		t.Errorf("counted %v, want %v", sum, 4*200)
	}
}

// TestRecord_allocations: a literal of values costs no memory, with a provider and without.
func TestRecord_allocations(t *testing.T) {
	registered(t, own("cheap"))
	ctx := context.Background()
	record := func() {
		metrics.Record(ctx, "cheap", metrics.Values{"loss": 0.3, "step": 12, "tokens": 4}, metrics.Str("phase", "train"), metrics.Int("rank", 3))
		metrics.Record(ctx, "cheap", metrics.Values{"loss": 0.3})
		inference(ctx)
	}
	check := func(name string) {
		record()
		if n := testing.AllocsPerRun(100, record); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
	check("nobody is there")
	seam.SetMeterProvider(noop.NewMeterProvider())
	check("off")
	newMeter(t)
	check("on")
}

// BenchmarkRecord is the cost of a call site.
func BenchmarkRecord(b *testing.B) {
	metrics.MustRegister(own("bench"))
	defer func() { _ = metrics.Unregister("bench") }()
	ctx := context.Background()
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			metrics.Record(ctx, "bench", metrics.Values{"loss": 0.3, "step": 12}, metrics.Str("phase", "train"))
		}
	}
	b.Run("Nobody", run)
	defer seam.SetMeterProvider(nil)
	seam.SetMeterProvider(noop.NewMeterProvider())
	b.Run("Off", run)
	seam.SetMeterProvider(newProvider())
	b.Run("On", run)
}
