// Package backoff says how long to wait before something is tried again, and waits.
package backoff

import (
	"context"
	"time"
)

// Doubling are waits that double from First to Most. First may be above Most, which then holds; the zero value does not wait.
type Doubling struct {
	First, Most time.Duration
}

// After is how long to wait after the n-th try, from 1: what is due, shortened by up to a half, so that those who were refused
// together do not come back together. Chance is in [0, 1).
func (d Doubling) After(n int, chance float64) time.Duration {
	due := min(d.First, d.Most)
	for i := 1; i < n && 0 < due && due < d.Most; i++ {
		if due > d.Most-due { // in place of due*2 > d.Most, which may not fit
			due = d.Most
		} else {
			due *= 2
		}
	}
	return due - time.Duration(chance*float64(due)/2)
}

// Wait sleeps. It returns before the time with the error of ctx when that ends, which counts before a wait that is over.
func Wait(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
