package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/wire"
)

// The routes of an agent server.
const (
	RouteRun       = "POST /run"
	RouteResponses = "POST /v1/responses"
	RouteAggregate = "POST /aggregate_metrics"
)

// Caller makes an agent's calls: a [wire.Client].
type Caller interface {
	Do(ctx context.Context, call wire.Call) (*wire.Result, error)
}

// Ref names another server of the run.
type Ref struct {
	Name string `json:"name"`
}

// Peers are the keys that every agent has: the servers that it works with, and how it calls them.
type Peers struct {
	Resources Ref `json:"resources_server"` // the environment: {type: resources_servers, name: ...} (needed)
	Model     Ref `json:"model_server"`     // the model: {type: responses_api_models, name: ...} (needed)

	// CallTimeout bounds each call that the agent makes, in seconds; 0 is no bound. A rollout whose call is not answered in
	// time fails. The driver's bound of the whole rollout is another one, and ends its calls too.
	CallTimeout float64 `json:"call_timeout_seconds"`

	// Observability is observability_enabled, a key of the whole run: rollouts carry their ng_trajectory, and calls their
	// rollout's id in the path.
	Observability bool `json:"-"`
}

// check lists what is wrong.
func (p Peers) check() (errs []error) {
	if p.Resources.Name == "" {
		errs = append(errs, errors.New("resources_server.name is missing: name the instance that has the tools and scores"))
	}
	if p.Model.Name == "" {
		errs = append(errs, errors.New("model_server.name is missing: name the instance to ask"))
	}
	if s := p.CallTimeout; !(s >= 0 && s <= math.MaxInt64/1e9) {
		errs = append(errs, fmt.Errorf("call_timeout_seconds is %v: it must be a number of seconds from 0, which is no bound", s))
	}
	return errs
}

// peers make the calls of the agent called name.
type peers struct {
	Peers
	name   string
	caller Caller
}

// do makes a call, which may be answered with any status.
func (p *peers) do(ctx context.Context, c wire.Call) (*wire.Result, error) {
	c.Timeout = time.Duration(p.CallTimeout * float64(time.Second))
	return p.caller.Do(ctx, c)
}

// call makes a call whose answer must be a 2xx.
func (p *peers) call(ctx context.Context, c wire.Call) (*wire.Result, error) {
	res, err := p.do(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := res.Err(); err != nil {
		return nil, err
	}
	return res, nil
}

// serveAggregate answers POST /aggregate_metrics with what the resources server answers.
func (p *peers) serveAggregate(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	res, err := p.call(ctx, wire.Call{Server: p.Resources.Name, Path: "/aggregate_metrics", Body: r.Body})
	if err != nil {
		return nil, fmt.Errorf("cannot aggregate metrics: %w", err)
	}
	return &wire.Reply{Body: res.Body, ContentType: res.Header.Get("Content-Type")}, nil
}

// prefixes stand before the paths of calls, so that what is captured below can be told by rollout; "" where nothing is.
type prefixes struct{ resources, model string }

// prefixes are those of a request for the rollout called id, which may be "". With observability every call has one; a
// request that came by one hands it on to the model.
func (p *peers) prefixes(ctx context.Context, id string) prefixes {
	if id == "" {
		id = wire.RolloutID(ctx)
	}
	var out prefixes
	if p.Observability && id != "" {
		out.resources = "/ng-rollout/" + id
		out.model = out.resources
	} else if came := wire.PathRollout(ctx); came != "" {
		out.model = "/ng-rollout/" + came
	}
	if out.model != "" && wire.TokenCapture(ctx) {
		out.model += "/training-token-capture"
	}
	return out
}

// decode reads the settings of an agent, and what of the whole run's belongs to them.
func decode(in *config.Instance, settings any, p *Peers) error {
	return errors.Join(in.DecodeSettings(settings), in.DecodeGlobal("observability_enabled", &p.Observability))
}
