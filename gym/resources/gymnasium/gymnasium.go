// Package gymnasium is the kit for environments that answer each turn of a model themselves, with a reward and, until the
// episode is over, with what the model reads next. Package resources is the one for tools that a model calls.
//
// An environment is a few typed functions over a state that each episode has for itself. This one wants a number guessed:
//
//	type row struct { // what a task's row must have beside responses_create_params
//		Secret int `json:"secret"`
//	}
//	type guesses int
//
//	return gymnasium.Build(in, logger, gymnasium.Environment[guesses, row]{
//		Step: func(ctx context.Context, n *guesses, t gymnasium.Turn[row]) (gymnasium.Outcome, error) {
//			*n++
//			if strings.Contains(t.Response.Text(), strconv.Itoa(t.Row.Secret)) {
//				return gymnasium.Outcome{Reward: 1 / float64(*n), Terminated: true}, nil
//			}
//			return gymnasium.Outcome{Observation: "No. Guess again."}, nil
//		},
//	})
//
// gymnasium_agent (package agent) is the other side: it asks the model and sends each answer here.
//
// # Routes
//
// POST /reset begins an episode in the caller's session and answers {"observation","info"}; one that was under way there is
// closed. POST /step takes one answer of the model and answers {"observation","reward","terminated","truncated","info"}.
// POST /close ends the episode and answers {}, whether or not there was one. POST /aggregate_metrics sums rollouts up
// (gym/score). There is no /verify and no /seed_session: the reward of a rollout is the sum of its steps.
//
// Rows and requests are read as package resources reads them; what does not fit is answered with 422.
//
// # Steps are taken once
//
// A step may carry _ng_step_request_id. When the last one of the episode comes again with the same id, because its answer
// was lost on the way, it gets the same answer and is not taken again. /reset says in its info that this is so
// (supports_step_idempotency), and that /close is there (supports_explicit_close).
//
// # How episodes end
//
// With a step that is Terminated or Truncated, with /close, with another /reset in the session, or when the session is
// forgotten ([resources.Sessions]: idle for too long while others come). The state goes at once, through
// [Environment.Close]. A step of an episode that is over, or that this server does not have, is refused with 409: it is
// never taken for one that earned nothing.
//
// # Guarantees
//
// Functions are called concurrently, those of one episode one after the other. The context ends when the caller leaves. An
// error is 500 with its text, or the answer that a [wire.HTTPError] chooses, and fails the rollout; a function that returns
// one should leave the state as it was, for the step may come again.
package gymnasium

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
	"github.com/lensgo/lens/gym/wire"
)

// The routes of an environment.
const (
	RouteReset     = "POST /reset"
	RouteStep      = "POST /step"
	RouteClose     = "POST /close"
	RouteAggregate = "POST /aggregate_metrics"
)

// Environment is what an environment does, with a State for each episode and what it reads of a task's Row. Step is
// needed; the rest may be nil or zero.
type Environment[State, Row any] struct {
	// Reset begins an episode. The state is the zero value. Without it the conversation begins as the row says.
	Reset func(ctx context.Context, s *State, t Task[Row]) (Start, error)
	// Step takes one answer of the model.
	Step func(ctx context.Context, s *State, t Turn[Row]) (Outcome, error)
	// Close lets go of what a state holds beside memory. It is called once for each episode that Reset began, and also for one
	// whose Reset has failed.
	Close func(s *State)

	Sessions resources.SessionOptions
	Metrics  score.Hooks // what is added to the statistics of results
}

// Task is one task that begins.
type Task[Row any] struct {
	resources.Call
	Params responses.CreateParams // what the model will be asked
	Row    Row                    // what the row has beside
}

// Turn is one answer of the model.
type Turn[Row any] struct {
	Task[Row]
	Response responses.Response
}

// Calls returns the function calls of the answer, in order.
func (t *Turn[Row]) Calls() []responses.Item {
	items, _ := t.Response.Output() // it was checked when the request was read
	var calls []responses.Item
	for _, item := range items {
		if item.Type() == responses.TypeFunctionCall {
			calls = append(calls, item)
		}
	}
	return calls
}

// Start is how an episode begins.
type Start struct {
	Observation string         // added to the input as a message of the user; "" adds nothing
	Info        map[string]any // what else there is to say; nil is nothing
}

// Outcome is what a step leads to.
type Outcome struct {
	Observation string  // the next message of the user; "" adds nothing. Not read when the episode is over
	Reward      float64 // of this step; finite
	Terminated  bool    // the task has come to its end
	Truncated   bool    // it was cut short
	ToolOutputs []ToolOutput
	Info        map[string]any // kept with the result when the episode ends here
}

// ToolOutput answers a function call of the model, before the observation.
type ToolOutput struct {
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// Build returns the server of the instance in, or what is wrong with the environment. A nil logger is [slog.Default].
func Build[State, Row any](in *config.Instance, logger *slog.Logger, e Environment[State, Row]) (*wire.Server, error) {
	if e.Step == nil {
		return nil, fmt.Errorf("cannot build environment %q: it has no Step", in.Name)
	}
	read, err := resources.Reader[Row]()
	if err != nil {
		return nil, fmt.Errorf("cannot build environment %q: its row: %w", in.Name, err)
	}
	w, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeResources, Logger: logger})
	if err != nil {
		return nil, err
	}
	s := &server[State, Row]{Environment: e, readRow: read, sessions: resources.NewSessions[episode[State]](e.Sessions)}
	s.sessions.OnDrop(s.end)
	w.Handle(RouteReset, s.reset)
	w.Handle(RouteStep, s.step)
	w.Handle(RouteClose, s.close)
	w.Handle(RouteAggregate, resources.Aggregator(e.Metrics))
	return w, nil
}

// readTask reads what /reset and /step have in common. The error lists what is wrong with all of it.
func (s *server[State, Row]) readTask(r *wire.Request) (responses.Object, Task[Row], responses.FieldErrors, error) {
	t := Task[Row]{Call: resources.Call{Session: r.Session, Wire: r}}
	body, err := responses.Body(r.Body)
	if err != nil {
		return body, t, nil, err
	}
	var bad responses.FieldErrors
	if v, there := body.Get("responses_create_params"); !there {
		bad = append(bad, responses.Missing(body.AppendTo(nil), "body", "responses_create_params"))
	} else if t.Params, err = responses.ParseCreateParams(v); err != nil {
		fields, _ := errors.AsType[responses.FieldErrors](err)
		bad = append(bad, fields.Under("responses_create_params")...)
	}
	if t.Row, err = s.readRow(r.Body); err != nil {
		fields, ok := errors.AsType[responses.FieldErrors](err)
		if !ok {
			return body, t, nil, err
		}
		bad = append(bad, fields...)
	}
	return body, t, bad, nil
}
