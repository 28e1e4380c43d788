package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// row is the body of /run: one task, with everything that the environment wants to know about it.
type row struct {
	object  responses.Object
	params  responses.CreateParams
	rollout string // the rollout's id, "" when the row does not tell
}

// serveRun answers POST /run.
func (a *Agent) serveRun(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	return a.serve(ctx, r, a.run)
}

// serve answers POST /run with what run makes of the row.
func (a *peers) serve(ctx context.Context, r *wire.Request, run func(context.Context, row, wire.Cookies) (*result, error)) (*wire.Reply, error) {
	row, err := parseRow(r.Body)
	if err != nil {
		return nil, err
	}
	ctx, span := a.startRun(ctx, row)
	defer span.End()
	began := time.Now()
	defer func() { metrics.Gym.RolloutRan(ctx, time.Since(began)) }()
	result, err := run(ctx, row, a.resourcesCookies(r.Cookies))
	if err != nil {
		span.recordFailure(semconv.FailureAgentRun, wire.SpanError(err))
		return nil, err
	}
	span.recordResult(result)
	return &wire.Reply{Body: result.reply}, nil
}

// result is a rollout that has come to its end.
type result struct {
	*trajectory
	reply   []byte // of /run
	reward  float64
	failure string // the failure class that the reply names; "" when it was scored
}

// run seeds the session, runs the loop and has the outcome verified. Where it does not come to that, for instance because the
// caller has left, the session is closed if its server wants to know.
func (a *Agent) run(ctx context.Context, task row, cookies wire.Cookies) (_ *result, err error) {
	t := a.begin(ctx, cmp.Or(task.rollout, wire.RolloutID(ctx)), cookies)
	body := task.object
	body.Set("responses_create_params", explicit(task.params))
	seeded, err := a.call(ctx, wire.Call{
		Server: a.Resources.Name, Path: t.prefixes.resources + "/seed_session", Body: body.AppendTo(nil), Cookies: cookies,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot seed the session: %w", err)
	}
	t.resources = replaced(cookies, seeded.Cookies)
	if wantsClose(seeded.Body) {
		defer func() {
			if err != nil {
				a.closeSession(ctx, t)
			}
		}()
	}
	if err := a.respond(ctx, task.params, t); err != nil {
		return nil, err
	}
	body.Set("response", t.response.AppendTo(nil))
	if a.settings.SkipVerification {
		return a.unverified(t, task, body)
	}
	verified, err := a.call(ctx, wire.Call{
		Server: a.Resources.Name, Path: t.prefixes.resources + "/verify", Body: body.AppendTo(nil), Cookies: t.resources,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot verify: %w", err)
	}
	return a.readVerdict(t, task, verified.Body)
}

// wantsClose reads what /seed_session says about sessions that are over. A reply of another form has nothing to say.
func wantsClose(reply []byte) bool {
	o, err := responses.ParseObject(reply)
	if err != nil {
		return false
	}
	wants, _ := o.Bool("supports_explicit_close")
	return wants
}

// closeSession tells the resources server that nobody will come back to the session. What comes of it changes nothing: a
// session that is not closed expires.
func (a *Agent) closeSession(ctx context.Context, t *trajectory) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	_, _ = a.do(ctx, wire.Call{
		Server: a.Resources.Name, Path: t.prefixes.resources + "/close_session", Body: []byte("{}"), Cookies: t.resources,
	})
}

// unverified is the result of a rollout that nobody is to score: what would have been sent to /verify, with the reward
// that is set for all.
func (a *Agent) unverified(t *trajectory, task row, body responses.Object) (*result, error) {
	reward := a.settings.SkipVerificationReward
	body.Set("reward", strconv.AppendFloat(nil, reward, 'f', -1, 64))
	body.SetBool("verification_skipped", true)
	reply, err := t.told(task, body)
	return &result{trajectory: t, reply: reply, reward: reward}, err
}

// readVerdict checks the reply of /verify, which goes out as it came.
func (a *Agent) readVerdict(t *trajectory, task row, reply []byte) (*result, error) {
	o, err := responses.ParseObject(reply)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answer of %s to POST /verify: %w", a.Resources.Name, err)
	}
	reward, ok := o.Float("reward")
	if !ok {
		return nil, fmt.Errorf("cannot read the answer of %s to POST /verify: it has no reward that is a number", a.Resources.Name)
	}
	failure, _ := o.String("_ng_failure_class")
	if failure == "" && !o.Has("response") {
		return nil, fmt.Errorf("cannot read the answer of %s to POST /verify: it has no response, so what the model said would be lost; "+
			"answer with the members that came, and the reward", a.Resources.Name)
	}
	reply, err = t.told(task, o)
	return &result{trajectory: t, reply: reply, reward: reward, failure: failure}, err
}

// told is a verdict with the rollout's ng_trajectory, where there is one.
func (t *trajectory) told(task row, verdict responses.Object) ([]byte, error) {
	if t.chronicle != nil {
		t.chronicle.identify(task, verdict)
		if err := verdict.SetAny("ng_trajectory", t.chronicle); err != nil {
			return nil, fmt.Errorf("cannot write the trajectory: %w", err)
		}
	}
	return verdict.AppendTo(nil), nil
}

// parseRow reads the body of /run. The error is a [responses.FieldErrors].
func parseRow(body []byte) (row, error) {
	o, err := responses.Body(body)
	if err != nil {
		return row{}, err
	}
	var bad responses.FieldErrors
	r := row{object: o}
	if v, there := o.Get("responses_create_params"); !there {
		bad = append(bad, responses.Missing(o.AppendTo(nil), "body", "responses_create_params"))
	} else if r.params, err = responses.ParseCreateParams(v); err != nil {
		fields, ok := errors.AsType[responses.FieldErrors](err)
		if !ok {
			return row{}, err
		}
		bad = append(bad, fields.Under("responses_create_params")...)
	}
	var wrong responses.FieldErrors
	r.rollout, wrong = rolloutID(o)
	if bad = append(bad, wrong...); len(bad) > 0 {
		return row{}, bad
	}
	return r, nil
}

// rolloutID works out a row's rollout id: its own, else task and rollout index; "-a<n>" is added on a retry.
func rolloutID(o responses.Object) (string, responses.FieldErrors) {
	var id string
	if v, there := o.Get("_ng_rollout_id"); there && v.Kind() != 'n' {
		text, ok := o.String("_ng_rollout_id")
		switch {
		case !ok:
			return "", responses.FieldErrors{responses.WrongType("string", v, "body", "_ng_rollout_id")}
		case !wire.ValidRolloutID(text):
			return "", responses.FieldErrors{{Type: "string_pattern_mismatch", Loc: []any{"body", "_ng_rollout_id"},
				Msg: "String should match pattern '" + wire.RolloutIDPattern + "'", Input: v}}
		}
		id = text
	} else {
		task, okTask := o.Int("_ng_task_index")
		rollout, okRollout := o.Int("_ng_rollout_index")
		if !okTask || !okRollout || task < 0 || rollout < 0 {
			return "", nil
		}
		id = strconv.FormatInt(task, 10) + "-" + strconv.FormatInt(rollout, 10)
	}
	if attempt, ok := o.Int("_ng_attempt_index"); ok && attempt > 0 {
		id += "-a" + strconv.FormatInt(attempt, 10)
	}
	return id, nil
}

// known are the create params in the order in which they are written, and what absent ones mean. Resources servers get
// every one of them, model servers only those that the row has.
var known = []struct{ name, value string }{
	{"background", "null"}, {"include", "null"}, {"instructions", "null"}, {"max_output_tokens", "null"},
	{"max_tool_calls", "null"}, {"metadata", "null"}, {"model", "null"}, {"parallel_tool_calls", "true"},
	{"previous_response_id", "null"}, {"prompt", "null"}, {"reasoning", "null"}, {"service_tier", "null"},
	{"store", "null"}, {"temperature", "null"}, {"text", "null"}, {"tool_choice", `"auto"`}, {"tools", "[]"},
	{"top_logprobs", "null"}, {"top_p", "null"}, {"truncation", "null"}, {"user", "null"}, {"stream", "null"},
}

// explicit is the params with every member that there is.
func explicit(p responses.CreateParams) jsontext.Value {
	var absent responses.Object
	for _, k := range known {
		if !p.Has(k.name) {
			absent.Set(k.name, jsontext.Value(k.value))
		}
	}
	o := p.Object
	o.Merge(absent)
	return o.AppendTo(nil)
}

// runSpan is the span around one /run. As gym.rollout, the rollout's own, it gets the rollout's attributes; as
// gym.agent.run it does not, because the driver's span has them.
type runSpan struct {
	lens.Span
	rollout bool
}

// startRun opens gym.agent.run below the driver's gym.rollout, or else gym.rollout.
func (a *peers) startRun(ctx context.Context, task row) (context.Context, runSpan) {
	if _, marked := wire.MarkedRollout(ctx); marked {
		ctx, span := wire.StartEndpoint(ctx, telemetry.Agent, semconv.SpanGymAgentRun)
		return ctx, runSpan{Span: span}
	}
	ctx, span := wire.StartEndpoint(ctx, telemetry.Rollout, semconv.SpanGymRollout)
	if !span.Recording() {
		return ctx, runSpan{Span: span}
	}
	span.Str(semconv.GymAgentName, a.name).Str(semconv.GymEnvironmentName, a.Resources.Name)
	for key, name := range map[string]string{
		semconv.GymTaskIndex: "_ng_task_index", semconv.GymRolloutIndex: "_ng_rollout_index", semconv.GymRolloutAttempt: "_ng_attempt_index",
	} {
		if n, ok := task.object.Int(name); ok {
			span.Int64(key, n)
		}
	}
	id := wire.RolloutID(ctx)
	if id == "" && task.rollout != "" {
		id = task.rollout
		span.Str(semconv.GymRolloutID, id)
	}
	if id != "" {
		if marked, err := lens.WithBaggage(ctx, semconv.GymRolloutID, id); err == nil {
			ctx = marked
		}
	}
	return ctx, runSpan{Span: span, rollout: true}
}

// recordFailure says that the rollout has no score.
func (s runSpan) recordFailure(class string, err error) {
	s.Err(err)
	if s.rollout {
		s.Str(semconv.GymRolloutOutcome, semconv.OutcomeFailed).Str(semconv.GymFailureClass, class)
	}
}

// recordResult says what came out. A reward of 0 is a result; a reply that names a failure class is none.
func (s runSpan) recordResult(r *result) {
	if !s.rollout {
		return
	}
	s.Int(semconv.GymRolloutTurns, r.turns).Int(semconv.GymRolloutToolCalls, r.toolCalls)
	if r.usage != nil {
		s.Int64(semconv.GenAIUsageInputTokens, r.usage.InputTokens()).Int64(semconv.GenAIUsageOutputTokens, r.usage.OutputTokens())
	}
	if r.failure != "" {
		s.recordFailure(r.failure, errors.New("the rollout was not scored: "+r.failure))
		return
	}
	s.Float(semconv.GymRolloutReward, r.reward).Str(semconv.GymRolloutOutcome, semconv.OutcomeScored)
}
