package backoff_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
)

func TestDoubling_After(t *testing.T) {
	for name, test := range map[string]struct {
		waits backoff.Doubling
		n     int
		want  time.Duration // the longest
	}{
		"the first":           {backoff.Doubling{First: 10, Most: 70}, 1, 10},
		"doubled":             {backoff.Doubling{First: 10, Most: 70}, 3, 40},
		"bounded":             {backoff.Doubling{First: 10, Most: 70}, 4, 70},
		"exactly the most":    {backoff.Doubling{First: 10, Most: 40}, 3, 40},
		"long after":          {backoff.Doubling{First: 10, Most: 70}, math.MaxInt, 70},
		"would not fit":       {backoff.Doubling{First: math.MaxInt64/2 + 1, Most: math.MaxInt64}, 2, math.MaxInt64},
		"first above most":    {backoff.Doubling{First: 90, Most: 70}, 1, 70},
		"no wait":             {backoff.Doubling{}, 5, 0},
		"none, however often": {backoff.Doubling{Most: 70}, math.MaxInt, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.waits.After(test.n, 0); got != test.want {
				t.Errorf("waits %d, want %d", got, test.want)
			}
			// A half of it may go, and no more; the last digits of the largest numbers are lost on the way.
			if got := test.waits.After(test.n, 0.999999); got < test.want/2-1024 || got > test.want/2+test.want/1000+1 {
				t.Errorf("shortened it waits %d of %d", got, test.want)
			}
		})
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := backoff.Wait(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began = time.Now()
		if err := backoff.Wait(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		for _, d := range []time.Duration{-1, 0, 1} {
			if err := backoff.Wait(t.Context(), d); err != nil {
				t.Errorf("%d: %v", d, err)
			}
			if err := backoff.Wait(ctx, d); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d with a context that is over: %v", d, err)
			}
		}
	})
}
