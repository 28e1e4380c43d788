package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// fakeSender is a collector whose answers a test writes.
type fakeSender struct {
	mu       sync.Mutex
	answer   func(ctx context.Context, body string) (otlp.Answer, error) // nil: it takes everything
	arrived  []string                                                    // what it took, or took without an answer
	requests int
	closed   bool
}

func (f *fakeSender) Send(ctx context.Context, body []byte) (otlp.Answer, error) {
	f.mu.Lock()
	answer := f.answer
	f.requests++
	f.mu.Unlock()
	if answer != nil {
		if a, err := answer(ctx, string(body)); err != nil {
			return a, err
		}
	}
	f.take(string(body))
	return otlp.Answer{}, nil
}

func (f *fakeSender) take(body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived = append(f.arrived, body)
}

func (f *fakeSender) Close() { f.closed = true }

// say changes what it answers.
func (f *fakeSender) say(answer func(ctx context.Context, body string) (otlp.Answer, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

func (f *fakeSender) got() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.arrived)
}

// Answers of collectors in trouble.
func refusedConnection(context.Context, string) (otlp.Answer, error) {
	return otlp.Answer{}, &otlp.Failure{Err: errors.New("connection refused"), Retry: true}
}

func busy(after time.Duration) func(context.Context, string) (otlp.Answer, error) {
	return func(context.Context, string) (otlp.Answer, error) {
		return otlp.Answer{}, &otlp.Failure{Err: errors.New("429"), Retry: true, After: after}
	}
}

func bad(context.Context, string) (otlp.Answer, error) {
	return otlp.Answer{}, &otlp.Failure{Err: errors.New("400")}
}

func hangs(ctx context.Context, _ string) (otlp.Answer, error) {
	<-ctx.Done()
	return otlp.Answer{}, &otlp.Failure{Err: ctx.Err(), Retry: true, MayHaveArrived: true}
}

// deliveryTo makes a delivery before a fake, with a spool in root unless that is empty.
func deliveryTo(t *testing.T, f *fakeSender, root string, most int64) *delivery {
	t.Helper()
	d := &delivery{sender: f, log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	d.target = otlp.Target{Signal: otlp.Traces, URL: &url.URL{Scheme: "http", Host: "collector"}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if root == "" {
		return d
	}
	s, err := spool.Open(root, spool.Destination{Key: "k", Signal: "TRACES"}, spool.Options{MaxBytes: most, Log: d.log})
	if err != nil {
		t.Fatal(err)
	}
	d.spoolTo(s)
	return d
}

func privateDir(t *testing.T) string { return t.TempDir() + "/spool" }

func deliverN(t *testing.T, d *delivery, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := d.deliver(t.Context(), fmt.Appendf(nil, "r%03d", i), 10); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}

func names(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("r%03d", i))
	}
	return all
}

func endDelivery(t *testing.T, d *delivery, within time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := d.shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func wantArrived(t *testing.T, f *fakeSender, want []string) {
	t.Helper()
	if got := f.got(); !slices.Equal(got, want) {
		t.Errorf("arrived: %v\nwant: %v", got, want)
	}
}

func wantStats(t *testing.T, d *delivery, want DeliveryStats) {
	t.Helper()
	if got := d.Stats(); got != want {
		t.Errorf("stats %+v\nwant  %+v", got, want)
	}
}

// A collector that is away for 40 seconds costs nothing but the time, and the order stays.
func TestDelivery_away(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		deliverN(t, d, 0, 5)
		f.say(refusedConnection)
		began := time.Now()
		deliverN(t, d, 5, 50)
		if took := time.Since(began); took > patience {
			t.Errorf("exports waited %v for a collector that is away", took)
		}
		if s := d.Stats(); s.Sent != 50 || s.Spooled != 450 {
			t.Errorf("while it is away: %+v", s)
		}
		time.Sleep(40 * time.Second)
		f.say(nil)
		time.Sleep(2 * mostPause)
		synctest.Wait()
		wantArrived(t, f, names(0, 50))
		deliverN(t, d, 50, 60)
		endDelivery(t, d, time.Second)
		wantArrived(t, f, names(0, 60))
		wantStats(t, d, DeliveryStats{Sent: 600, SpooledRequests: 45})
	})
}

// An export waits for patience once; what comes behind a request that hangs waits for nothing.
func TestDelivery_hangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{answer: hangs}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		began := time.Now()
		deliverN(t, d, 0, 20)
		if took := time.Since(began); took != patience {
			t.Errorf("20 exports waited %v, want %v", took, patience)
		}
		f.say(nil) // the one that hangs goes on to hang
		time.Sleep(time.Second)
		synctest.Wait()
		wantArrived(t, f, nil)
		endDelivery(t, d, 5*time.Second)
		wantStats(t, d, DeliveryStats{Spooled: 200, SpooledRequests: 20})
	})
}

// A request without an answer is sent again and counted, a request that was answered is sent again and is not.
func TestDelivery_counts_what_may_come_twice(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrived bool
	}{{"no answer", true}, {"429", false}} {
		for _, root := range []string{"", "spool"} {
			t.Run(c.name+root, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fakeSender{}
					first := true
					f.say(func(_ context.Context, body string) (otlp.Answer, error) {
						if !first {
							return otlp.Answer{}, nil
						}
						first = false
						if c.arrived {
							f.take(body)
						}
						return otlp.Answer{}, &otlp.Failure{Err: errors.New("no"), Retry: true, MayHaveArrived: c.arrived}
					})
					if root != "" {
						root = privateDir(t)
					}
					d := deliveryTo(t, f, root, 1<<20)
					deliverN(t, d, 0, 2)
					time.Sleep(time.Minute)
					endDelivery(t, d, time.Second)
					want := DeliveryStats{Sent: 20}
					if c.arrived {
						want.Repeated, want.RepeatedRequests = 10, 1
					}
					if root != "" {
						want.SpooledRequests = 2
					}
					wantStats(t, d, want)
				})
			})
		}
	}
}

// What a collector asks for is granted, and a pause grows else.
func TestDelivery_waits_as_asked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{answer: busy(45 * time.Second)}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		deliverN(t, d, 0, 1)
		f.say(nil)
		time.Sleep(44 * time.Second)
		synctest.Wait()
		wantArrived(t, f, nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantArrived(t, f, names(0, 1))
		endDelivery(t, d, time.Second)
	})
}

func TestDelivery_pauses_grow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{answer: refusedConnection}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		deliverN(t, d, 0, 1)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		f.mu.Lock()
		n := f.requests
		f.mu.Unlock()
		// 0.5 s times 1.6 each reaches 30 s after nine; then one in 24 to 36 s.
		if n < 24 || n > 36 {
			t.Errorf("%d tries in ten minutes", n)
		}
		endDelivery(t, d, time.Second)
	})
}

// What is refused for good is lost and does not stop what is behind it.
func TestDelivery_refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		f.say(bad)
		if err := d.deliver(t.Context(), []byte("x"), 7); err == nil {
			t.Error("no error of a request that is refused")
		}
		f.say(refusedConnection)
		deliverN(t, d, 0, 3)
		f.say(func(_ context.Context, body string) (otlp.Answer, error) {
			if body == "r001" {
				return bad(t.Context(), body)
			}
			return otlp.Answer{}, nil
		})
		time.Sleep(time.Minute)
		endDelivery(t, d, time.Second)
		wantArrived(t, f, []string{"r000", "r002"})
		wantStats(t, d, DeliveryStats{Sent: 20, Refused: 17, SpooledRequests: 3})
	})
}

func TestDelivery_partial_success(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deliveryTo(t, &fakeSender{}, "", 0)
		d.sender = partial{}
		var said bytes.Buffer
		d.log = slog.New(slog.NewTextHandler(&said, nil))
		d.target.Header = http.Header{"X-Key": {"s3cr3t"}}
		deliverN(t, d, 0, 1)
		wantStats(t, d, DeliveryStats{Sent: 7, Rejected: 3})
		if !strings.Contains(said.String(), "three are odd, xxxxx") {
			t.Errorf("the log says %s", &said)
		}
		endDelivery(t, d, time.Second)
	})
}

type partial struct{}

func (partial) Send(context.Context, []byte) (otlp.Answer, error) {
	return otlp.Answer{Rejected: 3, Message: "three are odd, s3cr3t"}, nil
}

func (partial) Close() {}

// What one process leaves another one sends, and counts apart.
func TestDelivery_next_process(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := privateDir(t)
		f := &fakeSender{answer: refusedConnection}
		d := deliveryTo(t, f, root, 1<<20)
		deliverN(t, d, 0, 8)
		endDelivery(t, d, time.Second)
		wantStats(t, d, DeliveryStats{Spooled: 80, SpooledRequests: 8})

		next := &fakeSender{}
		d = deliveryTo(t, next, root, 1<<20)
		deliverN(t, d, 8, 10)
		endDelivery(t, d, time.Second)
		wantArrived(t, next, names(0, 10))
		s := d.Stats()
		if s.Sent != 20 || s.Recovered != 80 || s.Spooled != 0 || s.Repeated != 0 {
			t.Errorf("stats of the next: %+v", s)
		}
	})
}

// A program that ends in a pause of its own tries once more, since the collector may be back, and waits little for one that hangs. A
// pause that the collector asked for holds.
func TestDelivery_tries_before_the_end(t *testing.T) {
	hang := func(ctx context.Context, _ string) (otlp.Answer, error) {
		<-ctx.Done()
		return otlp.Answer{}, &otlp.Failure{Err: ctx.Err(), Retry: true, MayHaveArrived: true}
	}
	for name, c := range map[string]struct {
		before, after func(context.Context, string) (otlp.Answer, error)
		arrived       []string
		within        time.Duration
	}{
		"back":           {refusedConnection, nil, names(0, 3), 0},
		"away":           {refusedConnection, refusedConnection, nil, 0},
		"hangs":          {refusedConnection, hang, nil, lastTryTime},
		"asked to wait":  {busy(time.Minute), nil, nil, 0},
		"refuses by now": {refusedConnection, bad, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeSender{answer: c.before}
				d := deliveryTo(t, f, privateDir(t), 1<<20)
				deliverN(t, d, 0, 3)
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				f.say(c.after)
				began := time.Now()
				endDelivery(t, d, time.Hour)
				if took := time.Since(began); took > c.within {
					t.Errorf("the shutdown took %v", took)
				}
				wantArrived(t, f, c.arrived)
			})
		})
	}
}

// A full spool drops its oldest, and says how much.
func TestDelivery_overflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSender{answer: refusedConnection}
		d := deliveryTo(t, f, privateDir(t), 1<<20)
		body := make([]byte, 50<<10)
		for range 40 {
			if err := d.deliver(t.Context(), body, 1); err != nil {
				t.Fatal(err)
			}
		}
		s := d.Stats()
		if s.Spooled+s.Overflowed != 40 || s.Overflowed < 20 || s.Spooled < 15 {
			t.Errorf("stats of 2 MB in 1 MiB: %+v", s)
		}
		endDelivery(t, d, time.Second)
	})
}

// Without a spool an export tries until its time is over, and the last one of a program not that long when nobody is there.
func TestDelivery_without_spool(t *testing.T) {
	for _, c := range []struct {
		name        string
		answer      func(context.Context, string) (otlp.Answer, error)
		ctx         func(context.Context) (context.Context, context.CancelFunc)
		least, most time.Duration
		lost        DeliveryStats
	}{
		{"away", refusedConnection, within(20 * time.Second), 10 * time.Second, 20 * time.Second, DeliveryStats{Unsent: 10}},
		{"away, no deadline", refusedConnection, context.WithCancel, 30 * time.Second, mostInsist, DeliveryStats{Unsent: 10}},
		{"hangs", hangs, within(20 * time.Second), 20 * time.Second, 20 * time.Second, DeliveryStats{Unsent: 10}},
		{"asks for longer than there is", busy(time.Minute), within(20 * time.Second), 0, 0, DeliveryStats{Unsent: 10}},
		{"refuses", bad, within(20 * time.Second), 0, 0, DeliveryStats{Refused: 10}},
		{"away at the end", refusedConnection, atTheEnd, 0, 2 * firstPause, DeliveryStats{Unsent: 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := deliveryTo(t, &fakeSender{answer: c.answer}, "", 0)
				ctx, cancel := c.ctx(t.Context())
				defer cancel()
				began := time.Now()
				if err := d.deliver(ctx, []byte("x"), 10); err == nil {
					t.Error("no error")
				}
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("took %v, want %v to %v", took, c.least, c.most)
				}
				wantStats(t, d, c.lost)
				endDelivery(t, d, time.Second)
			})
		})
	}
}

func within(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

func atTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(Last(ctx), 20*time.Second)
}

// A shutdown during exports neither hangs nor loses what it was given.
func TestDelivery_shutdown_during_exports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := privateDir(t)
		f := &fakeSender{answer: func(ctx context.Context, _ string) (otlp.Answer, error) {
			select {
			case <-time.After(30 * time.Millisecond):
				return otlp.Answer{}, nil
			case <-ctx.Done():
				return otlp.Answer{}, &otlp.Failure{Err: ctx.Err(), Retry: true, MayHaveArrived: true}
			}
		}}
		d := deliveryTo(t, f, root, 1<<20)
		var taken sync.WaitGroup
		var mu sync.Mutex
		lost := map[string]bool{}
		for g := range 4 {
			taken.Go(func() {
				for i := range 20 {
					body := fmt.Sprintf("g%d.%d", g, i)
					if err := d.deliver(t.Context(), []byte(body), 1); err != nil {
						mu.Lock()
						lost[body] = true
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		endDelivery(t, d, 100*time.Millisecond)
		taken.Wait()
		next := &fakeSender{}
		d2 := deliveryTo(t, next, root, 1<<20)
		endDelivery(t, d2, time.Second)
		all := append(f.got(), next.got()...)
		for g := range 4 {
			for i := range 20 {
				body := fmt.Sprintf("g%d.%d", g, i)
				if !lost[body] && !slices.Contains(all, body) {
					t.Errorf("%s was taken and has not arrived", body)
				}
			}
		}
		s := d.Stats()
		if sum := s.Sent + s.Spooled + s.Unsent; sum != 80 {
			t.Errorf("80 went in, and the counts say %d: %+v", sum, s)
		}
	})
}
