package main_test

import (
	"fmt"
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
	fmt.Fprintf(b, "%s%s %s %s %v\n", strings.Repeat("  ", depth), s.Name(), kind(s.Kind()), s.Status().Code(), attrs)
	for _, k := range s.kids {
		k.whole(b, depth+1)
	}
}

// A fused run gives the results and the spans of one in processes, but that there is one process.
func TestFused(t *testing.T) {
	needsSpans(t)
	results, trees := map[bool]string{}, map[bool]map[string]string{}
	for _, fused := range []bool{false, true} {
		f := newFixture(t)
		args := []string{"--traces", f.file("traces.jsonl"), "--concurrency", "4", "--num-repeats", "2"}
		line := "each across 4 processes"
		if fused {
			args, line = append(args, "--fused"), "each across 1 process"
		}
		out := f.run([]string{"NEMO_GYM_OTEL_SPAN_GROUPS=all"}, args...)
		out.check(t, 0, line)
		results[fused] = fmt.Sprint(rewards(t, f.output))
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
		t.Errorf("rewards differ:\n%s\n%s", results[false], results[true])
	}
	if len(trees[false]) != 40 || len(trees[true]) != 40 {
		t.Fatalf("%d and %d rollouts have traces, want 40", len(trees[false]), len(trees[true]))
	}
	for id, want := range trees[false] {
		if got := trees[true][id]; got != want {
			t.Fatalf("the trace of rollout %s is\n%s\nwant, as in processes,\n%s", id, got, want)
		}
	}
}
