package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// runOf is what stands beside an output.
func runOf(t *testing.T, output string) (run struct {
	ID    string `json:"run_id"`
	Shard string `json:"shard"`
}) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, strings.TrimSuffix(output, ".jsonl")+"_run.json")), &run); err != nil {
		t.Fatal(err)
	}
	return run
}

// Four shards, merged, are the run without shards: the same results with the same metrics, under one name.
func TestEvalRun_shards(t *testing.T) {
	f := newFixture(t)
	all := f.file("all.jsonl")
	gym(t, nil, "eval", "run", "--config", f.config, "-i", f.input, "-o", all, "--num-repeats", "2", "--fused").check(t, 0)

	var names []string
	for i := range 4 {
		// However a shard is told which one it is.
		env, args := []string(nil), []string{"--num-repeats", "2", "--fused"}
		switch i {
		case 0, 1:
			args = append(args, "--shard", fmt.Sprintf("%d/4", i))
		case 2:
			env = []string{"SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_COUNT=4", "SLURM_ARRAY_TASK_MIN=1"}
		case 3:
			env = []string{"JOB_COMPLETION_INDEX=3", "NEMO_GYM_SHARD_COUNT=4"}
		}
		f.run(env, args...).check(t, 0)
		run := runOf(t, f.file(fmt.Sprintf("out/results-shard-%d-of-4.jsonl", i)))
		if want := fmt.Sprintf("%d/4", i); run.Shard != want {
			t.Errorf("shard %q, want %q", run.Shard, want)
		}
		names = append(names, run.ID)
	}
	if len(slices.Compact(names)) != 1 || names[0] == "" {
		t.Errorf("shards have the names %v", names)
	}

	gym(t, nil, "eval", "aggregate", "-i", f.file("out/results-shard-*.jsonl"), "-o", f.output).check(t, 0, "40 rollouts expected, 40 scored, 0 failed, 0 missing")
	if got, want := sortedLines(t, f.output), sortedLines(t, all); !slices.Equal(got, want) {
		t.Errorf("merged results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	gym(t, nil, "eval", "aggregate", "-i", all, "-o", f.file("again.jsonl")).check(t, 0)
	if got, want := read(t, f.file("out/results_aggregate_metrics.json")), read(t, f.file("again_aggregate_metrics.json")); got != want {
		t.Errorf("merged metrics are\n%s\nwant\n%s", got, want)
	}
	if run := runOf(t, f.output); run.ID != names[0] || run.Shard != "" {
		t.Errorf("the merged run is %+v, want %s", run, names[0])
	}

	// A shard that is not there is missed.
	if err := os.Remove(f.file("out/results-shard-2-of-4.jsonl")); err != nil {
		t.Fatal(err)
	}
	gym(t, nil, "eval", "aggregate", "-i", f.file("out/results-shard-*.jsonl"), "-o", f.file("less.jsonl")).check(t, 0, "note: shard 2/4 is not among the files")
}

// sortedLines are results by task and rollout, without what differs from run to run.
func sortedLines(t *testing.T, path string) (out []string) {
	t.Helper()
	for _, row := range lines(t, path) {
		out = append(out, fmt.Sprint(row["_ng_task_index"], row["_ng_rollout_index"], row["reward"], row["responses_create_params"]))
	}
	slices.Sort(out)
	return out
}

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

// What a run is of the data sets of its configuration.
func TestEvalRun_split(t *testing.T) {
	f := newFixture(t)
	rows := f.rows()
	without := strings.ReplaceAll(strings.Join(rows[:2], "\n"), `"agent_ref"`, `"was"`)
	if err := os.Mkdir(f.file("data"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, f.file("data/a.jsonl"), without+"\n")
	write(t, f.file("data/b.jsonl"), `{"initial_count":1,"expected_count":1,"q":"Say so."}`+"\n")
	write(t, f.file("prompt.yaml"), "user: '{q} Now.'\n")
	sets := write(t, f.file("sets.yaml"), `agent:
  responses_api_agents:
    simple_agent:
      datasets:
      - {name: a, type: validation, license: MIT, jsonl_fpath: data/a.jsonl, num_repeats: 2}
      - {name: b, type: validation, license: MIT, jsonl_fpath: data/b.jsonl, prompt_config: prompt.yaml}
      - {name: c, type: train, license: MIT, jsonl_fpath: data/gone.jsonl, huggingface_identifier: {repo_id: x/y}}
`)
	run := func(more ...string) outcome {
		return gymIn(t, f.dir, nil, append([]string{"eval", "run", "--fused", "--config", f.config, "--config", sets, "-o", "s.jsonl"}, more...)...)
	}
	out := run("--split", "validation")
	if out.code == 1 { // what the tasks are worth is not the matter here
		t.Fatal(out.stdout, out.stderr)
	}
	sent := lines(t, f.file("s_materialized_inputs.jsonl"))
	if len(sent) != 5 {
		t.Fatalf("%d rollouts, want 2 rows twice and one", len(sent))
	}
	if text := fmt.Sprint(sent[4]["responses_create_params"]); !strings.Contains(text, "Say so. Now.") || !strings.Contains(fmt.Sprint(sent[0]["agent_ref"]), "agent") {
		t.Errorf("sent %v", sent)
	}
	if !exists(filepath.Join(f.dir, "s", "preprocessed_datasets", "validation.jsonl")) {
		t.Error("the rows are not kept")
	}
	run("--split", "train").check(t, 1, `data set "c"`, "data/gone.jsonl is not here: put it there first")
	run("--split", "benchmark").check(t, 1, "no data set of the configuration has that type; there are train, validation")
	run().check(t, 2, "--input is missing, or --split")
}

// JL-13 and prompts, by flag and by configuration.
func TestEvalRun_repeats_by_agent(t *testing.T) {
	f := newFixture(t)
	for _, more := range [][]string{{"--num-repeats", "agent=2,_default=1"}, {"+num_repeats={agent: 2}"}, {"--num-repeats", "{agent: 2}"}} {
		f.run(nil, append(more, "--fused", "--limit", "2", "--concurrency", "auto:8", "--num-repeats-add-seed")...).check(t, 0, "4 rollouts, 4 scored")
	}
	if text := read(t, f.file("out/results_materialized_inputs.jsonl")); strings.Count(text, `"extra_body":"{\"seed\":1}"`) != 2 {
		t.Errorf("seeds in %s", text)
	}
	f.run(nil, "--num-repeats", "typo=2", "--limit", "1").check(t, 1, `num_repeats has no entry for "agent"; add one, or _default`)
	f.run(nil, "--num-repeats", "agent=0").check(t, 2, "--num-repeats of agent is 0; it must be 1 or more")
	f.run(nil, "--num-repeats", "some").check(t, 2, "it must be a number, or numbers by agent")
	f.run(nil, "--concurrency", "automatic").check(t, 2, "it must be a number, auto, or auto:n")
	f.run(nil, "--shard", "4/4").check(t, 2, "4/4")
	prompt := write(t, f.file("prompt.yaml"), "user: '{initial_count}'\n")
	f.run(nil, "--prompt-config", prompt, "--limit", "2").check(t, 1, "2 bad rows", "responses_create_params.input is there already, and a prompt was given")
}
