package fleet

import (
	"fmt"
	"math"
	"slices"

	"github.com/lensgo/lens/gym/config"
)

const (
	// ownDescriptors is what a process needs beside connections: files, pipes, the exporter.
	ownDescriptors = 256
	// leastConns is what is allowed in any case: a limit below makes a process fail, and not wait.
	leastConns = 64

	// synthetic is the model server that asks nobody.
	synthetic = "synthetic_model"
)

// resourcesConns bounds the connections of an agent to each resources server: calls of tools are short.
var resourcesConns = 2048

// unlimited stands for no bound.
const unlimited = math.MaxInt32

// maxInside is how many requests a server may work on at once, so that those of them that call others find a descriptor for
// that too: what a rollout needs in an agent is one connection from the driver and one to the model, and for the resources
// servers there is a bound for all.
func maxInside(in *config.Instance) int { return perRollout(in, descriptors()) }

func perRollout(in *config.Instance, limit int) int {
	left := limit - ownDescriptors
	if in.Type == config.TypeAgent {
		left -= resourcesConns * len(refs(in, config.TypeResources))
	}
	return max(left/perRequest(in), leastConns)
}

// perRequest is how many descriptors a server needs for a request: one, and one for the call that the request waits for.
func perRequest(in *config.Instance) int {
	switch in.Type {
	case config.TypeModel:
		if in.Impl == synthetic {
			return 1
		}
	case config.TypeResources:
		if len(refs(in, config.TypeModel)) == 0 { // no judge
			return 1
		}
	}
	return 2
}

// refs are the servers of a type that an instance names, each once.
func refs(in *config.Instance, serverType string) (names []string) {
	for _, ref := range in.Refs {
		if ref.Type == serverType && !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	return names
}

// MaxConns is how many connections a process that has no inbound ones may have.
func MaxConns() int { return max(descriptors()-ownDescriptors, leastConns) }

// CheckConcurrency refuses a number of rollouts in flight that the processes cannot hold: each has one connection from the
// driver, two descriptors in its agent, and one or two in its model server. fronts are the instances that the rows name; without
// any, only the driver is looked at.
func CheckConcurrency(g *config.Graph, fronts []string, concurrency int) error {
	return checkConcurrency(g, fronts, concurrency, descriptors())
}

func checkConcurrency(g *config.Graph, fronts []string, concurrency, limit int) error {
	if concurrency <= leastConns {
		return nil
	}
	hold, why := max(limit-ownDescriptors, leastConns), "the driver needs one for each"
	for _, s := range stages(g, fronts) {
		if n := s.hold(limit); n > 0 && n < hold {
			hold, why = n, s.String()
		}
	}
	if concurrency <= hold {
		return nil
	}
	return fmt.Errorf("cannot keep %d rollouts in flight: a process here may have %d open files (ulimit -n), and %s. "+
		"Up to %d fit: lower --concurrency (num_samples_in_parallel), add instances, raise the hard limit of open files, or use --fused",
		concurrency, limit, why, hold)
}

// stage is a set of servers of which every rollout is in one at a time.
type stage struct {
	what      string
	instances []*config.Instance
}

// stages are the servers through which the rollouts of those that rows name go.
func stages(g *config.Graph, fronts []string) []stage {
	relays, agents, models := stage{what: "an environment server"}, stage{what: "an agent"}, stage{what: "a model server"}
	for _, name := range fronts {
		in := g.Instance(name)
		if in == nil || in.Type != config.TypeEnvironment {
			agents.add(in)
			continue
		}
		relays.add(in)
		for _, agent := range refs(in, config.TypeAgent) {
			agents.add(g.Instance(agent))
		}
	}
	for _, in := range agents.instances {
		for _, model := range refs(in, config.TypeModel) {
			models.add(g.Instance(model))
		}
	}
	if len(relays.instances) < len(fronts) { // some rollouts go to their agents straight away
		relays.instances = nil
	}
	return []stage{relays, agents, models}
}

func (s *stage) add(in *config.Instance) {
	if in != nil && !slices.Contains(s.instances, in) {
		s.instances = append(s.instances, in)
	}
}

func (s stage) hold(limit int) (n int) {
	for _, in := range s.instances {
		n += perRollout(in, limit)
	}
	return n
}

// String says what the servers need.
func (s stage) String() string {
	needs, more := 1, ""
	for _, in := range s.instances {
		needs = max(needs, perRequest(in))
		if in.Type == config.TypeAgent {
			more = fmt.Sprintf(", and %d for each of its resources servers", resourcesConns)
		}
	}
	return fmt.Sprintf("%s needs %d for each%s; there are %d", s.what, needs, more, len(s.instances))
}
