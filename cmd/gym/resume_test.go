package main_test

import (
	"strings"
	"testing"
)

// GY-05, from outside: what differs is said, and nothing is mixed.
func TestEvalRun_resumed_with_something_else(t *testing.T) {
	f := newFixture(t)
	f.run(nil, "--fused", "--limit", "3", "--temperature", "0.5").check(t, 0)
	f.run(nil, "--fused", "--resume").check(t, 0, "3 of 3 rollouts were finished before")
	before := read(t, f.output)
	other := write(t, f.file("other.yaml"), "agent: {responses_api_agents: {simple_agent: {max_steps: 3}}}\n")
	f.run(nil, "--fused", "--resume", "--temperature", "1", "--config", other).check(t, 1, "it is of another run",
		"responses_create_params.temperature was 0.5, and is 1", "config.agent.responses_api_agents.simple_agent.max_steps was not set, and is 3")
	f.tasks(strings.Join(f.rows()[1:], "\n") + "\n")
	f.run(nil, "--fused", "--resume").check(t, 1, "the data was 3 rows of ")
	if read(t, f.output) != before {
		t.Error("the results were changed")
	}
	f.run(nil, "--fused", "--resume", "--force").check(t, 0, "resumed by force: the data was 3 rows of ")
	f.run(nil, "--force").check(t, 2, "--force needs --resume")
}
