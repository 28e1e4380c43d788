package runs

import (
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Outcome is what became of a rollout.
type Outcome string

// The outcomes.
const (
	Scored    Outcome = semconv.OutcomeScored
	Failed    Outcome = semconv.OutcomeFailed
	Finished  Outcome = "finished"  // ended well and did not say whether it was scored, as Python's
	Truncated Outcome = "truncated" // its span was closed at shutdown
	Running   Outcome = "running"
)

// Rollout is one attempt of one task: the subtree of an outermost gym.rollout span, or, while that has not ended, the
// spans below it that have. Values are immutable.
type Rollout struct {
	Trace otlp.TraceID
	Span  otlp.SpanID // of gym.rollout; zero while it is not here
	ID    string      // nemo.gym.rollout.id

	Run, Environment, Agent string // "" where unknown

	Task    int // nemo.gym.task.index; -1: unknown
	Attempt int // nemo.gym.rollout.index + 1; 0: unknown
	Retry   int // nemo.gym.rollout.attempt

	Outcome          Outcome
	Failure, Message string // class and error text of a failed one
	Reward           float64
	HasReward        bool

	// Start and End are those of gym.rollout. While that is not here they are the earliest start and the latest end of what is,
	// and Guessed is true: the duration is at least that.
	Start, End uint64
	Guessed    bool
	Split      Split

	Turns, Calls, TokensIn, TokensOut int64 // -1: unknown

	Spans, Errors, Cut, Skewed int // Cut: truncated spans; Skewed: spans that start before their parents

	Attributes []Attribute // of gym.rollout, the ones without a meaning here; at most 16

	set  uint32 // of the shapes of its spans
	root uint32 // shape of gym.rollout, or of the earliest span
}

// Duration is that of the root span.
func (r *Rollout) Duration() time.Duration { return time.Duration(r.End - r.Start) }

// Total is the wait for admission and the duration.
func (r *Rollout) Total() time.Duration { return r.Split.Total() }

func (r *Rollout) isOf(env string, task int) bool { return r.Task == task && r.Environment == env }

// Ended tells whether the rollout is over.
func (r *Rollout) Ended() bool { return r.Outcome != Running }

// Counted tells whether the rollout counts in means and percentiles of durations: it has ended, and was not cut short.
func (r *Rollout) Counted() bool { return r.Outcome != Running && r.Outcome != Truncated }

// like tells whether two looks at a rollout that has not ended saw the same.
func (r *Rollout) like(o *Rollout) bool {
	return r.Start == o.Start && r.End == o.End && r.Split == o.Split && r.Run == o.Run && r.Environment == o.Environment && r.Agent == o.Agent &&
		r.Turns == o.Turns && r.Calls == o.Calls && r.TokensIn == o.TokensIn && r.TokensOut == o.TokensOut &&
		r.Spans == o.Spans && r.Errors == o.Errors && r.Cut == o.Cut && r.Skewed == o.Skewed && r.set == o.set && r.root == o.root
}

// known fills in what gym.rollout says.
func (r *Rollout) known(f *Facts) {
	r.Task, r.Retry, r.Attempt = f.Task, max(f.Attempt, 0), f.Index+1
	r.Environment, r.Agent = f.Environment, f.Agent
	r.Failure, r.Message = f.Failure, f.Message
	r.Reward, r.HasReward = f.Reward, f.Scored
	r.Turns, r.Calls, r.TokensIn, r.TokensOut = f.Turns, f.Calls, f.TokensIn, f.TokensOut
	r.Split[PartAdmission] = f.Admission
	r.Attributes = f.Attributes
}

// byID fills in what is missing from the id, "<task>-<index>" with "-a<n>" behind it on a retry.
func (r *Rollout) byID() {
	task, rest, ok := strings.Cut(r.ID, "-")
	index, retry, again := strings.Cut(rest, "-a")
	t, errTask := strconv.ParseUint(task, 10, 31)
	i, errIndex := strconv.ParseUint(index, 10, 31)
	n, errRetry := strconv.ParseUint(retry, 10, 31)
	if !ok || errTask != nil || errIndex != nil || again && errRetry != nil {
		return
	}
	if r.Task < 0 {
		r.Task = int(t)
	}
	if r.Attempt == 0 {
		r.Attempt, r.Retry = int(i)+1, int(n)
	}
}

// outcome decides what became of a rollout whose span is here.
func (r *Rollout) outcome(n *node, said string) {
	switch {
	case n.end == 0:
		r.Outcome = Running
	case said == semconv.OutcomeFailed, said == semconv.OutcomeScored:
		r.Outcome = Outcome(said)
	case n.flags&isTruncated != 0:
		r.Outcome = Truncated
	case n.flags&isError != 0, r.Failure != "":
		r.Outcome = Failed
	case r.HasReward:
		r.Outcome = Scored
	default:
		r.Outcome = Finished
	}
}
