package main_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/semconv"
)

// ofProcess are attributes that say where something ran or how long it waited, and so differ from run to run.
var ofProcess = []string{
	semconv.ServerAddress, semconv.ServerPort, semconv.ClientAddress, semconv.URLFull, semconv.ProcessPID,
	semconv.GymWaitAdmission, semconv.GymWaitPool,
}

// whole prints a span with what is below it and all attributes but those of its process.
func (s *span) whole(b *strings.Builder, depth int) {
	var attrs []string
	s.Attributes().Range(func(k string, v pcommon.Value) bool {
		if !slices.Contains(ofProcess, k) {
			attrs = append(attrs, k+"="+v.AsString())
		}
		return true
	})
	slices.Sort(attrs)
	fmt.Fprintf(b, "%s%s %s %s %q %v\n", strings.Repeat("  ", depth), s.Name(), kind(s.Kind()), s.Status().Code(), s.Status().Message(), attrs)
	for _, k := range s.kids {
		k.whole(b, depth+1)
	}
}

// withFailure is a fixture with rows of a gymnasium agent too, and with one that fails.
func withFailure(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	text := read(t, f.config)
	f.config = write(t, f.config, text+`blackjack:
  resources_servers:
    blackjack: {entrypoint: app.py, domain: games}
player:
  responses_api_agents:
    gymnasium_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: blackjack}
      model_server: {type: responses_api_models, name: model}
      max_steps: 5
`)
	rows := f.rows()
	rows[7] = regexp.MustCompile(`"initial_count":\d+`).ReplaceAllString(rows[7], `"initial_count":"boom-7"`)
	for seed := range 5 {
		rows = append(rows, fmt.Sprintf(`{"responses_create_params":{"input":"Deal the cards."},"seed":%d,"agent_ref":{"type":"responses_api_agents","name":"player"}}`, seed))
	}
	f.tasks(strings.Join(rows, "\n") + "\n")
	return f
}

// failures are the classes of a run's failures, with what was said.
func failures(t *testing.T, results string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, row := range lines(t, strings.TrimSuffix(results, ".jsonl")+"_failures.jsonl") {
		all[fmt.Sprint(row["_ng_task_index"], " ", row["_ng_rollout_index"], " ", row["_ng_attempt_index"])] = []any{row["_ng_failure_class"], row["error"]}
	}
	return all
}

// A fused run gives the results and the spans of one in processes, but that there is one process. So do rows that fail.
func TestFused(t *testing.T) {
	needsSpans(t)
	results, trees := map[bool]string{}, map[bool]map[string]string{}
	for _, fused := range []bool{false, true} {
		f := withFailure(t)
		args := []string{"--traces", f.file("traces.jsonl"), "--concurrency", "4", "--num-repeats", "2"}
		line := "each across 3 to 4 processes" // what fails asks no model
		if fused {
			args, line = append(args, "--fused"), "each across 1 process"
		}
		out := f.run([]string{"NEMO_GYM_OTEL_SPAN_GROUPS=all"}, args...)
		out.check(t, 3, line, "2 failed with agent_run_error", "row 7, line 8")
		results[fused] = fmt.Sprint(rewards(t, f.output), failures(t, f.output))
		trees[fused] = map[string]string{}
		for _, spans := range traces(t, f.file("traces.jsonl")) {
			for _, r := range named(spans, "gym.rollout") {
				var b strings.Builder
				r.whole(&b, 0)
				trees[fused][r.str(semconv.GymRolloutID)] = b.String()
			}
		}
	}
	if results[false] != results[true] {
		t.Errorf("results differ:\n%s\n%s", results[false], results[true])
	}
	if len(trees[false]) != 50 || len(trees[true]) != 50 {
		t.Fatalf("%d and %d rollouts have traces, want 50", len(trees[false]), len(trees[true]))
	}
	for id, want := range trees[false] {
		if got := trees[true][id]; got != want {
			t.Errorf("the trace of rollout %s is\n%s\nwant, as in processes,\n%s", id, got, want)
		}
	}
}
