package rollout

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

// settleTime is how long the failure of an agent waits before it counts.
const settleTime = 200 * time.Millisecond

// settle tells a failure from the beginning of the run's end. A server that dies makes the rollouts fail that were talking
// to it, an instant before its death is noticed and the run is cut short. Those failures are none of the rollouts' own:
// counted, three such deaths would use up their attempts.
func settle(ctx context.Context, out *outcome) {
	if out.ending != failed || out.class != semconv.FailureAgentRun && out.class != semconv.FailureAgentRequest {
		return
	}
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		*out = outcome{ending: cancelled, err: context.Cause(ctx), duration: out.duration}
	case <-timer.C:
	}
}
