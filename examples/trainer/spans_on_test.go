//go:build !lens_off

package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/ingest"
)

// trace is what the test looks at in one trace.
type trace struct {
	roots    []string        // names of spans without a parent
	lost     int             // spans whose parent is nowhere
	count    map[string]int  // spans by name
	ranks    map[int64]int   // spans by nv.dl.rank
	services map[string]int  // spans by service
	pids     map[string]bool // processes, by their instance
	runs     map[string]bool // by nemo.run.id
}

// received runs the program with a spec against a receiver, and gives what arrived there, by trace id, and what it printed.
func received(t *testing.T, spec string, args ...string) (traces map[string]*trace, out string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := ingest.Start(t.Context(), ln, ingest.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := trainer(t, []string{
		"NEMO_LENS_ENABLED=1", "NEMO_LENS_SPAN_GROUPS=" + spec, "OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.Endpoint(),
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
	}, args...)
	if err := receiver.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Fatal(errs)
	}
	if warned := strings.Count(errs, "members=[sandbox]"); warned == 0 {
		t.Errorf("nobody says that nothing has registered sandbox:\n%s", errs)
	}
	traces = map[string]*trace{}
	parents, spans := map[string][]pcommon.SpanID{}, map[pcommon.SpanID]bool{}
	err = ingest.ReadFile(path, func(td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					id := span.TraceID().String()
					if traces[id] == nil {
						traces[id] = &trace{count: map[string]int{}, ranks: map[int64]int{}, pids: map[string]bool{}, runs: map[string]bool{}, services: map[string]int{}}
					}
					traces[id].add(rs.Resource(), span)
					parents[id] = append(parents[id], span.ParentSpanID())
					spans[span.SpanID()] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, list := range parents {
		for _, parent := range list {
			if !parent.IsEmpty() && !spans[parent] {
				traces[id].lost++
			}
		}
	}
	return traces, out
}

func (tr *trace) add(r pcommon.Resource, span ptrace.Span) {
	if span.ParentSpanID().IsEmpty() {
		tr.roots = append(tr.roots, span.Name())
	}
	tr.count[span.Name()]++
	if service, ok := r.Attributes().Get("service.name"); ok {
		tr.services[service.AsString()]++
	}
	if rank, ok := r.Attributes().Get("nv.dl.rank"); ok {
		tr.ranks[rank.Int()]++
	}
	if instance, ok := r.Attributes().Get("service.instance.id"); ok {
		tr.pids[instance.AsString()] = true
	}
	if run, ok := r.Attributes().Get("nemo.run.id"); ok {
		tr.runs[run.AsString()] = true
	}
}

// Each step is one trace over all workers, and over one process more where it was evaluated.
func TestTrainer_traces(t *testing.T) {
	const workers, steps = 3, 6
	traces, out := received(t, "all", "-workers", "3", "-steps", "6", "-every", "5")
	if len(traces) != steps {
		t.Errorf("%d traces for %d steps", len(traces), steps)
	}
	evaluated, runs := 0, map[string]bool{}
	for id, tr := range traces {
		maps.Copy(runs, tr.runs)
		if !slices.Equal(tr.roots, []string{"trainer.step"}) || tr.lost != 0 {
			t.Errorf("%s has roots %v, and %d spans below nothing", id, tr.roots, tr.lost)
		}
		if len(tr.ranks) != workers || len(tr.pids) != workers+tr.count["trainer.evaluate"] {
			t.Errorf("%s is of ranks %v and of %d processes, evaluated %d times", id, tr.ranks, len(tr.pids), tr.count["trainer.evaluate"])
		}
		if !strings.Contains(out, "trace "+id+"\n") {
			t.Errorf("the program does not print trace %s:\n%s", id, out)
		}
		if got, want := tr.services["trainer-evaluate"], 4*tr.count["trainer.evaluate"]; got != want {
			t.Errorf("%s has %d spans of the process that evaluates, want %d: %v", id, got, want, tr.services)
		}
		evaluated += tr.count["trainer.evaluate"]
		for name, want := range map[string]int{
			"trainer.step": workers, "rl.rollout": workers, "rl.generation": workers, "rl.policy_update": workers,
			"trainer.all_reduce": workers, "trainer.microbatch": 3 * workers,
			"trainer.layer":           (2+3*4)*workers + 2*tr.count["trainer.evaluate"],
			"trainer.checkpoint.save": tr.count["trainer.evaluate"], "trainer.checkpoint.load": tr.count["trainer.evaluate"],
		} {
			if tr.count[name] != want {
				t.Errorf("%s has %d spans %s, want %d", id, tr.count[name], name, want)
			}
		}
	}
	if len(runs) != 1 {
		t.Errorf("the processes of one job name runs %v", runs)
	}
	if evaluated != 2 {
		t.Errorf("%d evaluations", evaluated)
	}
	if all := losses(t, out); len(all) != 2 || all[1] >= all[0] {
		t.Errorf("the loss does not fall: %v", all)
	}
}

// The presets of both libraries are one: default has a group of the trainer in the driver's preset.
func TestTrainer_presets(t *testing.T) {
	for spec, want := range map[string][]string{
		"default":                 {"rl.policy_update", "rl.rollout", "trainer.checkpoint.load", "trainer.checkpoint.save", "trainer.evaluate", "trainer.step"},
		"per_step,-communication": {"rl.generation", "rl.policy_update", "rl.rollout", "trainer.checkpoint.load", "trainer.checkpoint.save", "trainer.evaluate", "trainer.microbatch", "trainer.step"},
		"rollout":                 {"rl.rollout"},
	} {
		t.Run(spec, func(t *testing.T) {
			traces, _ := received(t, spec, "-workers", "2", "-steps", "1")
			got := map[string]bool{}
			for _, tr := range traces {
				for name := range tr.count {
					got[name] = true
				}
			}
			for _, name := range want {
				if !got[name] {
					t.Errorf("no %s", name)
				}
				delete(got, name)
			}
			if len(got) > 0 {
				t.Errorf("also %v", got)
			}
		})
	}
}
