package export

import (
	"runtime"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestRing_is_first_in_first_out_over_many_laps(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7} {
		r := newRing(size)
		spans := make([]sdktrace.ReadOnlySpan, 5*size)
		for i := range spans {
			spans[i] = tracetest.SpanStub{ChildSpanCount: i}.Snapshot()
		}
		next := 0
		for i := 0; i < len(spans); {
			for ; i < len(spans); i++ {
				if _, ok := r.push(spans[i]); !ok {
					break
				}
			}
			if queued := i - next; queued != size {
				t.Fatalf("size %d: full with %d", size, queued)
			}
			for _, s := range r.pop(make([]sdktrace.ReadOnlySpan, 0, size), r.tail.Load()) {
				if s.ChildSpanCount() != next {
					t.Fatalf("size %d: got span %d, want %d", size, s.ChildSpanCount(), next)
				}
				next++
			}
		}
	}
}

func TestRing_keeps_nothing_alive(t *testing.T) {
	r := newRing(4)
	r.push(tracetest.SpanStub{}.Snapshot())
	r.pop(make([]sdktrace.ReadOnlySpan, 0, 4), 1)
	for i := range r.slots {
		if r.slots[i].span != nil {
			t.Errorf("slot %d still holds a span", i)
		}
	}
}

func TestRing_writers_keep_their_order(t *testing.T) {
	const writers, each = 4, 20_000
	r := newRing(64)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; i < each; {
				s := tracetest.SpanStub{DroppedLinks: w, ChildSpanCount: i}.Snapshot()
				if _, ok := r.push(s); ok {
					i++
				} else {
					runtime.Gosched() // to the reader, who may have no other processor
				}
			}
		})
	}
	var last [writers]int
	buf := make([]sdktrace.ReadOnlySpan, 0, 16)
	for n := 0; n < writers*each; {
		if buf = r.pop(buf[:0], r.tail.Load()); len(buf) == 0 {
			runtime.Gosched()
		}
		for _, s := range buf {
			if w := s.DroppedLinks(); s.ChildSpanCount() != last[w] {
				t.Fatalf("writer %d: got %d, want %d", w, s.ChildSpanCount(), last[w])
			}
			last[s.DroppedLinks()]++
		}
		n += len(buf)
	}
	wg.Wait()
}
