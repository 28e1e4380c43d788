//go:build !lens_off && !race

package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// SH-11: a million spans in a loop before a collector that never answers. A span costs no more when nothing can be queued any
// more, memory is bounded, and what is dropped is counted and said.
func TestPressure(t *testing.T) {
	const spans, chunk = 1_000_000, 20_000 // the queue holds the first chunk
	const most = 128 << 20                 // the queue's 32,768 spans and a batch on its way
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+silent.Addr().String())
	var said bytes.Buffer
	c := config()
	c.MetricsEnabled = false
	h, err := telemetry.Setup(t.Context(), c, telemetry.WithLogger(textLogger(&said)))
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)

	before := live()
	var took []time.Duration
	for n := 0; n < spans; n += chunk {
		began := time.Now()
		for range chunk {
			_, span := lens.Start(t.Context(), "step")
			span.Int("n", n).End()
		}
		took = append(took, time.Since(began))
		if len(took)%10 == 0 && live() > before+most {
			t.Fatalf("after %d spans %d MiB are in use", n, live()>>20)
		}
	}
	// The fastest of many: what else the machine does meanwhile slows some of them down, and a wait would all.
	if fastest := slices.Min(took[2:]); fastest > 5*took[0] {
		t.Errorf("%d spans take %v at least when the queue is full, and took %v before", chunk, fastest, took[0])
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	s := h.Stats()
	if s.Ended != spans || s.Dropped+s.Failed != spans || s.Dropped < spans/2 {
		t.Errorf("Stats %+v", s)
	}
	contains(t, said.String(), "what became of the spans", fmt.Sprintf("ended=%d", spans), fmt.Sprintf("dropped=%d", s.Dropped))
	if n := strings.Count(said.String(), "the span queue is full"); n != 1 {
		t.Errorf("that the queue is full is said %d times", n)
	}
}

// live is the memory that is in use.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
