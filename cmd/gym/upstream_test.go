//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// agentRef is where a row names its agent, which most rows of the Python system do not.
var agentRef = regexp.MustCompile(`, ?"agent_ref": ?\{[^}]*\}`)

// TestUpstreamConfigs runs configurations as the Python system's examples have them, in a clone of it, against synthetic_model.
func TestUpstreamConfigs(t *testing.T) {
	clone := t.TempDir()
	if err := os.CopyFS(clone, os.DirFS(filepath.Join("..", "..", "gym", "config", "testdata", "upstream"))); err != nil {
		t.Fatal(err)
	}
	ones := []float64{1, 1, 1, 1, 1}
	for environment, test := range map[string]struct {
		agent   string
		rewards []float64
	}{
		"example_single_tool_call":      {"example_single_tool_call_simple_agent", ones},
		"example_multi_step":            {"example_multi_step_simple_agent", ones},
		"example_session_state_mgmt":    {"example_session_state_mgmt_simple_agent", ones},
		"example_tool_call_multireward": {"example_tool_call_multireward_simple_agent", []float64{2, 2, 2, 2, 2}}, // it says a word after its call
		"mcqa":                          {"mcqa_simple_agent", []float64{0, 0, 0, 0, 1}},
		"example_multi_turn_gymnasium":  {"example_multi_turn_gymnasium_agent", []float64{0, 0, 0, 0, 0}},
		"blackjack":                     {"blackjack_gymnasium_agent", nil}, // a game of chance
	} {
		t.Run(environment, func(t *testing.T) {
			data := filepath.Join(clone, "resources_servers", environment, "data")
			if err := os.Mkdir(data, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(data, "example.jsonl"), agentRef.ReplaceAllString(read(t, exampleOf(t, environment)), ""))
			results := runUpstream(t, clone, environment, test.agent)
			if test.rewards != nil && !slices.Equal(byTask(results, "reward"), test.rewards) {
				t.Errorf("the rewards are %v, want %v", byTask(results, "reward"), test.rewards)
			}
		})
	}
}

// runUpstream runs one configuration of a clone, and its data, with a model that makes no mistakes, and has every row scored by its
// agent.
func runUpstream(t *testing.T, clone, environment, agent string) (results []map[string]any) {
	t.Helper()
	dir := t.TempDir()
	source := []string{"--search-dir", clone, "--resources-server", environment, "--model-type", "synthetic_model"}
	gymIn(t, dir, nil, append([]string{"env", "resolve"}, source...)...).check(t, 0, agent+":")
	input := filepath.Join(clone, "resources_servers", environment, "data", "example.jsonl")
	gymIn(t, dir, nil, append([]string{"eval", "run", "--agent", agent, "-i", input, "-o", "out.jsonl",
		"++policy_model.responses_api_models.synthetic_model.latency.distribution=none",
		"++policy_model.responses_api_models.synthetic_model.mistake_rate=0"}, source...)...).check(t, 0)
	rows := len(lines(t, input))
	results = lines(t, filepath.Join(dir, "out.jsonl"))
	if len(results) != rows || rows == 0 {
		t.Errorf("%d rows have %d results", rows, len(results))
	}
	for _, row := range results {
		if by := row["agent_ref"].(map[string]any)["name"]; by != agent {
			t.Errorf("a rollout is by agent %v, want %s", by, agent)
		}
	}
	return results
}
