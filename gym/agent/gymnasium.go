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

// DefaultMaxSteps is how many answers of the model a gymnasium_agent asks for, unless max_steps says otherwise.
const DefaultMaxSteps = 10

// GymnasiumSettings are the keys of a gymnasium_agent.
type GymnasiumSettings struct {
	Peers
	MaxSteps *int `json:"max_steps"` // answers of the model at most; then the rollout is truncated (default DefaultMaxSteps)

	// SkipVerification is refused where an instance asks for it: rewards come with the steps.
	SkipVerification bool `json:"skip_verification"`
}

// Gymnasium is the gymnasium agent. Make one with [NewGymnasium].
type Gymnasium struct {
	peers
	maxSteps int
}

// NewGymnasium returns the agent of the instance called name, which makes its calls through caller.
func NewGymnasium(name string, s GymnasiumSettings, caller Caller) (*Gymnasium, error) {
	errs := s.check()
	if s.MaxSteps != nil && *s.MaxSteps < 1 {
		errs = append(errs, fmt.Errorf("max_steps is %d: it must be at least 1; leave it out for %d", *s.MaxSteps, DefaultMaxSteps))
	}
	if s.SkipVerification {
		errs = append(errs, errors.New("skip_verification is true: a gymnasium_agent has no verification, rewards come with the steps; take the key out"))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("cannot build agent %q: %w", name, errors.Join(errs...))
	}
	g := &Gymnasium{peers: peers{Peers: s.Peers, name: name, caller: caller}, maxSteps: DefaultMaxSteps}
	if s.MaxSteps != nil {
		g.maxSteps = *s.MaxSteps
	}
	return g, nil
}

// BuildGymnasium returns the server of a gymnasium_agent instance, which makes its calls through client. A nil logger is
// [slog.Default].
func BuildGymnasium(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s GymnasiumSettings
	if err := decode(in, &s, &s.Peers); err != nil {
		return nil, err
	}
	g, err := NewGymnasium(in.Name, s, client)
	if err != nil {
		return nil, err
	}
	server, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeAgent, Logger: logger})
	if err != nil {
		return nil, err
	}
	server.Handle(RouteRun, g.serveRun)
	server.Handle(RouteResponses, g.serveResponses)
	server.Handle(RouteAggregate, g.serveAggregate)
	return server, nil
}

// serveRun answers POST /run.
func (g *Gymnasium) serveRun(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	return g.serve(ctx, r, g.run)
}

// serveResponses answers POST /v1/responses with one answer of the model, for an environment is nothing that this route
// could be asked about.
func (g *Gymnasium) serveResponses(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	params, err := responses.ParseCreateParams(r.Body)
	if err != nil {
		return nil, err
	}
	c, err := newConversation(params)
	if err != nil {
		return nil, err
	}
	t := &trajectory{model: g.modelCookies(r.Cookies), prefixes: g.prefixes(ctx, wire.PathRollout(ctx))}
	if _, err := g.ask(ctx, c, t); err != nil {
		return nil, err
	}
	return &wire.Reply{Body: t.response.AppendTo(nil), Cookies: t.model}, nil
}
