package rollout

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/internal/backoff"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// ending is how a rollout ended.
type ending uint8

const (
	cancelled ending = iota // the run ended first; nothing is written
	scored                  // a line of the output
	failed                  // a line of the failures file
	discarded               // the answer asks to be written nowhere
)

// outcome is what is known when a rollout has ended.
type outcome struct {
	ending   ending
	reply    responses.Object // the agent's answer; of scored, discarded, and failures that the answer itself tells of
	class    string           // of failed
	err      error            // of failed and cancelled; fit for a span
	detail   string           // more about err, for people and files only: it may quote a body
	duration time.Duration
	overload bool // a server had too much to do
	again    bool // it begins again in this run
}

// text says what happened to somebody who may see everything.
func (o *outcome) text() string {
	if o.detail == "" {
		return o.err.Error()
	}
	return o.err.Error() + ": " + o.detail
}

// rollout runs one task from admission to the written line.
func (r *run) rollout(t offer, ticket int) {
	defer r.admission.leave()
	admitted := time.Now()
	r.o.Meter.Admitted(admitted.Sub(t.since))
	r.o.Meter.Resident(1)
	defer r.o.Meter.Resident(-1)
	r.stats.begin()
	ctx, span := telemetry.Rollout.Start(r.base, semconv.SpanGymRollout)
	defer span.End()
	row, err := r.taskRow(t.task)
	if err != nil {
		r.cut(err)
		return
	}
	explicit, _ := row.String(keyID)
	id := rolloutID(explicit, t.key, int(t.attempt))
	if span.Recording() {
		ctx = r.identify(ctx, span, t, id, admitted)
	} else if r.o.Traced && !lens.RefFrom(ctx).Valid() {
		ctx = reserve(ctx)
	}

	var held int64
	defer func() { r.answers.give(held) }()
	out := r.call(ctx, t.task, row, &held)
	ended := time.Now()
	out.duration = ended.Sub(admitted)
	r.admission.learn(ticket, &out)
	settle(ctx, &out)
	if span.Recording() {
		record(span, &out)
		span.EndAt(ended)
	}
	out.again = r.again(t.task, &out)
	if err := r.write(ctx, t.task, id, row, &out); err != nil {
		r.cut(err)
		return
	}
	out.count(ctx)
	r.stats.add(t.task, id, &out)
	r.progress.ended(t.task, &out)
	if out.again { // what came is short, or nothing
		r.rest(ctx, rests.After(int(t.attempt)+1, rand.Float64()))
		r.queue.put(t.task)
		r.o.Meter.Offered(1)
	}
}

// again tells whether a rollout that has ended begins once more: nobody answered, or a server had too much to do and there will be less for
// it. What failed in another way would fail again.
func (r *run) again(t *task, out *outcome) bool {
	if out.ending != failed || int(t.attempt)+1 >= r.o.MaxAttempts {
		return false
	}
	return r.o.Again && out.class == semconv.FailureAgentRequest || r.o.Adapt && out.overload
}

// rests are what a rollout waits before its next attempt.
var rests = backoff.Doubling{First: 500 * time.Millisecond, Most: 20 * time.Second}

// rest waits. The place stays taken, so that fewer come to a server in trouble.
func (r *run) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.drain:
	case <-ctx.Done():
	}
}

// taskRow is what the agent is sent.
func (r *run) taskRow(t *task) (responses.Object, error) {
	text, err := r.row(t)
	if err != nil {
		return responses.Object{}, err
	}
	row, err := responses.ParseObject(text)
	if err != nil {
		return row, fmt.Errorf("cannot use task %d, rollout %d of %s: the file was changed: %w", t.task, t.rollout, r.files.Materialized, err)
	}
	if t.attempt > 0 {
		row.SetInt(keyAttempt, int64(t.attempt))
	}
	return row, nil
}

// identify writes what is known at the start to the span, and marks the context so that the agent knows the rollout as
// ours.
func (r *run) identify(ctx context.Context, span lens.Span, t offer, id string, admitted time.Time) context.Context {
	agent := r.agents[t.agent]
	span.Str(semconv.GymRolloutID, id).
		Int(semconv.GymTaskIndex, t.key.task).
		Int(semconv.GymRolloutIndex, t.rollout).
		Int(semconv.GymRolloutAttempt, int(t.attempt)).
		Str(semconv.GymAgentName, agent).
		Float(semconv.GymWaitAdmission, milliseconds(admitted.Sub(t.since)))
	if env := r.o.Graph.Environment(agent); env != "" {
		span.Str(semconv.GymEnvironmentName, env)
	}
	if r.job.Valid() {
		span.Link(r.job, lens.Str(semconv.GymLink, semconv.LinkJob))
	}
	if marked, err := lens.WithBaggage(ctx, semconv.GymRolloutID, id); err == nil {
		ctx = marked
	}
	return ctx
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// reserve gives a rollout without a span a trace id of its own: the first span that is started below takes it.
func reserve(ctx context.Context) context.Context {
	var ids [24]byte
	_, _ = crand.Read(ids[:]) // never fails
	ids[0] |= 1               // an id of zeros is none
	ids[16] |= 1
	ref, err := lens.ParseRef("00-"+hex.EncodeToString(ids[:16])+"-"+hex.EncodeToString(ids[16:])+"-03", "lens=r")
	if err != nil {
		return ctx // cannot happen, and telemetry never stops a rollout
	}
	return lens.WithParent(ctx, ref)
}

// record writes what is known at the end.
func record(span lens.Span, out *outcome) {
	switch out.ending {
	case scored:
		span.Str(semconv.GymRolloutOutcome, semconv.OutcomeScored)
	case failed:
		span.Str(semconv.GymRolloutOutcome, semconv.OutcomeFailed).Str(semconv.GymFailureClass, out.class)
	}
	if out.err != nil {
		span.Err(wire.SpanError(out.err))
	}
	if reward, ok := out.reply.Number(keyReward); ok && out.ending == scored {
		span.Float(semconv.GymRolloutReward, reward)
	}
	sub, ok := out.reply.Sub(keyResponse)
	if !ok {
		return
	}
	response := responses.Response{Object: sub}
	if items, err := response.Output(); err == nil {
		turns, calls := count(items)
		span.Int(semconv.GymRolloutTurns, turns).Int(semconv.GymRolloutToolCalls, calls)
	}
	if u, err := response.Usage(); err == nil && u != nil {
		span.Int64(semconv.GenAIUsageInputTokens, u.InputTokens()).Int64(semconv.GenAIUsageOutputTokens, u.OutputTokens())
	}
}

// call sends the task to its agent and reads how it ended. Held is what the answer takes of the room for answers.
func (r *run) call(ctx context.Context, t *task, row responses.Object, held *int64) outcome {
	call := ctx
	if r.o.Timeout > 0 {
		var stop context.CancelFunc
		call, stop = context.WithTimeout(ctx, r.o.Timeout)
		defer stop()
	}
	agent := r.agents[t.agent]
	r.o.Meter.Active(1)
	res, err := r.ask(call, wire.Call{
		Server: agent, Path: "/run", Body: row.AppendTo(nil),
		Room: func(ctx context.Context, length int64) (err error) {
			*held, err = r.answers.take(ctx, length)
			return err
		},
	})
	r.o.Meter.Active(-1)
	if err != nil {
		return r.unanswered(ctx, call, agent, err)
	}
	return answered("agent "+agent, res)
}

// restartPatience is how long an attempt waits for an agent that refuses connections and may be started again: as long as a server may take
// to start.
const restartPatience = time.Minute

// ask calls an agent. Where agents are started again, one that refuses connections is waited for: the client tries for a while, which is
// enough for a server whose listener is held meanwhile, and a server of another program has none.
func (r *run) ask(ctx context.Context, c wire.Call) (*wire.Result, error) {
	for began := time.Now(); ; {
		res, err := r.client.Do(ctx, c)
		if !r.o.Again || !errors.Is(err, syscall.ECONNREFUSED) || ctx.Err() != nil || r.draining() || time.Since(began) >= r.o.patience {
			return res, err
		}
		r.refusal.Do(func() { r.Print(fmt.Sprintf("Agent %s refuses connections; it is waited for.", c.Server)) })
	}
}

// unanswered tells apart why no answer came. ctx is the run's, call has the rollout's deadline.
func (r *run) unanswered(ctx, call context.Context, agent string, err error) outcome {
	switch {
	case ctx.Err() != nil:
		return outcome{ending: cancelled, err: context.Cause(ctx)}
	case errors.Is(call.Err(), context.DeadlineExceeded):
		return outcome{ending: failed, class: semconv.FailureTimeout,
			err: fmt.Errorf("no result of agent %s within the rollout timeout of %v", agent, r.o.Timeout)}
	case errors.Is(err, context.DeadlineExceeded): // the client's own bound
		return outcome{ending: failed, class: semconv.FailureTimeout, err: err}
	case errors.Is(err, syscall.ECONNREFUSED) && !r.o.Again:
		// The client has tried for a while. Nothing was done, so this is no attempt; and nobody starts the agent again, so it
		// would be the same for each rollout to come.
		err = fmt.Errorf("agent %s is gone: %w", agent, err)
		r.cut(err)
		return outcome{ending: cancelled, err: err}
	}
	return outcome{ending: failed, class: semconv.FailureAgentRequest, err: err}
}

// answered reads an answer; who gave it is for errors: "agent a".
func answered(who string, res *wire.Result) outcome {
	if err := res.Err(); err != nil {
		class := semconv.FailureAgentRun
		switch res.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
			class = semconv.FailureAgentRequest
		}
		return outcome{ending: failed, class: class, err: err, overload: overloaded(res)}
	}
	reply, err := responses.ParseObject(res.Body)
	if err != nil {
		return outcome{ending: failed, class: semconv.FailureAgentRun,
			err: fmt.Errorf("the answer of %s is not one JSON object", who), detail: notJSON(res.Body, err)}
	}
	if discard, _ := reply.Bool(keyNoPersist); discard {
		return outcome{ending: discarded, reply: reply}
	}
	if v, ok := reply.Get(keyFailureClass); ok && v.Kind() != 'n' {
		class, isText := reply.String(keyFailureClass)
		if !isText || class == "" {
			class = semconv.FailureAgentRun
		}
		return outcome{ending: failed, class: class, reply: reply,
			err: fmt.Errorf("%s reports %s", who, class), detail: toldError(reply)}
	}
	return outcome{ending: scored, reply: reply}
}

// toldError is the text with which an answer explains its failure, for instance _ng_failure_judge_error.
func toldError(reply responses.Object) string {
	for name := range reply.All() {
		if strings.HasPrefix(name, "_ng_failure_") && strings.HasSuffix(name, "error") {
			if text, ok := reply.String(name); ok {
				return text
			}
		}
	}
	return ""
}

// write puts the outcome on disk.
func (r *run) write(ctx context.Context, t *task, id string, row responses.Object, out *outcome) error {
	switch out.ending {
	case scored:
		return r.journal.result(r.captured(ctx, id, complete(out.reply, t, row)))
	case failed:
		return r.journal.failure(r.captured(ctx, id, failureRow(t, row, out)))
	}
	return nil
}

// captured attaches to a row what was recorded of its rollout.
func (r *run) captured(ctx context.Context, id string, row responses.Object) responses.Object {
	if r.o.Captures == nil {
		return row
	}
	if err := r.o.Captures.Attach(ctx, id, &row); err != nil {
		r.captureLoss.Do(func() {
			r.Print(fmt.Sprintf("cannot attach what was captured of rollout %s, nor perhaps of others: %v", id, err))
		})
	}
	return row
}

// complete adds to an answer what says which rollout it is of.
func complete(reply responses.Object, t *task, row responses.Object) responses.Object {
	reply.SetInt(keyTask, int64(t.task))
	reply.SetInt(keyRollout, int64(t.rollout))
	for _, name := range []string{keyAgent, keySkills, keyAttempt, keyID} {
		if v, ok := row.Get(name); ok {
			reply.Set(name, v)
		}
	}
	return reply
}

// failureRow is the line of a failure: the agent's own answer when it told of the failure, else as little as says what
// happened. The task itself stands in the materialized inputs.
func failureRow(t *task, row responses.Object, out *outcome) responses.Object {
	line := complete(out.reply, t, row)
	line.SetString(keyFailureClass, out.class)
	if out.reply.Len() == 0 {
		line.SetString(keyFailureError, out.text())
	}
	return line
}
