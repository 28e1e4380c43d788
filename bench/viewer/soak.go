package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
	"github.com/lensgo/lens/viewer"
)

// The soak is a day of 1,000 spans a second, as quickly as it goes: the times in the spans are those of the day. A run has some
// 80,000 rollouts.
const (
	soakPerSecond = 1000
	soakRunWaves  = 150
	soakSamples   = 24
)

// inside is what only a process itself knows.
type inside struct {
	Goroutines int
	Heap       uint64 // bytes of objects after the last collection
}

// host is a viewer in a process of this program, as `lens view` makes it, which answers each line of its standard input with what
// it looks like inside.
func host(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	retention, err := viewer.ParseRetention(args[1])
	if err != nil {
		return err
	}
	v, err := viewer.Start(ctx, viewer.Options{Data: args[0], Retention: retention, Listen: "127.0.0.1:0", OTLPHTTP: "127.0.0.1:0", OTLPGRPC: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Page %s\nOTLP/HTTP %s\nOTLP/gRPC %s\n", v.URL(), v.OTLPEndpoint(), v.OTLPGRPCEndpoint())
	lines := make(chan struct{})
	go func() {
		defer close(lines)
		var one [1]byte
		for {
			if _, err := stdin.Read(one[:]); err != nil {
				return
			}
			lines <- struct{}{}
		}
	}()
	for {
		select {
		case _, ok := <-lines:
			if !ok {
				return v.Shutdown(context.WithoutCancel(ctx))
			}
			if err := json.NewEncoder(stdout).Encode(look()); err != nil {
				return errors.Join(err, v.Shutdown(context.WithoutCancel(ctx)))
			}
		case <-ctx.Done():
			return v.Shutdown(context.WithoutCancel(ctx))
		}
	}
}

func look() inside {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return inside{runtime.NumGoroutine(), s[0].Value.Uint64()}
}

// soaked is a sample of the soak.
type soaked struct {
	spans float64 // million
	hours float64 // of the day
	inside
	rss, disk float64 // MB
	traces    float64
	rate      float64 // spans a second, since the sample before
	known     float64 // ms until answers know the run that was sent last
}

// soak sends a day's spans to a viewer with retention, with the page's questions asked now and then, and looks at what grows.
func soak(r *run) (err error) {
	dir, err := r.folder("soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := launch(r, 3, self, childHost, dir, r.size.SoakRetain)
	if err != nil {
		return err
	}
	v, err := asked(p)
	if err != nil {
		return err
	}
	defer v.kill()
	stock, err := load.NewStock(load.Gym)
	if err != nil {
		return err
	}
	begin := time.Now().Add(-time.Duration(r.size.SoakSpans) * time.Second / soakPerSecond)
	var source *load.Source
	source = load.NewSource(stock, load.Options{Run: "soak", RunWaves: soakRunWaves, Clock: func(wave int) time.Time {
		return begin.Add(time.Duration(wave*source.PerWave()*load.Batch) * time.Second / soakPerSecond)
	}})
	samples, err := r.soakSamples(v, dir, source)
	if err != nil {
		return err
	}
	r.reportSoak(samples)
	return nil
}

func (r *run) soakSamples(v *viewerProcess, dir string, source *load.Source) (samples []soaked, err error) {
	senders, err := dial(v.program, load.HTTPProtobuf, connections)
	if err != nil {
		return nil, err
	}
	defer hangUp(senders)
	sent := 0
	for k := range soakSamples {
		start := time.Now()
		n, err := load.Drive(r, source, senders, load.Until{Spans: r.size.SoakSpans/soakSamples + 1})
		if err != nil {
			return nil, err
		}
		rate := float64(n) / time.Since(start).Seconds()
		sent += n
		s, err := r.soakSample(v, dir, source, sent/load.Batch)
		if err != nil {
			return nil, err
		}
		s.spans, s.hours, s.rate = float64(sent)/1e6, float64(sent)/soakPerSecond/3600, rate
		samples = append(samples, s)
		if (k+1)%(soakSamples/8) == 0 {
			r.say("soak: %.1f million spans, %.0f MB, %d goroutines", s.spans, s.rss, s.Goroutines)
		}
	}
	return samples, nil
}

// soakSample looks, after it has asked what a page asks.
func (r *run) soakSample(v *viewerProcess, dir string, source *load.Source, requests int) (s soaked, err error) {
	run := source.RunName((requests - 1) / source.PerWave())
	if s.known, err = v.known(r, run); err != nil {
		return s, err
	}
	if _, err := meter.Quiet(r, v.pid(), quietTime); err != nil {
		return s, err
	}
	for _, path := range []string{"/api/v1/runs", "/api/v1/runs/" + run, "/api/v1/runs/" + run + "/rollouts?sort=-dur", "/api/v1/traces", "/api/v1/groups", "/api/v1/services"} {
		if _, err := v.get(r, path, nil); err != nil {
			return s, err
		}
	}
	st, err := v.status(r)
	if err != nil {
		return s, err
	}
	if st.Spans.Received != int64(requests)*load.Batch || st.Spans.Dropped != 0 {
		return s, fmt.Errorf("sent %d spans, %d were received and %d dropped", requests*load.Batch, st.Spans.Received, st.Spans.Dropped)
	}
	if _, err := v.stdin.Write([]byte("\n")); err != nil {
		return s, err
	}
	select {
	case line := <-v.lines:
		if err := json.Unmarshal([]byte(line), &s.inside); err != nil {
			return s, fmt.Errorf("cannot read %q: %w", line, err)
		}
	case <-r.Done():
		return s, context.Cause(r)
	}
	m, err := meter.MemoryOf(v.pid())
	if err != nil {
		return s, err
	}
	disk, err := meter.Disk(dir)
	s.rss, s.disk, s.traces = float64(m.RSS)/1e6, float64(disk)/1e6, float64(st.Store.Traces)
	return s, err
}

// known waits until answers know a run: while the viewer is busy they are a moment behind. It returns milliseconds.
func (v *viewerProcess) known(ctx context.Context, run string) (float64, error) {
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		_, err := v.get(ctx, "/api/v1/runs/"+run, nil)
		var none *statusError
		if err == nil {
			return ms(start), nil
		} else if !errors.As(err, &none) || none.code != 404 || time.Since(start) > patience {
			return 0, err
		}
	}
}

// reportSoak shows every other sample, and the slopes over the second half, when retention has long begun.
func (r *run) reportSoak(all []soaked) {
	table := r.report.section("soak", fmt.Sprintf("%d spans, %d a second of the day, as quickly as it goes; keeps %s", r.size.SoakSpans, soakPerSecond, r.size.SoakRetain),
		"million spans", "spans/s", "RSS MB", "live heap MB", "goroutines", "disk MB", "traces", "ms until known")
	for i, s := range all {
		if i%2 == 1 {
			table.row(fmt.Sprintf("hour %.1f", s.hours), one(s.spans), one(s.rate), one(s.rss), one(float64(s.Heap)/1e6), one(float64(s.Goroutines)), one(s.disk), one(s.traces), one(s.known))
		}
	}
	half := all[len(all)/2:]
	var x, rss, heap, goroutines, disk []float64
	for _, s := range half {
		x, rss, heap = append(x, s.spans), append(rss, s.rss), append(heap, float64(s.Heap)/1e6)
		goroutines, disk = append(goroutines, float64(s.Goroutines)), append(disk, s.disk)
	}
	table.row("slope of the second half, a million", none, none, one(bench.Slope(x, rss)), one(bench.Slope(x, heap)), one(bench.Slope(x, goroutines)), one(bench.Slope(x, disk)), none, none)
	span := x[len(x)-1] - x[0]
	r.report.atMost("soak: growth of memory over the second half", "% of the median", 100*bench.Slope(x, rss)*span/bench.SpreadOf(rss).Median, 5)
	r.report.atMost("soak: growth of the live heap over the second half", "% of the median", 100*bench.Slope(x, heap)*span/bench.SpreadOf(heap).Median, 5)
	r.report.atMost("soak: growth of goroutines over the second half", "goroutines", bench.Slope(x, goroutines)*span, 2)
}
