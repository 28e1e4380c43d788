package rollout

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/semconv"
)

func TestSettle(t *testing.T) {
	died := errors.New("a server died")
	for name, test := range map[string]struct {
		class string
		after time.Duration // when the run is cut short
		want  ending
		waits time.Duration
	}{
		"failure_before_the_end":  {semconv.FailureAgentRun, settleTime / 2, cancelled, settleTime / 2},
		"request_before_the_end":  {semconv.FailureAgentRequest, settleTime / 2, cancelled, settleTime / 2},
		"failure_of_its_own":      {semconv.FailureAgentRun, time.Hour, failed, settleTime},
		"timeout_does_not_wait":   {semconv.FailureTimeout, settleTime / 2, failed, 0},
		"judge_does_not_wait":     {semconv.FailureJudge, settleTime / 2, failed, 0},
		"the_end_was_there_first": {semconv.FailureAgentRun, 0, cancelled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				time.AfterFunc(test.after, func() { cancel(died) })
				synctest.Wait()
				began := time.Now()
				out := outcome{ending: failed, class: test.class, err: errors.New("boom")}
				settle(ctx, &out)
				if out.ending != test.want || time.Since(began) != test.waits {
					t.Errorf("ending %v after %v, want %v after %v", out.ending, time.Since(began), test.want, test.waits)
				}
				if out.ending == cancelled && !errors.Is(out.err, died) {
					t.Errorf("cause %v", out.err)
				}
			})
		})
	}
}
