package rollout

import (
	"context"
	"time"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// Meter is told what the driver does, for metrics. Its methods are called from many goroutines at once and must not block.
type Meter interface {
	// Offered: n more rollouts are there to be run, another attempt of one that failed among them.
	Offered(n int)
	// Resident: n more rollouts have begun and are not written yet; less when n is negative.
	Resident(n int)
	// Active: of them, n more are at their agent.
	Active(n int)
	// Admitted: a rollout has begun, after it waited so long since it was offered.
	Admitted(wait time.Duration)
	// Limit: so many rollouts may run at a time from now on.
	Limit(n int)
}

// count records that an attempt ended, once that is on disk.
func (o *outcome) count(ctx context.Context) {
	switch o.ending {
	case scored:
		metrics.Gym.RolloutEnded(ctx, semconv.OutcomeScored, "", "")
	case failed:
		metrics.Gym.RolloutEnded(ctx, semconv.OutcomeFailed, o.class, "")
	case discarded:
		metrics.Gym.RolloutEnded(ctx, semconv.OutcomeOmitted, "", "")
	}
}

// Captures has what model servers recorded of a rollout's calls.
type Captures interface {
	// Attach adds to a row, a result or a failure that is about to be written, what was recorded under the rollout's id. It is called once a
	// rollout, from many goroutines. An error is noted and keeps no row from being written.
	Attach(ctx context.Context, id string, row *responses.Object) error
}
