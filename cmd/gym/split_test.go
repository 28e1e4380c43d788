package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
