package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/ingest"
)

// faulty is a run in which much goes wrong.
type faulty struct {
	t        *testing.T
	rollouts int
	dir      string
	output   string
	env      []string
	args     []string
}

const faultyAgent = "agent"

// diskPatience is how long a run tries a line again that the disk refuses, before it gives up. Where this machine was too slow to take
// the refusal back until then, the run ends, and is to be resumed.
const diskPatience = 2550 * time.Millisecond

func newFaulty(t *testing.T, rollouts int, endpoint string) *faulty {
	t.Helper()
	f := &faulty{t: t, rollouts: rollouts, dir: t.TempDir()}
	f.output = filepath.Join(f.dir, "results.jsonl")
	config := write(t, filepath.Join(f.dir, "config.yaml"), `model:
  responses_api_models:
    vllm_model:
      entrypoint: app.py
      base_url: `+endpoint+`/v1
      api_key: ""
      model: m
      max_retries: 3
      retry_min_seconds: 0.01
      retry_max_seconds: 0.05
      try_timeout_seconds: 0.5
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
`+faultyAgent+`:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`)
	input := write(t, filepath.Join(f.dir, "tasks.jsonl"), f.tasks())
	f.args = []string{
		"eval", "run", "--config", config, "--input", input, "--output", f.output, "--agent", faultyAgent,
		"--concurrency", "32", "--max-restarts", "2",
	}
	return f
}

// tasks are rows of which every fifth fails each time, in each of the ways in turn.
func (f *faulty) tasks() string {
	var b strings.Builder
	for i := range f.rollouts {
		question := fmt.Sprintf("What is the weather like in Oslo, for the %d. time?", i)
		if i%5 == 0 {
			question += " always " + faults[i/5%len(faults)]
		}
		row := map[string]any{"responses_create_params": map[string]any{
			"input": []any{map[string]any{"role": "user", "content": question}},
			"tools": []any{map[string]any{
				"type": "function", "name": "get_weather", "strict": true,
				"parameters": map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}},
			}},
		}}
		line, err := json.Marshal(row)
		if err != nil {
			f.t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// receive starts a receiver beside the run, whose disk refuses nothing. Stop gives the file.
func (f *faulty) receive() (stop func() string) {
	f.t.Helper()
	path := filepath.Join(f.dir, "traces.jsonl")
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	receiver, err := ingest.Start(f.t.Context(), ln, ingest.Config{Path: path})
	if err != nil {
		f.t.Fatal(err)
	}
	f.env = []string{
		"NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.Endpoint(), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"NEMO_GYM_OTEL_SPAN_GROUPS=all", // an agent that is killed takes spans with it; those of the model tell what happened all the same
	}
	return func() string {
		if err := receiver.Shutdown(context.Background()); err != nil {
			f.t.Error(err)
		}
		return path
	}
}

// killAgent kills the agent when so many results are there, and waits for the next one.
func (f *faulty) killAgent(r *slowRun, results int) {
	f.t.Helper()
	r.waitForResults(f.t, results)
	pid := r.child(f.t, faultyAgent)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		f.t.Fatal(err)
	}
	poll(f.t, "the next agent", func() bool { next := r.children(f.t)[faultyAgent]; return next != 0 && next != pid })
}

// Whatever fails meanwhile, in the end every rollout is scored or said to have failed, once, and the trace of a failed one shows where.
// `make soak` does it with 2,000 rollouts.
func TestSoakFaults(t *testing.T) {
	rollouts := 200
	if os.Getenv("LENS_SOAK") != "" {
		rollouts = 2000
	}
	endpoint := newUnreliable(t)
	f := newFaulty(t, rollouts, endpoint.URL)
	traced := f.receive()

	r := startRun(t, f.env, f.output, f.args...)
	f.killAgent(r, rollouts/5)
	f.killAgent(r, rollouts*2/5)
	r.waitForResults(t, rollouts*3/5)
	stood := refuseWrite(t, r.cmd.Process.Pid, f.output)
	code := r.endWithin(t, 10*time.Minute)
	for _, says := range []string{"It is started again (1 of 2)", "It is started again (2 of 2)"} {
		if !strings.Contains(r.stderr.String(), says) {
			t.Errorf("nothing says %q", says)
		}
	}
	if code == 1 && strings.Contains(r.stderr.String(), "file too large") {
		t.Logf("the refusal stood for %v and ended the run, which is resumed", stood)
		if stood < diskPatience {
			t.Errorf("a run waits %v for a disk that refuses a line, and one ended by less:\n%s", diskPatience, &r.stderr)
		}
		r = startRun(t, f.env, f.output, append(f.args, "--resume")...)
		code = r.endWithin(t, 10*time.Minute)
	}
	if code != 3 {
		t.Errorf("exit code %d, want 3\n%s%s", code, &r.stdout, &r.stderr)
	}
	for _, fault := range faults {
		if endpoint.count[fault] == 0 {
			t.Errorf("the endpoint never failed by %q", fault)
		}
	}
	failures := f.checkRows()
	if path := traced(); tags == "" {
		f.checkTraces(path, failures)
	}
}

// try is one attempt at a rollout.
type try struct{ task, rollout, attempt int64 }

func tryOf(row map[string]any) try {
	number := func(key string) int64 { n, _ := row[key].(float64); return int64(n) }
	return try{number("_ng_task_index"), number("_ng_rollout_index"), number("_ng_attempt_index")}
}

// checkRows looks for each rollout in the results and the failures, and gives the class of each failure.
func (f *faulty) checkRows() map[try]string {
	f.t.Helper()
	scored, failures, failed := map[try]bool{}, map[try]string{}, map[try]bool{}
	for _, row := range lines(f.t, f.output) {
		at := tryOf(row)
		at.attempt = 0
		if scored[at] || row["reward"] != 1.0 {
			f.t.Errorf("rollout %v is there twice, or with the reward %v", at, row["reward"])
		}
		scored[at] = true
	}
	for _, row := range lines(f.t, strings.TrimSuffix(f.output, ".jsonl")+"_failures.jsonl") {
		at := tryOf(row)
		class, _ := row["_ng_failure_class"].(string)
		if _, twice := failures[at]; twice || class == "" {
			f.t.Errorf("failure %v is there twice, or of no class: %v", at, row)
		}
		failures[at] = class
		at.attempt = 0
		failed[at] = true
	}
	for i := range f.rollouts {
		at, hopeless := try{task: int64(i)}, i%5 == 0
		if scored[at] && hopeless || !scored[at] && !failed[at] {
			f.t.Errorf("rollout %d: scored is %v and failed %v, hopeless %v", i, scored[at], failed[at], hopeless)
		}
	}
	f.t.Logf("%d scored, %d failures", len(scored), len(failures))
	if len(scored) < f.rollouts/2 || len(scored) > f.rollouts || len(failures) < f.rollouts/5 {
		f.t.Errorf("%d scored and %d failures of %d rollouts", len(scored), len(failures), f.rollouts)
	}
	return failures
}

// checkTraces looks for the trace of each failure: it says which class, and a span beside that of the rollout has the error.
func (f *faulty) checkTraces(path string, failures map[try]string) {
	f.t.Helper()
	for _, spans := range traces(f.t, path) {
		for _, root := range named(spans, semconv.SpanGymRollout) {
			number := func(key string) int64 {
				v, _ := root.Attributes().Get(key)
				return v.Int()
			}
			at := try{number(semconv.GymTaskIndex), number(semconv.GymRolloutIndex), number(semconv.GymRolloutAttempt)}
			class, isFailure := failures[at]
			if !isFailure {
				continue
			}
			delete(failures, at)
			if root.str(semconv.GymFailureClass) != class || root.Status().Code() != ptrace.StatusCodeError || len(culprits(spans)) == 0 {
				f.t.Errorf("failure %v of class %q: the trace says %q and shows nothing below\n%s", at, class, root.str(semconv.GymFailureClass), root.tree())
			}
		}
	}
	if len(failures) > 0 {
		f.t.Errorf("failures without a trace: %v", failures)
	}
}

// culprits are the spans of a trace that failed and say how, but for the rollout itself.
func culprits(spans []*span) (names []string) {
	for _, s := range spans {
		if s.Name() != semconv.SpanGymRollout && s.Status().Code() == ptrace.StatusCodeError && (s.Status().Message() != "" || s.str(semconv.ErrorType) != "") {
			names = append(names, s.Name())
		}
	}
	return names
}
