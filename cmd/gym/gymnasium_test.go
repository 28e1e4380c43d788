package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// The environments that answer each turn themselves, chosen by name and with the data that the program carries.
func TestEvalRunGymnasium(t *testing.T) {
	for name, c := range map[string]struct {
		rows     string // "" are those that the program carries
		mean     string
		result   func(row map[string]any) bool
		rollouts int
	}{
		"blackjack": {result: func(row map[string]any) bool {
			info, _ := row["info"].(map[string]any)
			want, known := map[any]float64{"win": 1, "draw": 0, "loss": -1}[info["result"]] // the model says no action, so it stands
			return known && row["reward"] == want && row["terminated"] == true && row["truncated"] == false
		}, mean: "blackjack_gymnasium_agent", rollouts: 10},
		"example_multi_turn_gymnasium": {result: func(row map[string]any) bool {
			response, _ := row["response"].(map[string]any)
			output, _ := response["output"].([]any)
			want := map[int]float64{3: 1, 5: 0} // two turns with one follow-up, three with two
			reward, known := want[len(output)]
			return known && row["reward"] == reward && row["terminated"] == true
		}, rows: `{"responses_create_params":{"input":"Hello?"},"follow_ups":["And?"],"expected_answer":"DONE.","agent_ref":{"type":"responses_api_agents","name":"example_multi_turn_gymnasium_agent"}}
{"responses_create_params":{"input":"Hello?"},"follow_ups":["And?","So?"],"expected_answer":"Eiffel","agent_ref":{"type":"responses_api_agents","name":"example_multi_turn_gymnasium_agent"}}
`, mean: "example_multi_turn_gymnasium_agent", rollouts: 4},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			input := "resources_servers/" + name + "/data/example.jsonl"
			gymIn(t, dir, nil, "env", "validate", "--resources-server", name, "--model-type", "synthetic_model", "--input", input).
				check(t, 0, "3 instances, nothing wrong", input+": 5 rows")
			if c.rows != "" {
				input = write(t, filepath.Join(dir, "tasks.jsonl"), c.rows)
			}
			args := []string{"eval", "run", "--resources-server", name, "--model-type", "synthetic_model", "--input", input, "--output", "results.jsonl",
				"--num-repeats", "2", "++policy_model.responses_api_models.synthetic_model.latency.distribution=none"}
			gymIn(t, dir, nil, args...).check(t, 0, "rollouts")
			rows := lines(t, filepath.Join(dir, "results.jsonl"))
			if len(rows) != c.rollouts {
				t.Errorf("%d results, want %d", len(rows), c.rollouts)
			}
			rewards := map[any]any{} // by task: the cards of a seed are the same in each rollout
			for _, row := range rows {
				if !c.result(row) {
					t.Errorf("a result is %v", row)
				}
				task := row["_ng_task_index"]
				if before, there := rewards[task]; there && before != row["reward"] {
					t.Errorf("task %v has the rewards %v and %v", task, before, row["reward"])
				}
				rewards[task] = row["reward"]
			}
			gymIn(t, dir, nil, append(args, "--resume")...).check(t, 0)
			if n := len(lines(t, filepath.Join(dir, "results.jsonl"))); n != c.rollouts {
				t.Errorf("after a resume there are %d results, want %d", n, c.rollouts)
			}
		})
	}
}

// Rollouts that are not to be scored, and the paths and trajectories of a run that is observed, by keys of the whole run.
func TestEvalRunUnverified(t *testing.T) {
	f := newFixture(t)
	f.run(nil, "--limit", "3", "++skip_verification=true", "++skip_verification_reward=0.25").check(t, 0)
	rows := lines(t, f.output)
	for _, row := range rows {
		if row["reward"] != 0.25 || row["verification_skipped"] != true || row["expected_count"] == nil {
			t.Errorf("a result is %v", row)
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d results, want 3", len(rows))
	}
	if aggregates := read(t, f.file("out/results_aggregate_metrics.json")); !strings.Contains(aggregates, `"mean/reward": 0.25`) {
		t.Errorf("the aggregates are %s", aggregates)
	}
}

// A configuration of the shape that newer versions of the Python system have, with keys that only they know.
func TestEvalRunEnvironmentServer(t *testing.T) {
	f := newFixture(t)
	newer := write(t, f.file("newer.yaml"), `counter:
  resources_servers:
    example_session_state_mgmt: {allowed_agents: [simple_agent], value: Counting, verified: false}
front:
  environment_servers:
    legacy_agent:
      entrypoint: app.py
      agent_server: {type: responses_api_agents, name: agent}
`)
	f.run(nil, "--config", newer, "--limit", "2").check(t, 0, "2 rollouts, 2 scored")
}
