package results_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/results"
)

// shards writes a run twice: whole, and in four parts whose lines stand in the order in which they ended. Task 2 failed once before it
// was scored, task 5 for good.
func shards(t *testing.T, kind string) (whole, dir string) {
	t.Helper()
	whole, dir = t.TempDir(), t.TempDir()
	part := map[int][3]string{}
	var all [3]string
	for task := 7; task >= 0; task-- {
		for rollout := range 2 {
			texts := [3]string{result(task, rollout, []string{"1.0", "0.25"}[rollout]), input(task, rollout), ""}
			switch task {
			case 2:
				texts[2] = failure(task, rollout, "timeout")
			case 5:
				texts[0], texts[2] = "", failure(task, rollout, "agent_run_error")+failure(task, rollout, "timeout")
			}
			p := part[task%4]
			for i, text := range texts {
				p[i] += text
			}
			part[task%4] = p
		}
	}
	for task := range 8 {
		for rollout := range 2 {
			if task != 5 {
				all[0] += result(task, rollout, []string{"1.0", "0.25"}[rollout])
			}
			all[1] += input(task, rollout)
			switch task {
			case 2:
				all[2] += failure(task, rollout, "timeout")
			case 5:
				all[2] += failure(task, rollout, "agent_run_error") + failure(task, rollout, "timeout")
			}
		}
	}
	ends := []string{".jsonl", "_materialized_inputs.jsonl", "_failures.jsonl"}
	for i, end := range ends {
		put(t, filepath.Join(whole, "r"+end), all[i])
		for n, p := range part {
			if p[i] != "" {
				put(t, filepath.Join(dir, "r"+string(rune('0'+n))+end+kind), packed(t, kind, p[i]))
			}
		}
	}
	return whole, dir
}

func merge(t *testing.T, o results.MergeOptions, ask ...results.Ask) (*results.Merged, error) {
	t.Helper()
	s, err := results.OpenShards(o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if len(ask) == 0 {
		return s.Merge(t.Context(), nil)
	}
	return s.Merge(t.Context(), ask[0])
}

// TestMerge shows that four shards are the run that was not cut into shards, byte for byte.
func TestMerge(t *testing.T) {
	for _, kind := range []string{"", ".gz", ".zst"} {
		t.Run("shards"+kind, func(t *testing.T) {
			whole, dir := shards(t, kind)
			if _, err := merge(t, results.MergeOptions{Patterns: []string{filepath.Join(whole, "r.jsonl")}, Output: filepath.Join(whole, "r.jsonl")}); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "new", "r.jsonl")
			o := results.MergeOptions{Patterns: []string{filepath.Join(dir, "r*.jsonl"+kind)}, Output: out}
			m, err := merge(t, o)
			if err != nil {
				t.Fatal(err)
			}
			if m.Rollouts != 14 || m.Failed != 2 || m.Expected != 16 || len(m.Shards) != 4 || !slices.Equal(m.Agents, []string{"simple"}) || len(m.Notes) != 0 {
				t.Errorf("merged %+v", m)
			}
			for _, end := range []string{".jsonl", "_materialized_inputs.jsonl", "_failures.jsonl", "_aggregate_metrics.json"} {
				want, got := read(t, filepath.Join(whole, "r"+end)), read(t, strings.TrimSuffix(out, ".jsonl")+end)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("r%s (-whole +shards):\n%s", end, diff)
				}
			}
			if !strings.Contains(read(t, m.Aggregate), `"mean/reward": 0.625`) {
				t.Errorf("aggregates: %s", read(t, m.Aggregate))
			}
			if _, err := merge(t, o); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

// AG-13.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a1.jsonl", "a2.jsonl", "a1_failures.jsonl", "a1_materialized_inputs.jsonl", "a1_failures.jsonl.gz", "b.jsonl"} {
		put(t, filepath.Join(dir, name), "")
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	got, err := results.Expand(at("a*.jsonl") + ", " + at("a1.jsonl") + "," + at("b.jsonl"))
	if want := []string{at("a1.jsonl"), at("a2.jsonl"), at("b.jsonl")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := results.Expand(at("b.jsonl"), at("c*.jsonl")); err == nil || !strings.Contains(err.Error(), "no file matches") || !strings.Contains(err.Error(), "c*") {
		t.Errorf("no match: %v", err)
	}
	if _, err := results.Expand(" , "); err == nil {
		t.Error("no pattern at all is fine")
	}
}

func TestMerge_refused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("a.jsonl"), result(0, 0, "1")+"\n")
	put(t, at("b.jsonl"), result(0, 0, "0"))
	put(t, at("c.jsonl"), result(1, 0, "0"))
	put(t, at("x.jsonl"), `{"reward":1}`+"\n")
	put(t, at("y.jsonl"), `{"_ng_task_index":0,"_ng_rollout_index":0}`+"\n")
	for name, c := range map[string]struct {
		patterns []string
		output   string
		want     string
	}{
		"no output":                 {[]string{at("a.jsonl")}, "", "no output file"},
		"two runs":                  {[]string{at("a.jsonl"), at("b.jsonl")}, at("out.jsonl"), "stands in both"},
		"no rows of a run":          {[]string{at("x.jsonl")}, at("out.jsonl"), "x.jsonl:1: it has no _ng_task_index"},
		"no agent":                  {[]string{at("y.jsonl")}, at("out.jsonl"), "y.jsonl:1: it has no agent_ref"},
		"an output that would go":   {[]string{at("a.jsonl")}, at("c.jsonl"), "which no shard has"},
		"a shard that would go":     {[]string{at("a.jsonl"), at("c.jsonl")}, at("c.jsonl"), "which no shard has"},
		"another run's inputs":      {[]string{at("a.jsonl")}, at("c_materialized_inputs.jsonl"), "for what stands beside results"},
		"a compressed output":       {[]string{at("a.jsonl")}, at("z.jsonl.gz"), "z.jsonl.gz: they are not compressed"},
		"an output of another kind": {[]string{at("a.jsonl")}, at("x.jsonl"), "something else stands there"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := merge(t, results.MergeOptions{Patterns: c.patterns, Output: c.output})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if got := read(t, at("c.jsonl")); got != result(1, 0, "0") {
		t.Errorf("c.jsonl was changed: %s", got)
	}
}

func TestMerge_torn_and_repeated(t *testing.T) {
	dir := t.TempDir()
	in := put(t, filepath.Join(dir, "a.jsonl"), result(0, 0, "1")+result(0, 0, "0")+`{"_ng_task`)
	m, err := merge(t, results.MergeOptions{Patterns: []string{in}, Output: filepath.Join(dir, "out.jsonl")})
	if err != nil || m.Rollouts != 1 || len(m.Notes) != 2 {
		t.Fatalf("merged %+v, %v; want one rollout and two notes", m, err)
	}
	if got := read(t, filepath.Join(dir, "out.jsonl")); got != result(0, 0, "1") {
		t.Errorf("merged %s", got)
	}
}

// One agent's failure leaves the metrics of the others.
func TestMerge_ask(t *testing.T) {
	dir := t.TempDir()
	in := put(t, filepath.Join(dir, "a.jsonl"), result(0, 0, "1"), strings.ReplaceAll(result(1, 0, "1"), "simple", "other"))
	out := filepath.Join(dir, "out.jsonl")
	boom := errors.New("boom-42")
	var bodies []string
	m, err := merge(t, results.MergeOptions{Patterns: []string{in}, Output: out, MetricsOnly: true},
		func(_ context.Context, agent string, body []byte) ([]byte, error) {
			bodies = append(bodies, agent+" "+string(body))
			if agent == "simple" {
				return nil, boom
			}
			return []byte(`{"agent_metrics":{"mean/reward":1}}`), nil
		})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "simple") || m.Aggregate == "" {
		t.Errorf("merged %+v, %v", m, err)
	}
	want := []string{
		`simple {"verify_responses":[{"reward":1,"_ng_task_index":0,"_ng_rollout_index":0,"agent_ref":{"name":"simple"},"response":{"usage":{"total_tokens":0}}}]}`,
		`other {"verify_responses":[{"reward":1,"_ng_task_index":1,"_ng_rollout_index":0,"agent_ref":{"name":"other"},"response":{"usage":{"total_tokens":10}}}]}`,
	}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("results were merged although only metrics were asked for")
	}
	golden(t, "aggregate_one_failed.json", read(t, m.Aggregate))
}
