package rollout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "3/4": {3, 4}, " 1 / 2 ": {1, 2}} {
		if s, err := ParseShard(text); err != nil || s != want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "a/b", "1/2/3"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}

func TestShardFromEnv(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want Shard
		from string
		err  string
	}{
		"nothing":              {nil, Shard{}, "", ""},
		"an array":             {map[string]string{envSlurmTask: "3", envSlurmCount: "4", envSlurmMin: "0"}, Shard{3, 4}, envSlurmTask, ""},
		"an array from one":    {map[string]string{envSlurmTask: "1", envSlurmCount: "4", envSlurmMin: "1"}, Shard{0, 4}, envSlurmTask, ""},
		"an array in steps":    {map[string]string{envSlurmTask: "8", envSlurmCount: "4", envSlurmMin: "0", envSlurmStep: "4"}, Shard{2, 4}, envSlurmTask, ""},
		"an array with gaps":   {map[string]string{envSlurmTask: "9", envSlurmCount: "2", envSlurmMin: "1"}, Shard{}, envSlurmTask, "number the array without gaps"},
		"an array of nothing":  {map[string]string{envSlurmTask: "0"}, Shard{}, envSlurmTask, `SLURM_ARRAY_TASK_COUNT is ""`},
		"an array of a text":   {map[string]string{envSlurmTask: "x", envSlurmCount: "4", envSlurmMin: "1"}, Shard{}, envSlurmTask, `SLURM_ARRAY_TASK_ID is "x"`},
		"a job":                {map[string]string{envKubeIndex: "2", envShardCount: "8"}, Shard{2, 8}, envKubeIndex, ""},
		"a job without number": {map[string]string{envKubeIndex: "2"}, Shard{}, envKubeIndex, "set NEMO_GYM_SHARD_COUNT to the completions of the job"},
		"a job of fewer":       {map[string]string{envKubeIndex: "2", envShardCount: "2"}, Shard{}, envKubeIndex, "2/2"},
	} {
		s, from, err := ShardFromEnv(func(name string) string { return c.env[name] })
		if c.err == "" && (err != nil || s != c.want || from != c.from) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v from %q, %v", name, s, from, err)
		}
	}
}

func TestShard_Output(t *testing.T) {
	for _, c := range []struct {
		s          Shard
		path, want string
	}{
		{Shard{}, "out/r.jsonl", "out/r.jsonl"},
		{Shard{0, 1}, "out/r.jsonl", "out/r.jsonl"},
		{Shard{2, 4}, "out/r.jsonl", "out/r-shard-2-of-4.jsonl"},
		{Shard{7, 100}, "r.d/r", "r.d/r-shard-07-of-100"},
		{Shard{1, 2}, "out/.jsonl", "out/.jsonl-shard-1-of-2"},
	} {
		if got := c.s.Output(c.path); got != c.want {
			t.Errorf("%v of %s is %s, want %s", c.s, c.path, got, c.want)
		}
	}
}

// Four shards together are the run without shards: the same rows with the same indexes, and one name.
func TestRun_shards(t *testing.T) {
	f := newFixture(t, inputRows(9)+inputRows(3)) // rows of the same text are one task, wherever they stand
	f.o.Repeats = 2
	f.run(newAgent(t))
	whole := strings.Split(f.read("out/rollouts_materialized_inputs.jsonl"), "\n")
	slices.Sort(whole)

	var parts, names []string
	output := f.o.Output
	for i := range 4 {
		f.o.Shard = Shard{i, 4}
		f.o.Output = f.o.Shard.Output(output)
		p := f.prepare()
		names = append(names, p.RunID())
		s, err := p.Run(t.Context(), newAgent(t).client(t))
		if err != nil || s.Scored != s.Expected || s.Scored == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		parts = append(parts, strings.Split(strings.TrimSpace(f.read(fmt.Sprintf("out/rollouts-shard-%d-of-4_materialized_inputs.jsonl", i))), "\n")...)
	}
	parts = append(parts, "")
	slices.Sort(parts)
	if !slices.Equal(parts, whole) {
		t.Errorf("shards ran\n%s\nwant\n%s", strings.Join(parts, "\n"), strings.Join(whole, "\n"))
	}
	if len(slices.Compact(names)) != 1 || names[0] == "" {
		t.Errorf("shards have the names %v", names)
	}
}

// A shard may have nothing to do.
func TestRun_empty_shard(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.o.Shard, f.o.DisableAggregation = Shard{3, 4}, false
	for range 2 {
		s := f.run(newAgent(t))
		if s.Expected != 0 || s.Missing != 0 || s.Interrupted || s.AggregateErr != nil {
			t.Errorf("%+v", s)
		}
		f.o.Resume = true
	}
}
