package agent

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/wire"
)

// relay is a legacy_agent: an environment server that stands in front of an agent and hands everything on. The
// configurations of newer Python environments have one each.
type relay struct {
	agent  string
	caller Caller
}

// relaySettings are the keys of a legacy_agent.
type relaySettings struct {
	Agent Ref `json:"agent_server"` // the agent to hand rollouts to: {type: responses_api_agents, name: ...} (needed)
}

// BuildRelay returns the server of a legacy_agent instance, which makes its calls through client. A nil logger is
// [slog.Default].
func BuildRelay(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s relaySettings
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	if s.Agent.Name == "" {
		return nil, fmt.Errorf("cannot build environment server %q: agent_server.name is missing: name the agent to hand rollouts to", in.Name)
	}
	server, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeEnvironment, Logger: logger})
	if err != nil {
		return nil, err
	}
	r := relay{s.Agent.Name, client}
	server.Handle(RouteRun, r.to("/run"))
	server.Handle(RouteAggregate, r.to("/aggregate_metrics"))
	return server, nil
}

// to hands a request on to a path of the agent, and its answer, of any status, back.
func (r relay) to(path string) wire.HandlerFunc {
	return func(ctx context.Context, request *wire.Request) (*wire.Reply, error) {
		res, err := r.caller.Do(ctx, wire.Call{Server: r.agent, Path: path, Body: request.Body, Cookies: request.Cookies})
		if err != nil {
			return nil, err
		}
		return &wire.Reply{Status: res.Status, ContentType: res.Header.Get("Content-Type"), Body: res.Body, Cookies: res.Cookies}, nil
	}
}
