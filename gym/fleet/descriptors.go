package fleet

import (
	"fmt"
	"math"

	"github.com/lensgo/lens/gym/config"
)

const (
	// ownDescriptors is what a process needs beside connections: files, pipes, the exporter.
	ownDescriptors = 256
	// resourcesConns bounds the connections of an agent to each resources server: calls of tools are short.
	resourcesConns = 2048
	// leastConns is what is allowed in any case: a limit below makes a process fail, and not wait.
	leastConns = 64
)

// unlimited stands for no bound.
const unlimited = math.MaxInt32

// maxInside is how many requests a server may work on at once, so that those of them that call others find a descriptor for
// that too: what a rollout needs in an agent is one connection from the driver and one to the model, and for the resources
// servers there is a bound for all.
func maxInside(in *config.Instance) int { return perRollout(in.Type, descriptors()) }

func perRollout(serverType string, limit int) int {
	left := limit - ownDescriptors
	switch serverType {
	case config.TypeAgent:
		left = (left - resourcesConns) / 2
	case config.TypeModel:
		left /= 2
	}
	return max(left, leastConns)
}

// maxOutside is how many connections a process that has no inbound ones may have.
func maxOutside() int { return max(descriptors()-ownDescriptors, leastConns) }

// CheckConcurrency refuses a number of rollouts in flight that the processes cannot hold: each has one connection from the
// driver, two descriptors in its agent, and one or two in its model server. agents are the instances that the rows name.
func CheckConcurrency(g *config.Graph, agents []string, concurrency int) error {
	return checkConcurrency(g, agents, concurrency, descriptors())
}

func checkConcurrency(g *config.Graph, agents []string, concurrency, limit int) error {
	if concurrency <= leastConns {
		return nil
	}
	hold, why := max(limit-ownDescriptors, leastConns), "the driver needs one for each"
	inAgents := 0
	models := map[string]bool{}
	for _, name := range agents {
		in := g.Instance(name)
		if in == nil {
			continue
		}
		inAgents += perRollout(in.Type, limit)
		for _, ref := range in.Refs {
			if ref.Type == config.TypeModel {
				models[ref.Name] = true
			}
		}
	}
	if inAgents > 0 && inAgents < hold {
		hold, why = inAgents, fmt.Sprintf("an agent needs two for each, and %d for its resources servers; there are %d agents", resourcesConns, len(agents))
	}
	if inModels := len(models) * perRollout(config.TypeModel, limit); inModels > 0 && inModels < hold {
		hold, why = inModels, fmt.Sprintf("a model server needs two for each; there are %d", len(models))
	}
	if concurrency <= hold {
		return nil
	}
	return fmt.Errorf("cannot keep %d rollouts in flight: a process here may have %d open files (ulimit -n), and %s. "+
		"Up to %d fit: lower --concurrency (num_samples_in_parallel), add instances, raise the hard limit of open files, or use --fused",
		concurrency, limit, why, hold)
}
