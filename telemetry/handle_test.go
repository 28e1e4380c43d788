//go:build !lens_off

package telemetry_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

func TestHandle_nil(t *testing.T) {
	var h *telemetry.Handle
	if h.Exporting() || h.Stats() != (telemetry.Stats{}) || h.RunID() != "" || !h.Closed() || h.Borrow() != nil {
		t.Error("a nil handle is not off")
	}
	if err := errors.Join(h.ForceFlush(t.Context()), h.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestHandle_Shutdown_is_idempotent(t *testing.T) {
	h, exported := setup(t, config())
	no := errors.New("no")
	exported.export = func(context.Context) error { return no }
	_, span := lens.Start(t.Context(), "x")
	span.End()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := h.Shutdown(context.Background()); !errors.Is(err, no) {
				t.Errorf("Shutdown: %v, want the first result", err)
			}
		})
	}
	wg.Wait()
	if err := h.Shutdown(t.Context()); !errors.Is(err, no) {
		t.Errorf("a later Shutdown: %v", err)
	}
	if exported.closed != 1 {
		t.Errorf("the exporter was shut down %d times", exported.closed)
	}
	if s := h.Stats(); s != (telemetry.Stats{Ended: 1, Failed: 1}) {
		t.Errorf("Stats %+v", s)
	}
	if err := h.ForceFlush(t.Context()); err != nil {
		t.Errorf("a flush after the shutdown: %v", err)
	}
}

// The budget is the caller's: when it is over Shutdown returns, and everything is shut down all the same.
func TestHandle_Shutdown_deadline(t *testing.T) {
	for _, c := range []struct {
		name  string
		ended bool // before Shutdown is called, else while the exporter hangs
	}{{"over before", true}, {"over while the exporter hangs", false}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := &watcher{}
			h, exported := setup(t, config(), otelopt.WithSpanProcessor(w))
			exported.export = func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }
			_, span := lens.Start(t.Context(), "x")
			span.End()
			if c.ended {
				cancel()
			}
			if err := h.Shutdown(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Shutdown: %v", err)
			}
			if !slices.Contains(w.log, "shutdown") {
				t.Errorf("a processor was left running: %v", w.log)
			}
			if telemetry.Current() != nil {
				t.Error("still set up")
			}
		})
	}
}

// A second Shutdown that must not wait does not.
func TestHandle_Shutdown_second_context(t *testing.T) {
	h, exported := setup(t, config())
	entered, release := make(chan struct{}), make(chan struct{})
	exported.export = func(context.Context) error { close(entered); <-release; return nil }
	_, span := lens.Start(t.Context(), "x")
	span.End()
	first := make(chan error, 1)
	go func() { first <- h.Shutdown(context.Background()) }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("second: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("first: %v", err)
	}
}

func TestHandle_Borrow(t *testing.T) {
	h, exported := setup(t, config())
	b := h.Borrow()
	if !b.Exporting() || b.RunID() != h.RunID() || b.Closed() {
		t.Errorf("borrowed: exporting %v, run %q, closed %v", b.Exporting(), b.RunID(), b.Closed())
	}
	_, span := lens.Start(t.Context(), "x")
	span.End()
	shutdown(t, b)
	if !b.Closed() || h.Closed() || telemetry.Current() != h {
		t.Error("shutting a borrowed handle down touched the owner's")
	}
	if !slices.Equal(exported.names(), []string{"x"}) || b.Stats() != h.Stats() {
		t.Errorf("not flushed: %v", exported.names())
	}
	shutdown(t, h)
	if again := b.Borrow(); !again.Closed() {
		t.Error("a handle borrowed of a closed one is open")
	}
}
