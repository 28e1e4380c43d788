package wire

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
)

// resend says how a call is sent again: after waits that double, until budget is used up. Then whoever waits is told.
type resend struct {
	backoff.Doubling
	budget time.Duration
}

// defaultResend outlasts the restart of a listener and a full accept queue; a server that is down for good is reported
// while a person still looks at the screen.
var defaultResend = resend{backoff.Doubling{First: 25 * time.Millisecond, Most: 400 * time.Millisecond}, 2 * time.Second}

// wait sleeps before sending for the n-th time again, from 1, when the call has been trying since then; it is false when there will be no
// more sending.
func (r resend) wait(ctx context.Context, n int, since time.Time) bool {
	d := r.After(n, rand.Float64())
	return time.Since(since)+d <= r.budget && backoff.Wait(ctx, d) == nil
}
