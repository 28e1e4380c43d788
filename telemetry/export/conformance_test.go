package export_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// size is what a case asks of a processor.
type size struct {
	queue, batch   int
	delay, timeout time.Duration
}

// makers are the processors that must behave alike.
var makers = map[string]func(sdktrace.SpanExporter, size) sdktrace.SpanProcessor{
	"Batch": func(e sdktrace.SpanExporter, s size) sdktrace.SpanProcessor {
		return export.NewBatch(e, export.BatchConfig{
			QueueSize: s.queue, BatchSize: s.batch, Delay: s.delay, Timeout: s.timeout,
		})
	},
	"stock": func(e sdktrace.SpanExporter, s size) sdktrace.SpanProcessor {
		return sdktrace.NewBatchSpanProcessor(e,
			sdktrace.WithMaxQueueSize(s.queue), sdktrace.WithMaxExportBatchSize(s.batch),
			sdktrace.WithBatchTimeout(s.delay), sdktrace.WithExportTimeout(s.timeout))
	},
}

var ordinary = size{queue: 100, batch: 4, delay: time.Hour, timeout: 30 * time.Second}

// hang waits for the end of ctx.
func hang(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

func end(p sdktrace.SpanProcessor, names ...string) {
	for _, n := range names {
		p.OnEnd(span(n))
	}
}

// TestConformance runs one set of cases against our processor and the SDK's.
func TestConformance(t *testing.T) {
	cases := []struct {
		name string
		size size
		run  func(t *testing.T, p sdktrace.SpanProcessor, r *recorder)
	}{
		{"a full batch leaves at once", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			end(p, "a", "b", "c", "d")
			synctest.Wait()
			wantBatches(t, r, "a b c d")
		}},
		{"a part of a batch waits for the delay", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			end(p, "a", "b")
			time.Sleep(time.Hour - time.Millisecond)
			synctest.Wait()
			wantBatches(t, r)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			wantBatches(t, r, "a b")
		}},
		{"flush exports what ended before", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			end(p, "a")
			noError(t, p.ForceFlush(t.Context()))
			wantBatches(t, r, "a")
			noError(t, p.ForceFlush(t.Context()))
			wantBatches(t, r, "a")
		}},
		{"no batch is larger than its maximum, and the order stays", ordinary,
			func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
				names := strings.Fields("a b c d e f g h i j")
				end(p, names...)
				noError(t, p.ForceFlush(t.Context()))
				if got := r.names(); !slices.Equal(got, names) {
					t.Errorf("exported %v, want %v", got, names)
				}
				for _, b := range r.taken() {
					if len(b) > 4 {
						t.Errorf("a batch of %d, the maximum is 4", len(b))
					}
				}
			}},
		{"shutdown exports the rest and closes the exporter once", ordinary,
			func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
				end(p, "a", "b")
				noError(t, p.Shutdown(t.Context()))
				noError(t, p.Shutdown(t.Context()))
				wantBatches(t, r, "a b")
				if n := r.shutdowns(); n != 1 {
					t.Errorf("the exporter was shut down %d times", n)
				}
			}},
		{"nothing leaves after shutdown", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			noError(t, p.Shutdown(t.Context()))
			end(p, "a", "b", "c", "d")
			noError(t, p.ForceFlush(t.Context()))
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			wantBatches(t, r)
		}},
		{"spans that are not sampled are left out", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			p.OnEnd(spanWith("out", 0))
			end(p, "in")
			noError(t, p.ForceFlush(t.Context()))
			wantBatches(t, r, "in")
		}},
		{"an error loses its batch and no other", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			r.export = func(_ context.Context, call int) error {
				if call == 0 {
					return errors.New("no")
				}
				return nil
			}
			end(p, "a", "b", "c", "d")
			synctest.Wait()
			end(p, "e", "f", "g", "h")
			synctest.Wait()
			wantBatches(t, r, "e f g h")
		}},
		{"flush returns the exporter's error", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			no := errors.New("no")
			r.export = func(context.Context, int) error { return no }
			end(p, "a")
			if err := p.ForceFlush(t.Context()); !errors.Is(err, no) {
				t.Errorf("ForceFlush: %v, want %v", err, no)
			}
		}},
		{"an export ends with its timeout", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			r.export = func(ctx context.Context, call int) error {
				if call > 0 {
					return nil
				}
				return hang(ctx, call)
			}
			end(p, "a", "b", "c", "d")
			synctest.Wait()
			end(p, "e", "f", "g", "h")
			time.Sleep(29 * time.Second)
			synctest.Wait()
			wantBatches(t, r)
			time.Sleep(time.Second)
			synctest.Wait()
			wantBatches(t, r, "e f g h")
		}},
		{"flush under an ended context is its error", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			end(p, "a")
			if err := p.ForceFlush(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("ForceFlush: %v", err)
			}
			wantBatches(t, r)
		}},
		{"flush ends with its context", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			r.export = hang
			end(p, "a")
			wantEnd(t, time.Second, p.ForceFlush)
		}},
		{"shutdown ends with its context", ordinary, func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
			r.export = hang
			end(p, "a", "b", "c", "d", "e")
			synctest.Wait()
			wantEnd(t, time.Second, p.Shutdown)
		}},
		{"a full queue drops and does not block", size{queue: 4, batch: 2, delay: time.Hour, timeout: time.Hour},
			func(t *testing.T, p sdktrace.SpanProcessor, r *recorder) {
				release := make(chan struct{})
				r.export = func(context.Context, int) error { <-release; return nil }
				for i := range 100 {
					end(p, fmt.Sprint(i))
				}
				close(release)
				noError(t, p.ForceFlush(t.Context()))
				if n := len(r.names()); n < 4 || n > 10 {
					t.Errorf("%d spans came out of a queue of 4", n)
				}
			}},
	}
	for name, make := range makers {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := &recorder{}
						p := make(r, c.size)
						defer func() {
							ended, cancel := context.WithCancel(context.Background())
							cancel()
							_ = p.Shutdown(ended)
							time.Sleep(10 * time.Minute) // the SDK's goroutine waits for its export's timeout
						}()
						synctest.Wait()
						c.run(t, p, r)
					})
				})
			}
		})
	}
}

func wantBatches(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	got := []string{}
	for _, b := range r.taken() {
		got = append(got, strings.Join(b, " "))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("batches %q, want %q", got, want)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

// wantEnd calls do with a context of the given length in the bubble's time, and wants it to end then, with that error.
func wantEnd(t *testing.T, length time.Duration, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	start := time.Now()
	err := do(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if took := time.Since(start); took != length {
		t.Errorf("it took %v, want %v", took, length)
	}
}
