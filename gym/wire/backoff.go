package wire

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff says how a call is sent again: after delays that double from first to most, each shortened by chance by up to
// a half, until budget is used up. Then whoever waits is told.
type backoff struct {
	first, most, budget time.Duration
}

// defaultBackoff outlasts the restart of a listener and a full accept queue; a server that is down for good is reported
// while a person still looks at the screen.
var defaultBackoff = backoff{first: 25 * time.Millisecond, most: 400 * time.Millisecond, budget: 2 * time.Second}

// delay returns how long to wait before sending for the n-th time again, from 1, when the call has been trying for
// elapsed; chance is in [0, 1). It is false when the budget does not reach.
func (b backoff) delay(n int, elapsed time.Duration, chance float64) (time.Duration, bool) {
	d := b.most
	if n < 32 {
		d = min(b.most, b.first<<(n-1))
	}
	d -= time.Duration(chance * float64(d) / 2)
	return d, elapsed+d <= b.budget
}

// wait sleeps before sending again; it is false when there will be no more sending.
func (b backoff) wait(ctx context.Context, n int, since time.Time) bool {
	d, ok := b.delay(n, time.Since(since), rand.Float64())
	if !ok {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
