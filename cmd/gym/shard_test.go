package main_test

import (
	"encoding/json"
	"fmt"
	"os"
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
