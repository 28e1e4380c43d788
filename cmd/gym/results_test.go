package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// collected is a run of eight rollouts of a stateless environment and of one that is not.
func collected(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	write(t, f.config, read(t, f.config)+`weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
weather_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`)
	rows := f.rows()[:2]
	for _, row := range rows {
		rows = append(rows, strings.ReplaceAll(row, `"name":"agent"`, `"name":"weather_agent"`))
	}
	f.tasks(strings.Join(rows, "\n") + "\n")
	gym(t, nil, "eval", "run", "--config", f.config, "-i", f.input, "-o", f.output, "--num-repeats", "2").check(t, 0)
	return f
}

// exists tells whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestEvalResults(t *testing.T) {
	f := collected(t)
	run := filepath.Dir(f.output)

	t.Run("aggregate", func(t *testing.T) {
		// Two shards whose lines stand in any order are the run again, with the servers and without.
		text := strings.SplitAfter(strings.TrimSuffix(read(t, f.output), "\n"), "\n")
		shards := t.TempDir()
		write(t, filepath.Join(shards, "s0.jsonl"), strings.Join(text[:3], ""))
		write(t, filepath.Join(shards, "s1.jsonl"), strings.Join(text[3:], ""))
		want := metricsOf(t, filepath.Join(run, "results_aggregate_metrics.json"))
		for _, config := range [][]string{nil, {"--config", f.config}} {
			out := filepath.Join(t.TempDir(), "all.jsonl")
			gym(t, nil, append([]string{"eval", "aggregate", "-i", filepath.Join(shards, "s*.jsonl"), "-o", out}, config...)...).check(t, 0)
			if got := metricsOf(t, strings.TrimSuffix(out, ".jsonl")+"_aggregate_metrics.json"); got != want {
				t.Errorf("with %v the metrics are\n%s\nwant\n%s", config, got, want)
			}
			if n := len(lines(t, out)); n != 8 {
				t.Errorf("%d merged results, want 8", n)
			}
		}
		out := gym(t, nil, "eval", "aggregate", "-i", filepath.Join(shards, "none*.jsonl"), "-o", filepath.Join(shards, "out.jsonl"))
		out.check(t, 1, "no file matches")
	})

	t.Run("profile", func(t *testing.T) {
		gym(t, nil, "eval", "profile", "--rollouts", f.output).check(t, 0)
		rows := lines(t, filepath.Join(run, "results_reward_profiling.jsonl"))
		if len(rows) != 4 || rows[0]["num_rollouts"] != 2.0 || rows[0]["sample"] == nil {
			t.Errorf("profile %v", rows)
		}
	})

	t.Run("show", func(t *testing.T) {
		list := gym(t, nil, "eval", "show", run)
		list.check(t, 0)
		if !strings.Contains(list.stdout, "8 rollouts, 8 scored, 0 failed") {
			t.Errorf("list %s", list.stdout)
		}
		one := gym(t, nil, "eval", "show", f.output, "1:1")
		one.check(t, 0)
		for _, want := range []string{"rollout 1:1\n", "\n== input\n", "\n[call ", "\n== answer\n", "reward   "} {
			if !strings.Contains(one.stdout, want) {
				t.Errorf("no %q in %s", want, one.stdout)
			}
		}
		gym(t, nil, "eval", "show", f.output, "99:0").check(t, 1, "no task 99")
		gym(t, nil, "eval", "show", f.output, "x").check(t, 2, "names no rollout")
	})

	t.Run("reverify and compare", func(t *testing.T) {
		dir := t.TempDir()
		again := func(more ...string) outcome {
			return gym(t, nil, append([]string{"eval", "reverify", "--config", f.config, "--rollouts", f.output, "-o", filepath.Join(dir, "new.jsonl")}, more...)...)
		}
		again().check(t, 1, "counter (unsupported)")
		again("--force").check(t, 0)
		if unsafe := filepath.Join(dir, "unsafe_new.jsonl"); len(lines(t, unsafe)) != 8 || exists(filepath.Join(dir, "new.jsonl")) || !exists(filepath.Join(dir, "unsafe_new_aggregate_metrics.json")) {
			t.Errorf("reverified %s", unsafe)
		}
		compared := gym(t, nil, "eval", "compare", f.output, filepath.Join(dir, "unsafe_new.jsonl"), "--json")
		compared.check(t, 0)
		var c struct {
			Agents []struct {
				Agent             string
				Tasks             int
				Difference, BMean *float64
			}
		}
		if err := json.Unmarshal([]byte(compared.stdout), &c); err != nil || len(c.Agents) != 2 {
			t.Fatalf("compared %s: %v", compared.stdout, err)
		}
		for _, a := range c.Agents { // only the environment whose scores live in sessions is scored otherwise
			if a.Tasks != 2 || (*a.Difference == 0) != (a.Agent == "weather_agent") {
				t.Errorf("agent %+v", a)
			}
		}
		gym(t, nil, "eval", "compare", f.output).check(t, 2, "two runs")
	})
}

// metricsOf is a file of aggregates without the order of its agents, which is that of completion.
func metricsOf(t *testing.T, path string) string {
	t.Helper()
	var entries []map[string]any
	if err := json.Unmarshal([]byte(read(t, path)), &entries); err != nil {
		t.Fatal(err)
	}
	byAgent := map[string]any{}
	for _, e := range entries {
		byAgent[e["agent_ref"].(map[string]any)["name"].(string)] = e
	}
	b, err := json.MarshalIndent(byAgent, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
