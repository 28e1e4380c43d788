package model

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// exchange is one request and what became of it, for metrics and captures.
type exchange struct {
	dialect  dialect
	request  *wire.Request
	answer   answer
	began    time.Time
	took     time.Duration
	status   int    // of an answer that is an error
	category string // of what went wrong; "" when nothing did
	told     string // what the caller is told then
}

// failed notes an error and returns it as the server base turns it into a reply.
func (e *exchange) failed(ctx context.Context, server string, err error) error {
	e.category = category(ctx, err)
	err = replyError(server, err)
	e.told = err.Error()
	switch chosen, ok := errors.AsType[*wire.HTTPError](err); {
	case ctx.Err() != nil: // nobody is there to get one
	case ok:
		e.status = chosen.Status
	case isFieldErrors(err):
		e.status = http.StatusUnprocessableEntity
	default:
		e.status = http.StatusInternalServerError
	}
	return err
}

func isFieldErrors(err error) bool {
	_, ok := errors.AsType[responses.FieldErrors](err)
	return ok
}

// measure records the metrics of the call.
func (e *exchange) measure(ctx context.Context, server string) {
	c := metrics.ModelCall{Server: server, Dialect: e.dialect.name, Outcome: semconv.ModelCallOK, Took: e.took, FirstToken: e.firstByte()}
	if e.category != "" {
		c.Outcome = e.category
		metrics.Gym.ModelCalled(ctx, c)
		return
	}
	o := e.answer.view()
	if usage, ok := o.Sub("usage"); ok {
		c.Tokens = true
		c.Input, c.Output = tokens(usage, "input_tokens", "prompt_tokens"), tokens(usage, "output_tokens", "completion_tokens")
		c.Reasoning = -1
		for _, name := range []string{"output_tokens_details", "completion_tokens_details"} {
			if details, ok := usage.Sub(name); ok {
				c.Reasoning = tokens(details, "reasoning_tokens")
			}
		}
	}
	c.Finish = capture.Finish(o)
	metrics.Gym.ModelCalled(ctx, c)
}

// tokens is the first count that is there, -1 without one.
func tokens(usage responses.Object, names ...string) int64 {
	for _, name := range names {
		if n, ok := usage.Int(name); ok {
			return n
		}
	}
	return -1
}

// firstByte is when a stream began: with its end, because it is told when the whole answer is there.
func (e *exchange) firstByte() time.Duration {
	if e.answer.reply != nil && e.answer.reply.ContentType != "" {
		return e.took
	}
	return 0
}

// record captures the call when it belongs to a rollout.
func (e *exchange) record(ctx context.Context, r *capture.Recorder) {
	rollout := wire.PathRollout(ctx)
	if r == nil || rollout == "" {
		return
	}
	c := capture.Call{Dialect: e.dialect.file, Started: e.began, Took: e.took, FirstByte: e.firstByte(), Status: e.status, Error: e.category,
		Request: e.request.Body, Response: []byte(e.told)}
	if e.answer.reply != nil {
		c.Status = http.StatusOK
		c.Response = e.answer.reply.Body
		if o := e.answer.view(); o.Len() > 0 {
			c.Response = o.AppendTo(nil)
		} else if e.category == "" {
			c.Error = capture.ParseError
		}
	}
	r.Record(rollout, c)
}

// category is the category of an error, see the constants of package capture.
func category(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return capture.Cancelled
	}
	if isFieldErrors(err) {
		return capture.ClientError
	}
	if _, ok := errors.AsType[*responses.UnsupportedError](err); ok {
		return capture.ClientError
	}
	if errors.Is(err, responses.ErrTruncated) {
		return capture.StreamTruncated
	}
	if e, ok := errors.AsType[*wire.StatusError](err); ok {
		return capture.CategoryOf(e.Status)
	}
	if e, ok := errors.AsType[*responses.UpstreamError](err); ok {
		return capture.CategoryOf(e.Status)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return capture.Timeout
	}
	if e, ok := errors.AsType[*EndpointError](err); ok {
		if e.lost {
			return capture.Connection
		}
		return capture.CategoryOf(e.Status)
	}
	if e, ok := errors.AsType[*wire.HTTPError](err); ok {
		return capture.CategoryOf(e.Status)
	}
	return capture.Exception
}
