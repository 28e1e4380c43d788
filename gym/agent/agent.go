// Package agent holds simple_agent: the server that drives one rollout per POST /run.
//
// A rollout is five steps. The agent asks the resources server for a session (POST /seed_session), lets the model answer
// (POST /v1/responses of the model server), calls the tools that the answer names (POST /<tool> of the resources
// server), repeats the last two until the model answers without a call, and has the result scored (POST /verify). What
// /verify answers is what /run answers.
//
//	simple:
//	  responses_api_agents:
//	    simple_agent:
//	      entrypoint: app.py
//	      resources_server: {type: resources_servers, name: weather}
//	      model_server: {type: responses_api_models, name: policy_model}
//	      max_steps: 8   # model calls at most; without it there is no bound
//
// # When the loop ends
//
//   - The model's answer has incomplete_details: it was cut short. Its items are kept, its calls are not made.
//   - The answer has no function_call and at least one message of the assistant.
//   - max_steps model calls were made; the tools of the last one have still run.
//
// An answer with neither, reasoning alone for instance, does not end the loop: the model is asked again. After a hundred
// such answers in a row ([MaxSilent]) the rollout fails with an error that says so, whatever max_steps is.
//
// # Tools
//
// The arguments go to the tool byte for byte as the model wrote them. What comes back, of any status, is the tool's
// output: a 404 for an unknown tool and a 422 for wrong arguments are for the model to read. Arguments that are not JSON
// are not sent; the model reads {"error":"Invalid tool call arguments: ..."} instead. A call of a route that every
// resources server has, /verify for one, is answered like that of an unknown tool, without being made: else a model could
// ask for its own reward. Only a tool server from which no answer comes at all ends the rollout.
//
// # Cookies
//
// The session of the resources server travels on calls to it and only there, and that of the model server likewise. Each
// reply replaces what was there, as in the Python agent; a reply that sets no cookie leaves them.
//
// # Traces
//
// A request from our driver carries its mark, and the agent opens gym.agent.run (group Agent) below the driver's
// gym.rollout. Without the mark the agent opens gym.rollout (group Rollout) itself, with what it knows of the rollout,
// and marks the calls below it. The loop stands in gym.agent.responses (group Agent): the agent's call to itself, which
// the Python agent makes over HTTP and this one does not.
//
// # Guarantees
//
// An [Agent] holds nothing between requests and is safe for concurrent use. When the caller leaves, the call that is
// under way is cancelled and no other is begun. An error names the server that failed and holds what it answered.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// The routes of an agent server.
const (
	RouteRun       = "POST /run"
	RouteResponses = "POST /v1/responses"
	RouteAggregate = "POST /aggregate_metrics"
)

// MaxSilent is how many answers in a row may have neither a tool call nor a message.
const MaxSilent = 100

// Caller makes the agent's calls: a [wire.Client].
type Caller interface {
	Do(ctx context.Context, call wire.Call) (*wire.Result, error)
}

// Settings are the keys of a simple_agent.
type Settings struct {
	Resources Ref  `json:"resources_server"`
	Model     Ref  `json:"model_server"`
	MaxSteps  *int `json:"max_steps"` // nil: no bound

	// SkipVerification is refused: rollouts that are not scored come later, and to score them in spite of the key would
	// be worse than to say so.
	SkipVerification bool `json:"skip_verification"`
}

// Ref names another server of the run.
type Ref struct {
	Name string `json:"name"`
}

// Agent drives rollouts. Make one with [New].
type Agent struct {
	name     string
	settings Settings
	maxSteps int // 0: no bound
	caller   Caller
}

// New returns the agent of the instance called name, which makes its calls through caller.
func New(name string, s Settings, caller Caller) (*Agent, error) {
	var errs []error
	if s.Resources.Name == "" {
		errs = append(errs, errors.New("resources_server.name is missing: name the instance that has the tools and scores"))
	}
	if s.Model.Name == "" {
		errs = append(errs, errors.New("model_server.name is missing: name the instance to ask"))
	}
	if s.MaxSteps != nil && *s.MaxSteps < 1 {
		errs = append(errs, fmt.Errorf("max_steps is %d: it must be at least 1; leave it out for no bound", *s.MaxSteps))
	}
	if s.SkipVerification {
		errs = append(errs, errors.New("skip_verification is true: this agent always verifies; take the key out"))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("cannot build agent %q: %w", name, errors.Join(errs...))
	}
	a := &Agent{name: name, settings: s, caller: caller}
	if s.MaxSteps != nil {
		a.maxSteps = *s.MaxSteps
	}
	return a, nil
}

// Build returns the server of a simple_agent instance, which makes its calls through client. A nil logger is
// [slog.Default].
func Build(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s Settings
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	a, err := New(in.Name, s, client)
	if err != nil {
		return nil, err
	}
	server, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeAgent, Logger: logger})
	if err != nil {
		return nil, err
	}
	server.Handle(RouteRun, a.serveRun)
	server.Handle(RouteResponses, a.serveResponses)
	server.Handle(RouteAggregate, a.serveAggregate)
	return server, nil
}

// serveResponses answers POST /v1/responses: the loop alone, for a caller that seeds and verifies by itself. The reply
// carries the cookies of both servers, so that the caller can go on with the session.
func (a *Agent) serveResponses(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	params, err := responses.ParseCreateParams(r.Body)
	if err != nil {
		return nil, err
	}
	t, err := a.respond(ctx, params, a.resourcesCookies(r.Cookies))
	if err != nil {
		return nil, err
	}
	return &wire.Reply{Body: t.response.AppendTo(nil), Cookies: t.resources.Merge(t.model)}, nil
}

// serveAggregate answers POST /aggregate_metrics with what the resources server answers.
func (a *Agent) serveAggregate(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	res, err := a.call(ctx, wire.Call{Server: a.settings.Resources.Name, Path: "/aggregate_metrics", Body: r.Body})
	if err != nil {
		return nil, fmt.Errorf("cannot aggregate metrics: %w", err)
	}
	return &wire.Reply{Body: res.Body, ContentType: res.Header.Get("Content-Type")}, nil
}

// call makes a call whose answer must be a 2xx.
func (a *Agent) call(ctx context.Context, c wire.Call) (*wire.Result, error) {
	res, err := a.caller.Do(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := res.Err(); err != nil {
		return nil, err
	}
	return res, nil
}
