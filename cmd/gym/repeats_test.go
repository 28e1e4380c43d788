package main_test

import (
	"strings"
	"testing"
)

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
