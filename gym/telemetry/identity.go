package telemetry

// SupervisorName is the server name, and the type, of the process that starts the others and drives the rollouts.
const SupervisorName = "supervisor"

// Identity says which of Gym's processes this one is.
type Identity struct {
	Server string // the instance's name; SupervisorName for the supervisor
	Type   string // resources_servers, responses_api_agents, responses_api_models, supervisor; empty: not on the resource
}

// Supervisor is the identity of the process that starts the others.
func Supervisor() Identity { return Identity{Server: SupervisorName, Type: SupervisorName} }

// serviceName returns the service.name under which the process is seen.
func (id Identity) serviceName(base string, perServer bool) string {
	if !perServer || id.Server == "" {
		return base
	}
	return base + "/" + id.Server
}
