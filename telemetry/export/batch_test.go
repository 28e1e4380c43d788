package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// TestBurst: 20,000 spans end while the exporter is busy with the first batch. By default ours drops none, and the SDK's
// default does, which is why there is one of ours.
func TestBurst(t *testing.T) {
	const burst = 20_000
	one := span("x")
	through := func(t *testing.T, new func(sdktrace.SpanExporter) sdktrace.SpanProcessor) int {
		release := make(chan struct{})
		r := &recorder{export: func(context.Context, int) error { <-release; return nil }}
		p := new(r)
		for range burst {
			p.OnEnd(one)
		}
		close(release)
		noError(t, p.Shutdown(t.Context()))
		return len(r.names())
	}
	t.Run("Batch", func(t *testing.T) {
		var b *export.Batch
		n := through(t, func(e sdktrace.SpanExporter) sdktrace.SpanProcessor {
			b = export.NewBatch(e, export.BatchConfig{})
			return b
		})
		if n != burst {
			t.Errorf("%d of %d spans came through", n, burst)
		}
		if want := (export.Stats{Ended: burst, Exported: burst}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
	})
	t.Run("stock", func(t *testing.T) {
		n := through(t, func(e sdktrace.SpanExporter) sdktrace.SpanProcessor { return sdktrace.NewBatchSpanProcessor(e) })
		if n >= burst {
			t.Error("the SDK's processor dropped nothing: is ours still needed?")
		}
	})
}

func TestBatch_counts_drops_and_warns_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		release := make(chan struct{})
		r := &recorder{export: func(context.Context, int) error { <-release; return nil }}
		b := export.NewBatch(r, export.BatchConfig{
			QueueSize: 10, BatchSize: 5, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		end(b, strings.Fields("a b c d e")...)
		synctest.Wait() // the exporter holds these five
		for range 15 {
			b.OnEnd(span("more"))
		}
		if want := (export.Stats{Ended: 20, Dropped: 5}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
		close(release)
		noError(t, b.Shutdown(t.Context()))
		if want := (export.Stats{Ended: 20, Exported: 15, Dropped: 5}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
		if n := strings.Count(log.String(), "being dropped"); n != 1 {
			t.Errorf("warned %d times:\n%s", n, &log)
		}
		if !strings.Contains(log.String(), "OTEL_BSP_MAX_QUEUE_SIZE") {
			t.Errorf("the warning does not say what to do:\n%s", &log)
		}
	})
}

func TestBatch_counts_failures_and_says_them_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := &recorder{export: func(context.Context, int) error { return errors.New("collector on fire") }}
		b := export.NewBatch(r, export.BatchConfig{
			QueueSize: 10, BatchSize: 1, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		for range 3 {
			b.OnEnd(span("x"))
			synctest.Wait()
		}
		if want := (export.Stats{Ended: 3, Failed: 3, Failures: 3}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
		if n := strings.Count(log.String(), "collector on fire"); n != 1 {
			t.Errorf("said %d times:\n%s", n, &log)
		}
		noError(t, b.Shutdown(t.Context()))
	})
}

// An error that a caller gets is not logged as well.
func TestBatch_flush_error_is_not_logged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		no := errors.New("no")
		r := &recorder{export: func(context.Context, int) error { return no }}
		b := export.NewBatch(r, export.BatchConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		b.OnEnd(span("x"))
		if err := b.Shutdown(t.Context()); !errors.Is(err, no) {
			t.Errorf("Shutdown: %v", err)
		}
		if log.Len() > 0 {
			t.Errorf("logged as well:\n%s", &log)
		}
	})
}

// TestBatch_shutdown_deadline: SH-05. The call ends with its context, the export in flight is cancelled, and what was left
// is counted.
func TestBatch_shutdown_deadline(t *testing.T) {
	for _, c := range []struct {
		name  string
		spans int // 4 make a batch, whose export is under way when Shutdown comes
	}{{"before the request is taken", 7}, {"while it is worked on", 3}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{export: hang}
				b := export.NewBatch(r, export.BatchConfig{BatchSize: 4})
				for range c.spans {
					b.OnEnd(span("x"))
				}
				synctest.Wait()
				wantEnd(t, 10*time.Millisecond, b.Shutdown)
				synctest.Wait()
				s := b.Stats()
				if lost := s.Failed + s.Dropped; s.Ended != uint64(c.spans) || lost != uint64(c.spans) {
					t.Errorf("Stats %+v, want all %d lost", s, c.spans)
				}
				if r.shutdowns() != 1 {
					t.Errorf("the exporter was shut down %d times", r.shutdowns())
				}
				if s.Failed == 0 {
					t.Error("the export under way is not among the failed")
				}
				// Later calls have the first result, at once.
				if err := b.Shutdown(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("second Shutdown: %v", err)
				}
			})
		})
	}
}

// A Shutdown that runs out of time says why the exporter needed more, and leaves no span uncounted.
func TestBatch_shutdown_deadline_names_the_reason(t *testing.T) {
	for _, spans := range []int{4, 3} { // the export under way is the goroutine's own, or that of Shutdown
		synctest.Test(t, func(t *testing.T) {
			busy := errors.New("503 come back later")
			r := &recorder{export: func(ctx context.Context, _ int) error { <-ctx.Done(); return busy }}
			b := export.NewBatch(r, export.BatchConfig{BatchSize: 4})
			for range spans {
				b.OnEnd(span("x"))
			}
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := b.Shutdown(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, busy) {
				t.Errorf("%d spans: %v, want the deadline and the reason", spans, err)
			}
			if want := (export.Stats{Ended: uint64(spans), Failed: uint64(spans), Failures: 1}); b.Stats() != want {
				t.Errorf("Stats %+v, want %+v", b.Stats(), want)
			}
		})
	}
}

// An exporter that does not look at its context cannot hold Shutdown for longer than a moment.
func TestBatch_shutdown_deaf_exporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &recorder{export: func(context.Context, int) error { <-release; return nil }}
		b := export.NewBatch(r, export.BatchConfig{BatchSize: 1})
		b.OnEnd(span("x"))
		b.OnEnd(span("y"))
		synctest.Wait()
		wantEnd(t, time.Second, b.ForceFlush)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := b.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
		if took := time.Since(start); took > time.Second+100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		if want := (export.Stats{Ended: 2, Dropped: 2}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
		close(release)
		synctest.Wait()
		if want := (export.Stats{Ended: 2, Exported: 1, Dropped: 1}); b.Stats() != want {
			t.Errorf("Stats %+v, want %+v", b.Stats(), want)
		}
	})
}

// A program that ends spans faster than they leave does not keep a flush waiting.
func TestBatch_flush_while_batches_keep_filling(t *testing.T) {
	const many = 1000
	synctest.Test(t, func(t *testing.T) {
		var b *export.Batch
		r := &recorder{export: func(_ context.Context, call int) error {
			time.Sleep(time.Millisecond)
			if call < many { // each export finds the next batch full
				end(b, "x", "x")
			}
			return nil
		}}
		b = export.NewBatch(r, export.BatchConfig{QueueSize: 8, BatchSize: 2, Delay: time.Hour})
		end(b, "x", "x")
		synctest.Wait()
		start := time.Now()
		noError(t, b.ForceFlush(t.Context()))
		if took := time.Since(start); took > many/2*time.Millisecond {
			t.Errorf("the flush had to wait for the exports of %v", took)
		}
		noError(t, b.Shutdown(t.Context()))
	})
}

func TestBatch_concurrent_shutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &recorder{export: func(context.Context, int) error { <-release; return nil }}
		b := export.NewBatch(r, export.BatchConfig{})
		b.OnEnd(span("x"))
		first := make(chan error, 1)
		go func() { first <- b.Shutdown(context.Background()) }()
		synctest.Wait()
		wantEnd(t, time.Second, b.Shutdown) // its own context ends first
		close(release)
		noError(t, <-first)
		noError(t, b.Shutdown(t.Context()))
	})
}

func TestBatch_panicking_exporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{export: func(context.Context, int) error { panic("oh") }}
		b := export.NewBatch(r, export.BatchConfig{})
		b.OnEnd(span("x"))
		if err := b.ForceFlush(t.Context()); err == nil || !strings.Contains(err.Error(), "oh") {
			t.Errorf("ForceFlush: %v", err)
		}
		r.export = nil
		b.OnEnd(span("y"))
		noError(t, b.Shutdown(t.Context()))
		wantBatches(t, r, "y")
	})
}

// ender is a log handler whose writer is traced itself.
type ender struct {
	slog.Handler
	b *export.Batch
}

func (e *ender) Handle(context.Context, slog.Record) error {
	e.b.OnEnd(span("log"))
	return nil
}

func TestBatch_logger_that_ends_spans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &recorder{export: func(context.Context, int) error { <-release; return errors.New("no") }}
		h := &ender{Handler: slog.DiscardHandler}
		h.b = export.NewBatch(r, export.BatchConfig{QueueSize: 2, BatchSize: 1, Logger: slog.New(enabled{h})})
		for range 10 {
			h.b.OnEnd(span("x"))
		}
		close(release)
		_ = h.b.Shutdown(t.Context())
	})
}

// enabled takes every record.
type enabled struct{ slog.Handler }

func (enabled) Enabled(context.Context, slog.Level) bool { return true }

// TestBatch_accounts_for_every_span ends spans from many goroutines while others flush, and wants the sum to be right.
func TestBatch_accounts_for_every_span(t *testing.T) {
	const writers, each = 8, 5_000
	r := &recorder{export: func(_ context.Context, call int) error {
		if call%7 == 3 {
			return errors.New("no")
		}
		return nil
	}}
	b := export.NewBatch(r, export.BatchConfig{
		QueueSize: 257, BatchSize: 31, Logger: slog.New(slog.DiscardHandler),
	})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				b.OnEnd(span(fmt.Sprintf("%d/%d", w, i)))
				if i%1000 == 0 {
					_ = b.ForceFlush(context.Background())
				}
				if s := b.Stats(); s.Exported+s.Failed+s.Dropped > s.Ended {
					t.Errorf("more left than ended: %+v", s)
					return
				}
			}
		})
	}
	wg.Wait()
	_ = b.Shutdown(t.Context())
	s := b.Stats()
	if s.Ended != writers*each || s.Exported+s.Failed+s.Dropped != s.Ended {
		t.Errorf("Stats %+v do not add up to %d", s, writers*each)
	}
	names := r.names()
	if uint64(len(names)) != s.Exported {
		t.Errorf("the exporter took %d, Stats says %d", len(names), s.Exported)
	}
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			t.Fatalf("span %s was exported twice", n)
		}
		seen[n] = true
	}
}

// A queue smaller than a batch bounds the batch.
func TestBatch_sizes(t *testing.T) {
	for _, queue := range []int{1, 2, 3, 5} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{}
			b := export.NewBatch(r, export.BatchConfig{QueueSize: queue, BatchSize: 100})
			for i := range 4 * queue {
				b.OnEnd(span(fmt.Sprint(i)))
				if (i+1)%queue == 0 {
					synctest.Wait()
				}
			}
			noError(t, b.Shutdown(t.Context()))
			if n := len(r.taken()); n != 4 {
				t.Errorf("queue %d: %d batches, want 4", queue, n)
			}
			if n := len(r.names()); n != 4*queue {
				t.Errorf("queue %d: %d spans, want %d", queue, n, 4*queue)
			}
		})
	}
}

func TestBatch_environment(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "6")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "3")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "250")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "1500")
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := export.NewBatch(r, export.BatchConfig{})
		end(b, "a", "b", "c", "d")
		synctest.Wait()
		wantBatches(t, r, "a b c")
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		wantBatches(t, r, "a b c", "d")

		r.export = hang
		start := time.Now()
		end(b, "e")
		if err := b.ForceFlush(t.Context()); err == nil || !strings.Contains(err.Error(), "OTEL_BSP_EXPORT_TIMEOUT") {
			t.Errorf("ForceFlush: %v", err)
		}
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("an export was cut after %v", took)
		}
		for range 20 {
			b.OnEnd(span("x"))
		}
		if n := b.Stats().Dropped; n < 20-6-3 {
			t.Errorf("%d dropped from a queue of 6", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = b.Shutdown(ctx)
	})
}

func TestBatch_bad_environment(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "many")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "-5")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "5s")
	var log bytes.Buffer
	b := export.NewBatch(nil, export.BatchConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	b.OnEnd(span("x")) // nowhere to go, and no panic
	noError(t, b.Shutdown(t.Context()))
	for _, want := range []string{"QUEUE_SIZE", "BATCH_SIZE", "SCHEDULE_DELAY", "EXPORT_TIMEOUT", "many", "32768", "4096"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no warning names %s:\n%s", want, &log)
		}
	}
}

// A number that is far too large must neither take all memory nor turn around and wake the goroutine for ever.
func TestBatch_giant_environment(t *testing.T) {
	for _, variable := range []string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "OTEL_BSP_SCHEDULE_DELAY",
		"OTEL_BSP_EXPORT_TIMEOUT"} {
		for _, value := range []string{"99999999999", "9223372036854775807", "99999999999999999999"} {
			t.Run(variable+"="+value, func(t *testing.T) {
				t.Setenv(variable, value)
				var log bytes.Buffer
				b := export.NewBatch(nil, export.BatchConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				b.OnEnd(span("x"))
				noError(t, b.Shutdown(t.Context()))
				if !strings.Contains(log.String(), variable) {
					t.Errorf("no warning:\n%s", &log)
				}
			})
		}
	}
}

func TestBatch_OnEnd_allocates_nothing(t *testing.T) {
	b := export.NewBatch(&recorder{}, export.BatchConfig{Delay: time.Hour, QueueSize: 1000, Logger: slog.New(slog.DiscardHandler)})
	defer b.Shutdown(t.Context())
	s := span("x")
	if n := testing.AllocsPerRun(500, func() { b.OnEnd(s) }); n != 0 {
		t.Errorf("OnEnd allocates %v times", n)
	}
}

func BenchmarkOnEnd(b *testing.B) {
	s := span("x")
	quiet := slog.New(slog.DiscardHandler)
	for name, make := range map[string]func() sdktrace.SpanProcessor{
		"Batch": func() sdktrace.SpanProcessor { return export.NewBatch(nil, export.BatchConfig{Logger: quiet}) },
		"stock": func() sdktrace.SpanProcessor {
			return sdktrace.NewBatchSpanProcessor(&recorder{}, sdktrace.WithMaxQueueSize(export.DefaultQueueSize),
				sdktrace.WithMaxExportBatchSize(export.DefaultBatchSize))
		},
	} {
		b.Run(name, func(b *testing.B) {
			p := make()
			defer p.Shutdown(context.Background())
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					p.OnEnd(s)
				}
			})
		})
	}
}
