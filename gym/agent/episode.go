package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

const (
	// closeTimeout bounds /close, which is also sent when the caller has left and cannot end it.
	closeTimeout = 5 * time.Second
	// stepTries is how often a step is sent to an environment that takes it once, when no answer comes.
	stepTries = 3
)

// episode is one task on its way through an environment.
type episode struct {
	*trajectory
	body   responses.Object       // of calls to the environment: the row
	params responses.CreateParams // of the conversation, with what /reset said

	closes bool // the environment wants /close
	once   bool // the environment takes a step once, however often it is sent
	last   step
	reward float64 // of all steps
}

// run takes one task through the environment and closes that whatever happens.
func (g *Gymnasium) run(ctx context.Context, task row, cookies wire.Cookies) (*result, error) {
	e := &episode{
		trajectory: &trajectory{resources: cookies, prefixes: g.prefixes(ctx, cmp.Or(task.rollout, wire.RolloutID(ctx)))},
		body:       task.object,
		params:     task.params,
	}
	e.body.Set("responses_create_params", explicit(task.params))
	err := g.reset(ctx, e)
	if err == nil {
		err = g.play(ctx, e)
	}
	cleanup := g.close(ctx, e)
	if err != nil {
		if cleanup != nil {
			err = fmt.Errorf("%w; moreover, %w", err, cleanup)
		}
		return nil, err
	}
	if cleanup != nil {
		e.warn(cleanup)
	}
	return e.result()
}

// environment makes a call to the environment and keeps its cookies.
func (g *Gymnasium) environment(ctx context.Context, e *episode, path string, body responses.Object) (responses.Object, error) {
	res, err := g.call(ctx, wire.Call{
		Server: g.Resources.Name, Path: e.prefixes.resources + path, Body: body.AppendTo(nil), Cookies: e.trajectory.resources,
	})
	if err != nil {
		return responses.Object{}, err
	}
	if len(res.Cookies) > 0 {
		e.trajectory.resources = e.trajectory.resources.Merge(res.Cookies)
	}
	reply, err := responses.ParseObject(res.Body)
	if err != nil {
		return reply, fmt.Errorf("cannot read the answer of %s to POST %s: %w", g.Resources.Name, path, err)
	}
	return reply, nil
}

// reset begins the episode.
func (g *Gymnasium) reset(ctx context.Context, e *episode) error {
	reply, err := g.environment(ctx, e, "/reset", e.body)
	if err != nil {
		return fmt.Errorf("cannot begin the episode: %w", err)
	}
	info, _ := reply.Sub("info")
	e.closes, _ = info.Bool("supports_explicit_close") // before anything can be wrong: the environment holds something from now on
	e.once, _ = info.Bool("supports_step_idempotency")
	start, err := readStep(reply)
	if err != nil {
		return fmt.Errorf("cannot read the answer of %s to POST /reset: %w", g.Resources.Name, err)
	}
	if start.observation == "" {
		return nil
	}
	items, err := e.params.Input()
	if err != nil {
		return err
	}
	e.params.SetInput(append(items, userSays(start.observation)))
	return nil
}

// play lets model and environment answer each other until the episode is over or has had its steps.
func (g *Gymnasium) play(ctx context.Context, e *episode) error {
	c, err := newConversation(e.params)
	if err != nil {
		return err
	}
	for e.turns < g.maxSteps && !e.last.over() {
		c.add(e.last.items...)
		turn, err := g.ask(ctx, c, e.trajectory)
		if err != nil {
			return err
		}
		e.toolCalls += len(turn.calls)
		if e.last, err = g.step(ctx, e); err != nil {
			return fmt.Errorf("cannot take step %d: %w", e.turns, err)
		}
		e.reward += e.last.reward
	}
	if !e.last.over() {
		c.add(e.last.items...)
		e.last.truncated = true
	}
	if math.IsInf(e.reward, 0) {
		return fmt.Errorf("cannot add the rewards of %s up: the sum is %v", g.Resources.Name, e.reward)
	}
	e.finish(c)
	return nil
}

// step tells the environment what the model said.
func (g *Gymnasium) step(ctx context.Context, e *episode) (step, error) {
	body := e.body
	body.Set("response", e.response.AppendTo(nil))
	tries := 1
	if e.once {
		body.SetString("_ng_step_request_id", requestID())
		tries = stepTries
	}
	for {
		tries--
		reply, err := g.environment(ctx, e, "/step", body)
		if err == nil {
			s, err := readStep(reply)
			if err != nil {
				err = fmt.Errorf("cannot read the answer of %s to POST /step: %w", g.Resources.Name, err)
			}
			return s, err
		}
		if tries == 0 || !unanswered(ctx, err) {
			return step{}, err
		}
	}
}

// unanswered reports whether a call was lost on its way, so that sending it again may help.
func unanswered(ctx context.Context, err error) bool {
	_, answered := errors.AsType[*wire.StatusError](err)
	return !answered && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded)
}

// requestID is a fresh id of a step.
func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// close tells the environment that nobody will come back to the episode, if it wants to know. It does so for a caller that
// has left as well.
func (g *Gymnasium) close(ctx context.Context, e *episode) error {
	if !e.closes {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	_, err := g.call(ctx, wire.Call{
		Server: g.Resources.Name, Path: e.prefixes.resources + "/close", Body: []byte("{}"), Cookies: e.trajectory.resources,
	})
	if err != nil {
		return fmt.Errorf("cannot close the environment: %w", err)
	}
	return nil
}

// warn says in the result's info that the environment was not closed. The result stands.
func (e *episode) warn(err error) {
	kind := "no_answer"
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		kind = "http_" + strconv.Itoa(status.Status)
	} else if errors.Is(err, context.DeadlineExceeded) {
		kind = "timeout"
	}
	var warning responses.Object
	warning.SetString("operation", "close")
	warning.SetString("error_type", kind)
	warning.SetString("message", err.Error())
	e.last.info.Set("cleanup_warning", warning.AppendTo(nil))
}

// result is what /run answers.
func (e *episode) result() (*result, error) {
	var o responses.Object
	o.Set("responses_create_params", explicit(e.params))
	o.Set("response", e.response.AppendTo(nil))
	o.Set("reward", strconv.AppendFloat(nil, e.reward, 'f', -1, 64))
	o.SetBool("terminated", e.last.terminated)
	o.SetBool("truncated", e.last.truncated)
	o.Set("info", e.last.info.AppendTo(nil))
	return &result{trajectory: e.trajectory, reply: o.AppendTo(nil), reward: e.reward}, nil
}

// step is what an environment answers to /step, and, as far as it goes, to /reset.
type step struct {
	observation           string
	reward                float64
	terminated, truncated bool
	info                  responses.Object

	items []responses.Item // what it adds to the conversation: outputs of tools, then the observation
}

// over reports whether the episode has come to its end.
func (s step) over() bool { return s.terminated || s.truncated }

// readStep reads an answer. What is absent has its zero value.
func readStep(o responses.Object) (s step, err error) {
	var errs []error
	read := func(name, want string, get func() bool) {
		v, there := o.Get(name)
		if there && !get() {
			errs = append(errs, fmt.Errorf("%s is %s: it must be %s", name, short(v), want))
		}
	}
	read("observation", "a string or null", func() (ok bool) { s.observation, ok = o.String("observation"); return ok || o.Null("observation") })
	read("reward", "a number", func() (ok bool) { s.reward, ok = o.Float("reward"); return ok })
	read("terminated", "true or false", func() (ok bool) { s.terminated, ok = o.Bool("terminated"); return ok })
	read("truncated", "true or false", func() (ok bool) { s.truncated, ok = o.Bool("truncated"); return ok })
	read("info", "an object", func() (ok bool) { s.info, ok = o.Sub("info"); return ok || o.Null("info") })
	s.items, err = toolOutputs(s.info)
	if err = errors.Join(append(errs, err)...); err != nil {
		return s, err
	}
	if s.observation != "" {
		s.items = append(s.items, userSays(s.observation))
	}
	return s, nil
}

// userSays is a message of the user that can stand in an output too, where every item has a type.
func userSays(text string) responses.Item {
	item := responses.UserMessage(text)
	item.SetString("type", responses.TypeMessage)
	return item
}

// toolOutputs reads info.tool_outputs: what the environment answers to the calls of the model's last turn.
func toolOutputs(info responses.Object) ([]responses.Item, error) {
	raw, there := info.Get("tool_outputs")
	if !there || responses.IsNull(raw) {
		return nil, nil
	}
	list, ok := info.Array("tool_outputs")
	if !ok {
		return nil, fmt.Errorf("info.tool_outputs is %s: it must be a list", short(raw))
	}
	var items []responses.Item
	for i, v := range list {
		o, isObject := responses.View(v)
		id, named := o.String("call_id")
		output, given := o.Get("output")
		if !isObject || !named || !given {
			return nil, fmt.Errorf("info.tool_outputs[%d] is %s: it must be an object with call_id, a string, and output", i, short(v))
		}
		item := responses.FunctionCallOutput(id, "")
		item.Set("output", output)
		items = append(items, item)
	}
	return items, nil
}

// short is a value for a message.
func short(v jsontext.Value) string {
	if len(v) > 80 {
		return v.Kind().String() + "... of " + strconv.Itoa(len(v)) + " bytes"
	}
	return string(v)
}
