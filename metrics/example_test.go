package metrics_test

import (
	"context"
	"time"

	"github.com/lensgo/lens/metrics"
)

// A resources server measures its verification. Without telemetry this does nothing.
func Example() {
	verify := func(context.Context) (float64, error) { return 1, nil }

	ctx, began := context.Background(), time.Now()
	_, err := verify(ctx)
	metrics.Gym.Verified(ctx, time.Since(began), err == nil)
}
