// Package agent holds the servers that drive one rollout per POST /run: simple_agent, for environments whose tools the model
// calls, and gymnasium_agent, for environments that answer each turn of the model themselves. legacy_agent, an environment
// server, hands rollouts on to one of them.
//
// # The simple agent
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
//	      max_steps: 8               # model calls at most; without it there is no bound
//	      max_silent_steps: 100      # answers in a row with neither a call nor a message
//	      call_timeout_seconds: 600  # of each call that the agent makes; without it there is no bound
//	      skip_verification: false   # true: no /verify
//	      skip_verification_reward: 0
//
// With skip_verification nothing is scored: /run answers the row with the response, the reward of skip_verification_reward
// and verification_skipped, and the agent sums up results by itself. Both keys can stand at the top of the
// configuration as well, for all agents that do not say otherwise.
//
// # When the loop ends
//
//   - The model's answer has incomplete_details: it was cut short. Its items are kept, its calls are not made.
//   - The answer has no function_call and at least one message of the assistant.
//   - max_steps model calls were made; the tools of the last one have still run.
//
// An answer with neither, reasoning alone for instance, does not end the loop: the model is asked again. After
// max_silent_steps such answers in a row ([DefaultMaxSilent] unless it is set) the rollout fails with an error that says
// so, whatever max_steps is.
//
// # Tools
//
// The arguments go to the tool byte for byte as the model wrote them. What comes back, of any status, is the tool's
// output: a 404 for an unknown tool and a 422 for wrong arguments are for the model to read. Arguments that are not JSON
// are not sent; the model reads {"error":"Invalid tool call arguments: ..."} instead. A call of a route that every
// resources server has, /verify for one, is answered like that of an unknown tool, without being made: else a model could
// ask for its own reward. Only a tool server from which no answer comes at all ends the rollout.
//
// # The gymnasium agent
//
// The environment begins an episode (POST /reset), and after each answer of the model it takes a step (POST /step): it
// gives a reward, says whether the episode is over, and may add outputs of tools and a message of the user to the
// conversation. The reward of the rollout is the sum. After max_steps answers ([DefaultMaxSteps] unless it is set) the
// rollout is truncated. An environment that says so in the info of /reset is closed at the end (POST /close), also after an
// error and when the caller has left, and takes each step once however often it is sent.
//
//	player:
//	  responses_api_agents:
//	    gymnasium_agent:
//	      entrypoint: app.py
//	      resources_server: {type: resources_servers, name: blackjack}
//	      model_server: {type: responses_api_models, name: policy_model}
//	      max_steps: 5
//	      call_timeout_seconds: 600
//
// # Cookies
//
// The session of the resources server travels on calls to it and only there, and that of the model server likewise. Each
// reply replaces what was there, as in the Python agent; a reply that sets no cookie leaves them. Only the gymnasium agent
// keeps the resources server's cookies that a reply does not set again.
//
// # Observability
//
// With observability_enabled, a key of the whole run, calls have their rollout's id in the path, /ng-rollout/<id>/..., by
// which model calls are captured, and the simple agent adds ng_trajectory to its results: turns, tool calls and when they
// were, in the form of the Python agent.
//
// # Traces
//
// A request from our driver carries its mark, and the agent opens gym.agent.run (group Agent) below the driver's
// gym.rollout. Without the mark the agent opens gym.rollout (group Rollout) itself, with what it knows of the rollout,
// and marks the calls below it. The loop of the simple agent stands in gym.agent.responses (group Agent): the agent's call
// to itself, which the Python agent makes over HTTP and this one does not.
//
// # Guarantees
//
// An agent holds nothing between requests and is safe for concurrent use. When the caller leaves, the call that is
// under way is cancelled and no other is begun, but for /close. An error names the server that failed and holds what it
// answered.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
	"github.com/lensgo/lens/gym/wire"
)

// DefaultMaxSilent is how many answers in a row may have neither a tool call nor a message, unless max_silent_steps says
// otherwise.
const DefaultMaxSilent = 100

// Settings are the keys of a simple_agent.
type Settings struct {
	Peers
	MaxSteps  *int `json:"max_steps"`        // model calls at most; the tools of the last one still run (default no bound)
	MaxSilent *int `json:"max_silent_steps"` // answers in a row with neither a call nor a message, then the rollout fails (default DefaultMaxSilent)

	SkipVerification       bool    `json:"skip_verification"`        // verify nothing (default that of the run)
	SkipVerificationReward float64 `json:"skip_verification_reward"` // the reward of rollouts that are not verified (default that of the run)
}

// Agent is the simple agent. Make one with [New].
type Agent struct {
	peers
	settings  Settings
	maxSteps  int // 0: no bound
	maxSilent int
}

// New returns the agent of the instance called name, which makes its calls through caller.
func New(name string, s Settings, caller Caller) (*Agent, error) {
	errs := s.check()
	if s.MaxSteps != nil && *s.MaxSteps < 1 {
		errs = append(errs, fmt.Errorf("max_steps is %d: it must be at least 1; leave it out for no bound", *s.MaxSteps))
	}
	if s.MaxSilent != nil && *s.MaxSilent < 1 {
		errs = append(errs, fmt.Errorf("max_silent_steps is %d: it must be at least 1; leave it out for %d", *s.MaxSilent, DefaultMaxSilent))
	}
	if r := s.SkipVerificationReward; math.IsNaN(r) || math.IsInf(r, 0) {
		errs = append(errs, fmt.Errorf("skip_verification_reward is %v: it must be a finite number", r))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("cannot build agent %q: %w", name, errors.Join(errs...))
	}
	a := &Agent{peers: peers{Peers: s.Peers, name: name, caller: caller}, settings: s, maxSilent: DefaultMaxSilent}
	if s.MaxSteps != nil {
		a.maxSteps = *s.MaxSteps
	}
	if s.MaxSilent != nil {
		a.maxSilent = *s.MaxSilent
	}
	return a, nil
}

// Build returns the server of a simple_agent instance, which makes its calls through client. A nil logger is
// [slog.Default].
func Build(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s Settings
	// What stands at the top of the configuration is laid under the instance's own keys.
	err := errors.Join(in.DecodeGlobal("skip_verification", &s.SkipVerification),
		in.DecodeGlobal("skip_verification_reward", &s.SkipVerificationReward))
	if err := errors.Join(err, decode(in, &s, &s.Peers)); err != nil {
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
	t := a.begin(ctx, wire.PathRollout(ctx), a.resourcesCookies(r.Cookies))
	if err := a.respond(ctx, params, t); err != nil {
		return nil, err
	}
	if t.chronicle != nil {
		if err := t.response.SetAny("_ng_trajectory", t.chronicle); err != nil {
			return nil, fmt.Errorf("cannot write the trajectory: %w", err)
		}
	}
	return &wire.Reply{Body: t.response.AppendTo(nil), Cookies: t.resources.Merge(t.model)}, nil
}

// serveAggregate answers POST /aggregate_metrics with what the resources server answers, or, when that has verified
// nothing, with the statistics that every run has.
func (a *Agent) serveAggregate(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	if !a.settings.SkipVerification {
		return a.peers.serveAggregate(ctx, r)
	}
	rows, err := resultRows(r.Body)
	if err != nil {
		return nil, err
	}
	return wire.JSON(score.Aggregate(rows))
}

// resultRows reads the body of /aggregate_metrics.
func resultRows(text []byte) ([]responses.Object, error) {
	body, err := responses.Body(text)
	if err != nil {
		return nil, err
	}
	raw, there := body.Get("verify_responses")
	if !there {
		return nil, responses.FieldErrors{responses.Missing(body.AppendTo(nil), "body", "verify_responses")}
	}
	list, ok := responses.Elements(raw)
	if !ok {
		return nil, responses.FieldErrors{responses.WrongType("list", raw, "body", "verify_responses")}
	}
	rows := make([]responses.Object, len(list))
	for i, v := range list {
		if rows[i], ok = responses.View(v); !ok {
			return nil, responses.FieldErrors{responses.WrongType("object", v, "body", "verify_responses", i)}
		}
	}
	return rows, nil
}
