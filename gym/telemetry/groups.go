package telemetry

import "github.com/lensgo/lens"

// Namespace is the name under which Gym's groups are registered, and the instrumentation scope of their spans.
const Namespace = "nemo_gym"

// Gym's span groups.
var (
	// Job is the whole run, in the driver: gym.job.
	Job = lens.NewGroup("job")

	// Startup is the start of the fleet, in the driver: gym.startup, and gym.startup.server for each server.
	Startup = lens.NewGroup("startup")

	// Server is every request that a server takes: SERVER spans named by their route.
	Server = lens.NewGroup("server")

	// HTTPClient is every request that a process sends: CLIENT spans, one around a logical request with its retries.
	HTTPClient = lens.NewGroup("http_client")

	// Rollout is one attempt of one task: gym.rollout, the root of its trace. It is opened by the driver, or by the agent
	// when the caller is not our driver.
	Rollout = lens.NewGroup("rollout")

	// Verify is the scoring of one rollout in a resources server: gym.verify.
	Verify = lens.NewGroup("verify")

	// Agent is the agent's own work: gym.agent.run and gym.agent.responses.
	Agent = lens.NewGroup("agent")

	// ModelCall is one call in a model server: gym.model.responses and its like.
	ModelCall = lens.NewGroup("model_call")

	// Sandbox is one operation of a sandbox, in the process that holds it: gym.sandbox.start, gym.sandbox.exec and
	// gym.sandbox.stop. It is in no preset.
	Sandbox = lens.NewGroup("sandbox")
)

// Spine is the groups that join the processes of one rollout. Every preset holds them. A spec may leave them out; the
// trace then stays one all the same, because trace context is carried in any case, but hops have no spans.
var Spine = []string{Server.Name(), HTTPClient.Name(), Rollout.Name()}

// Names of the presets. "all" is every group that is registered in the process.
const (
	PresetDefault    = "default"
	PresetPerRollout = "per_rollout"
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: Namespace,
		Version:   Version(),
		Groups:    []*lens.Group{Job, Startup, Server, HTTPClient, Rollout, Verify, Agent, ModelCall, Sandbox},
		Presets: lens.Presets{
			PresetDefault:    append([]string{Job.Name(), Startup.Name()}, Spine...),
			PresetPerRollout: append([]string{Verify.Name(), Agent.Name(), ModelCall.Name()}, Spine...),
		},
		Override: true,
	})
}
