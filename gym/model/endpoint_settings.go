package model

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
)

// EndpointSettings are the keys that all model servers with an endpoint share. nil stands for the default.
type EndpointSettings struct {
	MaxConcurrent *int     `json:"max_concurrent_requests"` // calls under way at once, others wait (default no bound)
	MaxRetries    *int     `json:"max_retries"`             // tries after the first; 0 is none (default defaultRetries)
	RetryMin      *float64 `json:"retry_min_seconds"`       // the first wait; each next is twice as long (default defaultRetryMin)
	RetryMax      *float64 `json:"retry_max_seconds"`       // the longest wait that the endpoint did not ask for (default defaultRetryMax)
	TryTimeout    *float64 `json:"try_timeout_seconds"`     // for one try; 0 is no bound (default 0)
	CallTimeout   *float64 `json:"call_timeout_seconds"`    // for all tries and waits of a call; 0 is no bound (default defaultCallTimeout)
	Stream        bool     `json:"stream_upstream"`         // ask for a stream, so that proxies see that the connection lives
}

const (
	defaultRetries     = 8
	defaultRetryMin    = 0.5
	defaultRetryMax    = 30
	defaultCallTimeout = 3600
)

func (s *EndpointSettings) check() error {
	var errs []error
	if s.MaxConcurrent != nil && *s.MaxConcurrent < 1 {
		errs = append(errs, fmt.Errorf("max_concurrent_requests is %d: it must be at least 1; leave it out for no bound", *s.MaxConcurrent))
	}
	if n := value(s.MaxRetries, defaultRetries); n < 0 || n > 1000 {
		errs = append(errs, fmt.Errorf("max_retries is %d: it must be from 0 to 1000", n))
	}
	for _, d := range []struct {
		key   string
		value *float64
	}{
		{"retry_min_seconds", s.RetryMin}, {"retry_max_seconds", s.RetryMax},
		{"try_timeout_seconds", s.TryTimeout}, {"call_timeout_seconds", s.CallTimeout},
	} {
		if d.value != nil && !(*d.value >= 0 && *d.value <= longestTold.Seconds()) {
			errs = append(errs, fmt.Errorf("%s is %v: it must be from 0 to %v", d.key, *d.value, longestTold.Seconds()))
		}
	}
	if low, high := value(s.RetryMin, defaultRetryMin), value(s.RetryMax, math.Max(defaultRetryMax, value(s.RetryMin, 0))); low > high {
		errs = append(errs, fmt.Errorf("retry_min_seconds is %v, above retry_max_seconds, which is %v", low, high))
	}
	return errors.Join(errs...)
}

func (s *EndpointSettings) retry() retry {
	first := value(s.RetryMin, defaultRetryMin)
	return retry{
		Doubling:    backoff.Doubling{First: seconds(first), Most: seconds(value(s.RetryMax, math.Max(defaultRetryMax, first)))},
		tries:       value(s.MaxRetries, defaultRetries) + 1,
		tryTimeout:  seconds(value(s.TryTimeout, 0)),
		callTimeout: seconds(value(s.CallTimeout, defaultCallTimeout)),
	}
}

func value[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
