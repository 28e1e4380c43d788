package demo

import (
	"fmt"
	"path/filepath"
	"strings"
)

// ConfigFile is the name of the configuration inside the folder of a demo run.
const ConfigFile = "config.yaml"

// configHead holds the one model that all agents share.
const configHead = `# The servers of the demo. Each entry is one process, and its name is the address that other entries use:
# per environment a resources server, which has the tools and gives the reward, and an agent, which drives the rollout.
# All agents share one model.

policy_model:
  responses_api_models:
    synthetic_model:            # needs no GPU and no network; docs/synthetic-model.md has all options
      entrypoint: app.py        # every entry has one; only Python servers are started by it
      seed: 0                   # another seed: other mistakes, other waits
      mistake_rate: 0.25        # share of tasks in which it misreads one value
      latency:
        distribution: lognormal # or constant, uniform, none
        median_ms: 40
        sigma: 0.5
      failures:
        rate: 0                 # share of turns that fail: try 0.02
      tokens:
        report: estimated       # or fixed, none
`

// configEnvironment holds the two entries of an environment.
const configEnvironment = `
%[1]s:
  resources_servers:
    %[1]s:
      entrypoint: app.py
      domain: agent

%[2]s:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: %[1]s}
      model_server: {type: responses_api_models, name: policy_model}
`

// WriteConfig writes the demo's configuration into dir and returns its path. A file that is there already is an error.
func WriteConfig(dir string) (string, error) {
	var b strings.Builder
	b.WriteString(configHead)
	for _, env := range environments {
		fmt.Fprintf(&b, configEnvironment, env.name, AgentOf(env.name))
	}
	path := filepath.Join(dir, ConfigFile)
	return path, writeNew(path, []byte(b.String()))
}
