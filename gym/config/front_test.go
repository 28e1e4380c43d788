package config

import (
	"strings"
	"testing"
)

// The names are those that nemo_gym.global_config.legacy_environment_server_name gives.
func TestFronted(t *testing.T) {
	agent := func(name, impl string) string {
		return name + ":\n  responses_api_agents:\n    " + impl + ": {entrypoint: app.py, port: 5001}\n"
	}
	for _, c := range []struct{ name, yaml, want string }{
		{"kind at the end", agent("counter_simple_agent", "simple_agent"), "counter_environment_server"},
		{"kind alone", agent("simple_agent", "simple_agent"), "simple_agent_environment_server"},
		{"other kind", agent("counter_agent", "gymnasium_agent"), "counter_environment_server"},
		{"no agent in it", agent("counter", "simple_agent"), "counter_environment_server"},
		{"taken", agent("counter_simple_agent", "simple_agent") + "counter_environment_server: 1\n", "counter_simple_agent_environment_server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := Decode([]byte(c.yaml))
			if err != nil {
				t.Fatal(err)
			}
			fronted := g.Fronted()
			front := fronted.Instance(c.want)
			if front == nil {
				t.Fatalf("there is no %s:\n%s", c.want, fronted.YAML())
			}
			if front.Type != TypeEnvironment || front.Impl != "legacy_agent" || front.URL() != g.Instances[0].URL() ||
				len(front.Refs) != 1 || front.Refs[0].Name != g.Instances[0].Name {
				t.Errorf("it is\n%s", fronted.YAML())
			}
			if strings.Contains(string(g.YAML()), "legacy_agent") {
				t.Errorf("the original has changed:\n%s", g.YAML())
			}
			if again := fronted.Fronted(); len(again.Instances) != len(fronted.Instances) {
				t.Errorf("what has an environment server got another one:\n%s", again.YAML())
			}
		})
	}
}
