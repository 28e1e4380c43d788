package runs_test

import (
	"fmt"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
)

func ExampleAnalyse() {
	second := func(s float64) uint64 { return uint64(s * 1e9) }
	agent := runs.Process{Service: "nemo-gym/agent", ServerType: "responses_api_agents"}
	model := runs.Process{Service: "nemo-gym/policy_model", ServerType: "responses_api_models"}
	spans := []runs.Span{
		{ID: otlp.SpanID{1}, Name: "gym.rollout", Process: agent, Rollout: "12-0", Start: second(0), End: second(5)},
		{ID: otlp.SpanID{2}, Parent: otlp.SpanID{1}, Name: "HTTP POST", Process: agent, Start: second(1), End: second(4.5), Pool: 250 * time.Millisecond},
		{ID: otlp.SpanID{3}, Parent: otlp.SpanID{2}, Name: "POST /v1/responses", Process: model, Start: second(1.5), End: second(4)},
	}
	for _, a := range runs.Analyse(spans) {
		fmt.Println("task", a.Task, "attempt", a.Attempt, "took", a.Duration())
		for part, d := range a.Split {
			if d > 0 {
				fmt.Println(runs.Part(part), d)
			}
		}
		for _, s := range a.Path {
			fmt.Println(spans[s.Span].Name, s.Part, s.Duration())
		}
	}
	// Output:
	// task 12 attempt 1 took 5s
	// pool 250ms
	// model 2.5s
	// other 2.25s
	// gym.rollout other 1s
	// HTTP POST pool 250ms
	// HTTP POST other 250ms
	// POST /v1/responses model 2.5s
	// HTTP POST other 500ms
	// gym.rollout other 500ms
}
