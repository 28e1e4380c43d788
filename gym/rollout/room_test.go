package rollout

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestRoom(t *testing.T) {
	r := &room{size: 100}
	var taken, most atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			n, err := r.take(t.Context(), int64(i))
			if err != nil {
				t.Error(err)
			}
			now := taken.Add(n)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			taken.Add(-n)
			r.give(n)
		})
	}
	all.Wait()
	if most.Load() > 100 || most.Load() == 0 || r.taken != 0 {
		t.Errorf("%d were taken at once, %d are left", most.Load(), r.taken)
	}
}

// Who does not wait any longer is in nobody's way.
func TestRoom_left(t *testing.T) {
	r := &room{size: 10}
	if n, err := r.take(t.Context(), -1); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	gone := errors.New("gone")
	ctx, leave := context.WithCancelCause(t.Context())
	leave(gone)
	if n, err := r.take(ctx, 9); n != 0 || !errors.Is(err, gone) {
		t.Errorf("%d, %v", n, err)
	}
	r.give(10)
	if n, err := r.take(t.Context(), 10); n != 10 || err != nil {
		t.Error(n, err)
	}
}
