package docker

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
)

// How the creation of a sandbox is tried again, unless the options say otherwise.
const (
	createRetries = 2
	retryDelay    = 5 * time.Second
	longestDelay  = time.Minute
)

// passing are parts of what engines and registries say when the same call may be answered in a moment, in lower case.
var passing = []string{
	"toomanyrequests", "too many requests", "timeout", "timed out", "deadline exceeded", "temporarily unavailable", "service unavailable",
	"bad gateway", "internal server error", "connection refused", "connection reset", "unexpected eof", "temporary failure in name resolution",
	"cannot connect to the docker daemon",
}

// mayPass tells whether a creation that failed may succeed when it is tried again: not when the time for it is used up, which is
// then used up once more, and not when something is wrong with what was asked for.
func mayPass(err error) bool {
	if errors.Is(err, errTimeout) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc(passing, func(part string) bool { return strings.Contains(text, part) })
}

// again waits until a creation may be tried again. It is false when it will not be: the tries are used up, the error would come
// again, or the time for the start is over before the wait is.
func (p *Provider) again(ctx context.Context, tries int, left time.Duration, err error) bool {
	if tries > p.retries || !mayPass(err) {
		return false
	}
	delay := p.waits.After(tries, rand.Float64())
	return delay < left && backoff.Wait(ctx, delay) == nil
}
