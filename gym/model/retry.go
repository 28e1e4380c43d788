package model

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
)

// retry says how often and when an endpoint is asked again.
type retry struct {
	backoff.Doubling
	tries       int           // at most, the first among them
	tryTimeout  time.Duration // for one try; 0 is none
	callTimeout time.Duration // for all of them, with the waits; 0 is none
}

// limit is ctx with the time that a call may take.
func (r retry) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.callTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, r.callTimeout, callTimeoutError(r.callTimeout))
}

// wait sleeps until the endpoint may be asked again; it is false when it will not be: the fault would come again, the tries
// are used up, or the call's time is over before the wait is.
func (r retry) wait(ctx context.Context, try int, f *fault) bool {
	if !f.again || try >= r.tries || ctx.Err() != nil {
		return false
	}
	d := r.delay(try, f.after, rand.Float64())
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	return backoff.Wait(ctx, d) == nil
}

// delay is how long to wait after the n-th try, from 1; chance is in [0, 1). An endpoint that says how long gets that, and up
// to a quarter more, so that those who were told the same do not all come back at once. Otherwise waits double.
func (r retry) delay(n int, told time.Duration, chance float64) time.Duration {
	if told > 0 {
		return told + time.Duration(chance*float64(told)/4)
	}
	return r.After(n, chance)
}

// longestTold is as long as an endpoint can say to wait: what a call's time allows is for the call to know.
const longestTold = 24 * time.Hour

// retryAfter is how long an answer says to wait: Retry-After in seconds or as a date, or the finer retry-after-ms of some
// endpoints; 0 when it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return told(ms / 1e3)
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return told(s)
	}
	if at, err := http.ParseTime(text); err == nil {
		return told(time.Until(at).Seconds())
	}
	return 0
}

func told(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN is not
		return 0
	}
	return time.Duration(min(seconds, longestTold.Seconds()) * float64(time.Second))
}
