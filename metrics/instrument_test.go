//go:build !lens_off

package metrics_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// TestProviders: each provider has its own instruments, also one that comes back, and the same instrument goes on in it.
func TestProviders(t *testing.T) {
	ctx := context.Background()
	first := newMeter(t)
	metrics.Gym.RolloutEnded(ctx, "scored", "", "")
	second := newMeter(t)
	metrics.Gym.RolloutEnded(ctx, "scored", "", "")
	metrics.Gym.RolloutEnded(ctx, "scored", "", "")
	seam.SetMeterProvider(noop.NewMeterProvider())
	metrics.Gym.RolloutEnded(ctx, "scored", "", "")
	for name, c := range map[string]struct {
		m    meter
		want float64
	}{"first": {first, 1}, "second": {second, 2}} {
		if got := c.m.collect(t)["gym.rollout.completed_total"].points[0].value; got != c.want {
			t.Errorf("%s has counted %v, want %v", name, got, c.want)
		}
	}
}

// TestGlobalProvider: a program that has set OpenTelemetry up by itself has the metrics in its own provider.
func TestGlobalProvider(t *testing.T) {
	before := otel.GetMeterProvider()
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	metrics.Gym.ServersActive(context.Background(), 1) // nobody is there yet
	otel.SetMeterProvider(provider)
	defer otel.SetMeterProvider(before)
	metrics.Gym.ServersActive(context.Background(), 5)
	if got := (meter{reader}).collect(t)["gym.servers.active"].points; len(got) != 1 || got[0].value != 5 {
		t.Errorf("got %v", got)
	}
}

// broken is a provider whose meters fail in every way; other has a field that cannot be compared.
type broken struct {
	noop.MeterProvider
	other []int
	how   string
}

func (b broken) Meter(string, ...metric.MeterOption) metric.Meter {
	if b.how == "meter" {
		panic("no meter")
	}
	return brokenMeter{how: b.how}
}

type brokenMeter struct {
	noop.Meter
	how string
}

func (m brokenMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	switch m.how {
	case "error":
		return nil, errors.New("no instrument")
	case "instrument":
		panic("no instrument")
	}
	return brokenHistogram{}, nil
}

type brokenHistogram struct{ noop.Float64Histogram }

func (brokenHistogram) Enabled(context.Context) bool                            { return true }
func (brokenHistogram) Record(context.Context, float64, ...metric.RecordOption) { panic("no record") }

// TestBroken: whatever breaks in a provider stays there, and an instrument that cannot be made is said once.
func TestBroken(t *testing.T) {
	d := newDiary(t)
	before := otel.GetMeterProvider()
	defer otel.SetMeterProvider(before)
	defer seam.SetMeterProvider(nil)
	for _, how := range []string{"meter", "error", "instrument", "record"} {
		t.Run(how, func(t *testing.T) {
			seam.SetMeterProvider(broken{how: how, other: []int{1}})
			everything(context.Background())
			everything(context.Background())
			seam.SetMeterProvider(nil)
			otel.SetMeterProvider(broken{how: how}) // the global one is compared
			everything(context.Background())
			everything(context.Background())
		})
	}
	if d.lines("cannot create", "key=gym.rollout.duration_ms") != 1 {
		t.Errorf("said %q", d)
	}
	m := newMeter(t)
	metrics.Gym.RolloutRan(context.Background(), time.Second)
	if len(m.collect(t)) != 1 {
		t.Error("nothing is recorded after a provider broke")
	}
}

// TestExemplar: a sample of a histogram leads to its trace.
func TestExemplar(t *testing.T) {
	m := newMeter(t)
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled}))
	metrics.Gym.RolloutRan(ctx, time.Second)
	if got := m.collect(t)["gym.rollout.duration_ms"].points[0].exemplars; got != 1 {
		t.Errorf("%d exemplars, want 1", got)
	}
}

// TestConcurrent: many goroutines make the instruments and the sets of attributes at once, and no sample is lost.
func TestConcurrent(t *testing.T) {
	m := newMeter(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				metrics.Gym.PoolConnected(context.Background(), string(rune('a'+i%20)))
			}
		})
	}
	wg.Wait()
	var sum float64
	for _, p := range m.collect(t)["gym.http.connection_pool.connect_total"].points {
		sum += p.value
	}
	if sum != 8*500 {
		t.Errorf("counted %v, want %d", sum, 8*500)
	}
}

// TestAllocations: a call site costs no memory, with a provider and without.
func TestAllocations(t *testing.T) {
	ctx := context.Background()
	record := func() {
		metrics.Gym.RolloutRan(ctx, time.Second)
		metrics.Gym.Verified(ctx, time.Second, true)
		metrics.Gym.RolloutEnded(ctx, semconv.OutcomeFailed, semconv.FailureTimeout, "")
		metrics.Gym.RequestsInFlight(ctx, "policy_model", 1)
		metrics.Gym.Request(ctx, "POST", "/verify", 500, time.Second)
		metrics.Gym.PoolConnected(ctx, "policy_model")
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

// BenchmarkVerified is the cost of a call site.
func BenchmarkVerified(b *testing.B) {
	ctx := context.Background()
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			metrics.Gym.Request(ctx, "POST", "/verify", 200, time.Millisecond)
		}
	}
	defer seam.SetMeterProvider(nil)
	seam.SetMeterProvider(noop.NewMeterProvider())
	b.Run("Off", run)
	seam.SetMeterProvider(newProvider())
	b.Run("On", run)
}

func newProvider() *sdkmetric.MeterProvider {
	return sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
}
