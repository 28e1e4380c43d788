package eval

import (
	"context"
	"maps"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/wire"
)

// running are the servers of a run: a [fleet.Fleet], or [elsewhere].
type running interface {
	Client() wire.ClientOptions
	Done() <-chan struct{} // closed when one of them is gone for good, which Err tells
	Err() error
	Stop(ctx context.Context) error
}

// elsewhere are servers that somebody else started and will stop.
type elsewhere struct{ graph *config.Graph }

func (e elsewhere) Client() wire.ClientOptions {
	urls := make(map[string]string, len(e.graph.Instances))
	for _, in := range e.graph.Instances {
		urls[in.Name] = in.URL()
	}
	return wire.ClientOptions{Servers: urls, MaxConnsPerHost: fleet.MaxConns()}
}

func (elsewhere) Done() <-chan struct{}      { return nil }
func (elsewhere) Err() error                 { return nil }
func (elsewhere) Stop(context.Context) error { return nil }

// client says how the driver calls the servers: no agent needs more connections than rollouts run at a time. Without that bound net/http
// opens several times as many, because it dials whenever none is free at that moment, and each takes memory here and there.
func (r *run) client(servers running) wire.ClientOptions {
	o := servers.Client()
	most := r.plan.Progress().Concurrency
	conns := maps.Clone(o.MaxConns)
	if conns == nil {
		conns = map[string]int{}
	}
	for _, agent := range r.plan.Agents() {
		bound, known := conns[agent]
		if !known {
			bound = o.MaxConnsPerHost
		}
		if bound <= 0 || bound > most {
			bound = most
		}
		conns[agent] = bound
	}
	o.MaxConns = conns
	return o
}

// checkConcurrency refuses more rollouts at once than descriptors can be had for. Servers elsewhere may have other limits;
// those that are full let callers wait.
func (r *run) checkConcurrency() error {
	if r.Fused {
		return nil
	}
	agents := r.plan.Agents()
	if r.Head != "" {
		agents = nil
	}
	return fleet.CheckConcurrency(r.graph, agents, min(r.plan.Progress().Concurrency, r.plan.Expected()))
}
