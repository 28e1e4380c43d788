package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// Caller makes calls to other servers of the run: a [wire.Client].
type Caller interface {
	Do(ctx context.Context, call wire.Call) (*wire.Result, error)
}

// JudgeOptions say how judges are asked. The zero value asks as often as it is called, and waits for as long as it takes.
type JudgeOptions struct {
	Timeout       time.Duration // of one question with its answer, the wait for a place not counted; 0 is none
	MaxConcurrent int           // questions at once; further ones wait. 0 is no bound
}

// Judges asks models of the run for their opinion, and reads verdicts of type V out of it. Make it with [NewJudges]. It is
// safe for concurrent use.
type Judges[V any] struct {
	caller  Caller
	read    func(answer responses.Response) (V, error)
	timeout time.Duration
	places  chan struct{} // nil without a bound
}

// NewJudges returns what asks judges by caller. read finds the verdict in an answer; its error means that there is none
// that could be scored by, and becomes a [JudgeError]. What a judge says in its own way, a missing label for instance, is
// for read to decide.
func NewJudges[V any](caller Caller, o JudgeOptions, read func(answer responses.Response) (V, error)) *Judges[V] {
	j := &Judges[V]{caller: caller, read: read, timeout: o.Timeout}
	if o.MaxConcurrent > 0 {
		j.places = make(chan struct{}, o.MaxConcurrent)
	}
	return j
}

// Verdict is a judge's opinion.
type Verdict[V any] struct {
	Value    V
	Response responses.Response // the answer that it was read from
}

// Judge asks the model server of that name once, and returns its verdict. The error is a *[JudgeError], which [Verify] turns
// into an answer that leaves the rollout unscored; only when ctx is over it is none, because then nobody waits.
//
// The question goes where the run's other calls of models go: a call by /ng-rollout/<id> is captured with the rollout's.
func (j *Judges[V]) Judge(ctx context.Context, server string, request responses.CreateParams) (v Verdict[V], err error) {
	if j.places != nil {
		select {
		case j.places <- struct{}{}:
			defer func() { <-j.places }()
		case <-ctx.Done():
			return v, fmt.Errorf("cannot ask judge %s: %w", server, context.Cause(ctx))
		}
	}
	res, err := j.caller.Do(ctx, wire.Call{Server: server, Path: judgePath(ctx), Body: request.AppendTo(nil), Timeout: j.timeout})
	switch {
	case ctx.Err() != nil:
		return v, fmt.Errorf("cannot ask judge %s: %w", server, context.Cause(ctx))
	case errors.Is(err, context.DeadlineExceeded):
		return v, &JudgeError{Server: server, Kind: JudgeTimeout, Err: err}
	case err != nil:
		return v, &JudgeError{Server: server, Kind: JudgeUnreachable, Err: err}
	}
	if err := res.Err(); err != nil {
		return v, &JudgeError{Server: server, Kind: JudgeStatus, Err: err}
	}
	if v.Response, err = responses.ParseResponse(res.Body); err != nil {
		return v, &JudgeError{Server: server, Kind: JudgeAnswer, Err: fmt.Errorf("cannot read the answer of %s: %w", server, err)}
	}
	if v.Value, err = j.read(v.Response); err != nil {
		return v, &JudgeError{Server: server, Kind: JudgeVerdict, Err: fmt.Errorf("cannot read the verdict of %s: %w", server, err)}
	}
	return v, nil
}

// judgePath is the model server's route, with the rollout that the request in ctx came by.
func judgePath(ctx context.Context) string {
	const route = "/v1/responses"
	if id := wire.PathRollout(ctx); id != "" {
		return "/ng-rollout/" + id + route
	}
	return route
}

// What kept a judge from judging: the first word of a [JudgeError].
const (
	JudgeUnreachable = "ConnectionError" // no answer came
	JudgeTimeout     = "TimeoutError"    // none came in time
	JudgeStatus      = "StatusError"     // the answer was no 2xx
	JudgeAnswer      = "ResponseError"   // the answer is no response of a model
	JudgeVerdict     = "VerdictError"    // it is, and there is no verdict in it
)

// JudgeError says that a judge could not judge, which is no fault of the rollout. When the function of a [Verify] returns
// one, wrapped or not, /verify answers 200 with the request as it came, a reward of 0, and
//
//	"_ng_failure_class": "judge_failed", "_ng_failure_judge_error": "<kind>: <error>"
//
// Drivers put such a row with the failures, leave it out of all metrics, and have it judged again later.
type JudgeError struct {
	Server string // the judge; may be ""
	Kind   string // one of the words above, or the environment's own
	Err    error
}

func (e *JudgeError) Error() string { return e.Kind + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *JudgeError) Unwrap() error { return e.Err }

// judgeFailed is the answer of /verify to the request body when a judge failed.
func judgeFailed(body []byte, failed *JudgeError) (*wire.Reply, error) {
	o, err := responses.Body(body)
	if err != nil {
		return nil, err
	}
	o.Set("reward", jsontext.Value("0"))
	o.SetString("_ng_failure_class", semconv.FailureJudge)
	o.SetString("_ng_failure_judge_error", failed.Error())
	return &wire.Reply{Body: o.AppendTo(nil)}, nil
}
