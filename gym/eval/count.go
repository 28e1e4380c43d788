package eval

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/ingest"
)

// Traces is what a trace file says about rollouts. A trace counts when it holds a gym.rollout span; its processes are
// the distinct service names in it.
type Traces struct {
	File  string `json:"file"`
	Spans int    `json:"spans"`
	// Rollouts is the number of traces that hold a gym.rollout span.
	Rollouts int `json:"rollouts"`
	// MinProcesses and MaxProcesses bound the number of processes that such a trace runs through.
	MinProcesses int `json:"min_processes"`
	MaxProcesses int `json:"max_processes"`
	// Uncountable says why traces cannot be told by rollout; then the numbers above are 0, except Spans.
	Uncountable string `json:"uncountable,omitempty"`
}

// trace is what counting keeps of one trace.
type trace struct {
	rollout  bool
	services map[string]struct{}
}

// CountTraces reads a trace file back and counts rollouts and processes, passing over the first lines, which are of
// earlier runs. Memory is one small entry a trace.
func CountTraces(path string, earlier int) (Traces, error) {
	count := Traces{File: path}
	traces := map[pcommon.TraceID]*trace{}
	err := ingest.ReadFile(path, func(td ptrace.Traces) error {
		if earlier--; earlier >= 0 {
			return nil
		}
		for _, rs := range td.ResourceSpans().All() {
			count.Spans += addSpans(traces, rs)
		}
		return nil
	})
	if err != nil {
		return count, fmt.Errorf("cannot count traces: %w", err)
	}
	for _, t := range traces {
		if !t.rollout {
			continue
		}
		n := len(t.services)
		count.Rollouts++
		count.MaxProcesses = max(count.MaxProcesses, n)
		if count.MinProcesses == 0 || n < count.MinProcesses {
			count.MinProcesses = n
		}
	}
	return count, nil
}

// addSpans notes the spans of one process and returns how many there were.
func addSpans(traces map[pcommon.TraceID]*trace, rs ptrace.ResourceSpans) (spans int) {
	service := ""
	if v, ok := rs.Resource().Attributes().Get(semconv.ServiceName); ok {
		service = v.AsString()
	}
	for _, ss := range rs.ScopeSpans().All() {
		for _, span := range ss.Spans().All() {
			spans++
			t := traces[span.TraceID()]
			if t == nil {
				t = &trace{services: map[string]struct{}{}}
				traces[span.TraceID()] = t
			}
			t.services[service] = struct{}{}
			t.rollout = t.rollout || span.Name() == semconv.SpanGymRollout
		}
	}
	return spans
}

// Line is the sentence that a user can check, for a run of so many rollouts.
func (t Traces) Line(rollouts int) string {
	if t.Uncountable != "" {
		return fmt.Sprintf("%d %s, %d spans; %s", rollouts, plural(rollouts, "rollout"), t.Spans, t.Uncountable)
	}
	line := fmt.Sprintf("%d %s, %d %s", rollouts, plural(rollouts, "rollout"), t.Rollouts, plural(t.Rollouts, "trace"))
	across := fmt.Sprintf("across %d %s", t.MaxProcesses, processes(t.MaxProcesses))
	if t.MinProcesses != t.MaxProcesses {
		across = fmt.Sprintf("across %d to %d processes", t.MinProcesses, t.MaxProcesses)
	}
	switch t.Rollouts {
	case 0:
		return line
	case 1:
		return line + ", " + across
	}
	return line + ", each " + across
}

func processes(n int) string {
	if n == 1 {
		return "process"
	}
	return "processes"
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
