//go:build !lens_off

package metrics_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/metrics"
)

// observing is a group with one observable gauge.
func observing(name string, callback metrics.Callback) metrics.Group {
	return metrics.Group{Name: name, Metrics: []metrics.Metric{
		{Key: "depth", Name: name + ".depth", Kind: metrics.ObservableGauge, Callback: callback},
		{Key: "loss", Name: name + ".loss"},
	}}
}

// counting is a callback that counts its calls, and observes how many there were.
func counting(calls *atomic.Int64) metrics.Callback {
	return func(_ context.Context, observe metrics.Observe) { observe(float64(calls.Add(1))) }
}

// TestObserve_once: a callback is called once for each collection, whatever else asks for its group meanwhile.
func TestObserve_once(t *testing.T) {
	var calls atomic.Int64
	m := newMeter(t)
	registered(t, observing("once", counting(&calls)))
	for i := range 3 {
		seam.MetersChanged()
		metrics.Record(context.Background(), "once", metrics.Values{"loss": 1})
		if v, _ := m.collect(t)["once.depth"].value(""); v != float64(i+1) {
			t.Errorf("collection %d: call %v", i+1, v)
		}
	}
}

// TestObserve_override: what a group's callback has observed is gone with it.
func TestObserve_override(t *testing.T) {
	m := newMeter(t)
	for _, label := range []string{"old", "new"} {
		registered(t, observing("replaced", func(_ context.Context, observe metrics.Observe) { observe(1, metrics.Str("who", label)) }))
		if got := m.collect(t)["replaced.depth"].points; len(got) != 1 || got[0].attributes != "who="+label {
			t.Errorf("%s: %+v", label, got)
		}
	}
	if err := metrics.Unregister("replaced"); err != nil {
		t.Fatal(err)
	}
	if got := m.collect(t)["replaced.depth"].points; len(got) != 0 {
		t.Errorf("after Unregister: %+v", got)
	}
}

// TestObserve_providers: the callback moves with the provider, and telemetry that is shut down collects once more.
func TestObserve_providers(t *testing.T) {
	var calls atomic.Int64
	registered(t, observing("moves", counting(&calls)))
	first := newMeter(t)
	value := func(m meter) float64 { v, _ := m.collect(t)["moves.depth"].value(""); return v }
	if value(first) != 1 {
		t.Error("the first provider does not observe")
	}
	seam.SetMeterProvider(noop.NewMeterProvider())
	seam.MetersChanged()
	if value(first) != 2 {
		t.Error("the last collection does not observe")
	}
	second := newMeter(t)
	if value(second) != 3 || value(first) != 0 {
		t.Error("the second provider does not observe, or the first one still does")
	}
}

// TestObserve_global: a program that sets OpenTelemetry up by itself has its groups observed, those that were there before and
// those that come later, and package telemetry after it takes over.
func TestObserve_global(t *testing.T) {
	before := otel.GetMeterProvider()
	defer otel.SetMeterProvider(before)
	var calls atomic.Int64
	registered(t, observing("early", counting(&calls)))
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	otel.SetMeterProvider(provider)
	registered(t, observing("late", counting(&calls)))
	m := meter{reader}
	metrics.Record(context.Background(), "early", metrics.Values{"loss": 1}) // which looks again
	for range 2 {
		calls.Store(0)
		got := m.collect(t)
		if len(got["early.depth"].points) != 1 || len(got["late.depth"].points) != 1 || calls.Load() != 2 {
			t.Errorf("%d calls; got %+v", calls.Load(), got)
		}
		seam.SetMeterProvider(provider) // as Setup does it, with the provider that is also the global one
		seam.MetersChanged()
	}
	seam.SetMeterProvider(nil)
	seam.MetersChanged()
	another := sdkmetric.NewManualReader()
	otel.SetMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(another)))
	metrics.Record(context.Background(), "early", metrics.Values{"loss": 1}) // the first call that can notice
	if old, got := m.collect(t), (meter{another}).collect(t); len(old["early.depth"].points) != 0 || len(got["early.depth"].points) != 1 {
		t.Errorf("after a change of the global provider %+v, and before %+v", got, old)
	}
	m = meter{another}
	seam.SetMeterProvider(noop.NewMeterProvider()) // as a set-up does that is disabled
	defer seam.SetMeterProvider(nil)
	seam.MetersChanged()
	if got := m.collect(t); len(got["early.depth"].points) != 0 {
		t.Errorf("off: %+v", got)
	}
}

// TestObserve_slow: SH-13. A callback that takes for ever once costs only itself, no collection waits for it again, and what it
// says in the end is exported.
func TestObserve_slow(t *testing.T) {
	defer metrics.SetPatience(metrics.SetPatience(time.Millisecond))
	m, d := newMeter(t), newDiary(t)
	var calls atomic.Int64
	release, returned := make(chan struct{}), make(chan struct{})
	registered(t, observing("slow", func(_ context.Context, observe metrics.Observe) {
		if calls.Add(1) == 1 {
			<-release
			observe(42)
			close(returned)
			return
		}
		observe(43)
	}))
	registered(t, observing("fast", func(_ context.Context, observe metrics.Observe) { observe(1) }))
	m.collect(t)
	metrics.SetPatience(time.Hour) // which nobody has for a callback that is known to be late
	for range 3 {
		metrics.Record(context.Background(), "slow", metrics.Values{"loss": 1})
		for { // on a slow machine the fast one may have been late as well
			got := m.collect(t)
			if got["slow.depth"].points != nil || got["slow.loss"].points == nil {
				t.Fatalf("got %+v", got)
			}
			if v, _ := got["fast.depth"].value(""); v == 1 {
				break
			}
		}
	}
	if n := d.lines("callback is late", "group=slow", "key=depth"); n != 1 || calls.Load() != 1 {
		t.Errorf("said %q, after %d calls", d, calls.Load())
	}
	close(release)
	<-returned
	var seen float64
	for seen != 43 { // 42 only if the collection comes between the end of the call and the next call's
		v, there := m.collect(t)["slow.depth"].value("")
		if there && v != 42 && v != 43 {
			t.Fatalf("observed %v", v)
		}
		seen = v
	}
}

// TestObserve_late: what a callback says late is exported once, with the collection after.
func TestObserve_late(t *testing.T) {
	m := newMeter(t)
	newDiary(t)
	gate, left := make(chan float64), make(chan struct{})
	registered(t, observing("late", func(_ context.Context, observe metrics.Observe) {
		observe(<-gate)
		left <- struct{}{}
	}))
	value := func() (float64, bool) {
		defer metrics.SetPatience(metrics.SetPatience(time.Millisecond))
		return m.collect(t)["late.depth"].value("")
	}
	if v, there := value(); there {
		t.Errorf("observed %v before it was said", v)
	}
	gate <- 1
	<-left
	for { // until the first call has ended altogether, and its value is there beside the second call, which is late too
		if v, there := value(); there {
			if v != 1 {
				t.Errorf("observed %v, want 1", v)
			}
			break
		}
	}
	if v, there := value(); there {
		t.Errorf("observed %v twice", v)
	}
	gate <- 2
	<-left
}

// TestObserve_broken: a callback that panics or ends its goroutine costs only itself, that time.
func TestObserve_broken(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("no depth today") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			m, d := newMeter(t), newDiary(t)
			var calls atomic.Int64
			registered(t, observing("broken", func(_ context.Context, observe metrics.Observe) {
				if calls.Add(1) <= 2 {
					end()
				}
				observe(5)
			}))
			for i := range 4 {
				metrics.Record(context.Background(), "broken", metrics.Values{"loss": 1})
				got := m.collect(t)
				if _, there := got["broken.depth"].value(""); there != (i >= 2) || got["broken.loss"].points == nil {
					t.Errorf("collection %d: %+v", i, got)
				}
			}
			if n := d.lines("callback panicked", "no depth today"); (n == 1) != (name == "panic") || n > 1 {
				t.Errorf("said %q", d)
			}
		})
	}
}

// TestObserve_values: what a kind does not take is dropped, and what is said after the callback is not heard.
func TestObserve_values(t *testing.T) {
	m, d := newMeter(t), newDiary(t)
	var kept metrics.Observe
	registered(t, metrics.Group{Name: "values", Metrics: []metrics.Metric{
		{Key: "read", Name: "values.read", Kind: metrics.ObservableCounter, Callback: func(_ context.Context, observe metrics.Observe) {
			if kept != nil {
				kept(9, metrics.Str("who", "late"))
			}
			kept = observe
			observe(-1, metrics.Str("who", "negative"))
			observe(3, metrics.Str("who", "fine"))
			observe(4, metrics.Str("", "x"))
		}},
	}})
	for range 2 {
		got := m.collect(t)["values.read"]
		fine, _ := got.value("who=fine")
		bare, _ := got.value("")
		if len(got.points) != 2 || fine != 3 || bare != 4 {
			t.Errorf("got %+v", got)
		}
	}
	if d.lines("value is dropped", "key=read") != 1 || d.lines("without its labels") != 1 {
		t.Errorf("said %q", d)
	}
}

// TestObserve_reentrant: a callback may use the package.
func TestObserve_reentrant(t *testing.T) {
	m := newMeter(t)
	registered(t, observing("inner", func(_ context.Context, observe metrics.Observe) { observe(1) }))
	metrics.Record(context.Background(), "inner", metrics.Values{"loss": 0})
	registered(t, observing("outer", func(ctx context.Context, observe metrics.Observe) {
		metrics.Record(ctx, "inner", metrics.Values{"loss": 3})
		observe(float64(len(metrics.Groups()["inner"].Metrics)))
	}))
	got := m.collect(t)
	if v, _ := got["outer.depth"].value(""); v != 2 {
		t.Errorf("got %+v", got)
	}
}

// TestObserve_readers: two readers of one provider have the value each.
func TestObserve_readers(t *testing.T) {
	one, two := sdkmetric.NewManualReader(), sdkmetric.NewManualReader()
	seam.SetMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(one), sdkmetric.WithReader(two)))
	defer seam.SetMeterProvider(nil)
	registered(t, observing("both", func(_ context.Context, observe metrics.Observe) { observe(6) }))
	var wg sync.WaitGroup
	for _, reader := range []*sdkmetric.ManualReader{one, two} {
		wg.Go(func() {
			for range 50 {
				if v, _ := (meter{reader}).collect(t)["both.depth"].value(""); v != 6 {
					t.Errorf("observed %v", v)
				}
			}
		})
	}
	wg.Wait()
}

// TestObserve_stray: a goroutine that a callback leaves behind may go on to observe, and nobody hears it.
func TestObserve_stray(t *testing.T) {
	m := newMeter(t)
	var strays sync.WaitGroup
	stop := make(chan struct{})
	registered(t, observing("stray", func(_ context.Context, observe metrics.Observe) {
		observe(1)
		strays.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					observe(2, metrics.Str("who", "stray"))
				}
			}
		})
	}))
	for range 20 {
		if v, _ := m.collect(t)["stray.depth"].value(""); v != 1 {
			t.Errorf("observed %v", v)
		}
	}
	close(stop)
	strays.Wait()
}
