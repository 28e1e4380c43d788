package results_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/results"
)

var near = cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) })

// document reads JSON without what only we write.
func document(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for name := range v {
		if strings.HasPrefix(name, "missing/") {
			delete(v, name)
		}
	}
	return v
}

// TestProfile compares with what nemo-gym 0.7.0 writes for the same files: testdata/profile/*_python_*.
func TestProfile(t *testing.T) {
	for _, name := range []string{"plain", "fan_out"} {
		t.Run(name, func(t *testing.T) {
			from, dir := filepath.Join("testdata", "profile"), t.TempDir()
			put(t, filepath.Join(dir, "r_materialized_inputs.jsonl"), read(t, filepath.Join(from, name+"_materialized_inputs.jsonl")))
			rollouts := put(t, filepath.Join(dir, "r.jsonl"), read(t, filepath.Join(from, name+".jsonl")))
			if _, err := results.Profile(results.ProfileOptions{Rollouts: rollouts}); err == nil || !strings.Contains(err.Error(), "2 of") || !strings.Contains(err.Error(), "2:0, 2:1") {
				t.Errorf("missing rollouts: %v", err)
			}
			p, err := results.Profile(results.ProfileOptions{Rollouts: rollouts, Partial: true})
			if err != nil || len(p.Notes) != 1 {
				t.Fatalf("profiled %+v, %v", p, err)
			}
			want := strings.Split(strings.TrimSpace(read(t, filepath.Join(from, name+"_python_groups.jsonl"))), "\n")
			got := strings.Split(strings.TrimSpace(read(t, p.Profile)), "\n")
			if len(got) != len(want) || p.Tasks != len(want) {
				t.Fatalf("%d lines, %d tasks; want %d", len(got), p.Tasks, len(want))
			}
			for i := range want {
				if diff := cmp.Diff(document(t, want[i]), document(t, got[i]), near); diff != "" {
					t.Errorf("line %d (-Python +here):\n%s", i+1, diff)
				}
			}
			var agents []map[string]any
			if err := json.Unmarshal([]byte(read(t, p.AgentMetrics)), &agents); err != nil {
				t.Fatal(err)
			}
			for i, text := range strings.Split(strings.TrimSpace(read(t, filepath.Join(from, name+"_python_agents.jsonl"))), "\n") {
				if diff := cmp.Diff(document(t, text), agents[i], near); diff != "" {
					t.Errorf("agent %d (-Python +here):\n%s", i, diff)
				}
			}
		})
	}
}

func TestProfile_refused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("a.jsonl"), result(0, 0, "1"))
	put(t, at("twice.jsonl"), result(0, 0, "1"), result(0, 0, "1"))
	put(t, at("extra.jsonl"), result(0, 0, "1"), result(9, 9, "1"))
	put(t, at("in.jsonl"), input(0, 0))
	put(t, at("in_twice.jsonl"), input(0, 0), input(0, 0))
	for name, c := range map[string]struct{ inputs, rollouts, want string }{
		"no inputs":      {"", at("a.jsonl"), "a_materialized_inputs.jsonl does not exist"},
		"repeated":       {at("in.jsonl"), at("twice.jsonl"), "stands in it twice (lines 1 and 2)"},
		"extra":          {at("in.jsonl"), at("extra.jsonl"), "1 of its results do not stand in " + at("in.jsonl") + " (9:9)"},
		"repeated input": {at("in_twice.jsonl"), at("a.jsonl"), "stands in its file before"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := results.Profile(results.ProfileOptions{Inputs: c.inputs, Rollouts: c.rollouts, Partial: true})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}
