package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lensgo/lens/bench"
)

// setup is one way to run.
type setup struct {
	layout string
	groups string // telemetry
}

const (
	processes, fused = "processes", "fused"
	off              = "off"
)

var setups = []setup{
	{processes, off}, {processes, "default"}, {processes, "all"},
	{fused, off}, {fused, "default"}, {fused, "all"},
}

func (s setup) name() string { return s.layout + " " + s.groups }

// Measures.
const (
	cpu     = "cpu"     // of a rollout, ms, in all processes, without the start
	startup = "startup" // CPU time of a run of one rollout, ms
	rate    = "rate"    // rollouts a second, from the first to the last
	spans   = "spans"   // of a rollout
)

const (
	config = `model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, mistake_rate: 0, latency: {distribution: none}}
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`
	row = `{"responses_create_params":{"input":"What is the weather like in 'Oslo', for the %d. time?","tools":[{"type":"function","name":"get_weather","strict":true,` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}}` + "\n"
)

// write writes the configuration and the tasks.
func (r *run) write() error {
	var tasks bytes.Buffer
	for i := range r.rollouts {
		fmt.Fprintf(&tasks, row, i)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(r.dir, "config.yaml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(r.dir, "tasks.jsonl"), tasks.Bytes(), 0o600))
}

// sample runs a setup: one rollout, for what the start costs, and all of them.
func (r *run) sample(ctx context.Context, s setup, to *sink) (bench.Sample, error) {
	one, err := r.collect(ctx, s, to, 1)
	if err != nil {
		return nil, err
	}
	all, err := r.collect(ctx, s, to, r.rollouts)
	if err != nil {
		return nil, err
	}
	more := float64(r.rollouts - 1)
	return bench.Sample{
		cpu:     (all.cpu - one.cpu).Seconds() * 1e3 / more,
		startup: one.cpu.Seconds() * 1e3,
		rate:    float64(r.rollouts) / all.took.Seconds(),
		spans:   float64(all.spans-one.spans) / more,
	}, nil
}

// collected is what a run took.
type collected struct {
	cpu   time.Duration // of all its processes
	took  time.Duration // from the first rollout to the last
	spans int
}

// tookLine is where the program says how long it collected.
var tookLine = regexp.MustCompile(`Collected \d+ of \d+ rollouts in (\S+)`)

// collect is one `gym eval run`.
func (r *run) collect(ctx context.Context, s setup, to *sink, rollouts int) (c collected, err error) {
	dir, err := os.MkdirTemp(r.dir, "run-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // all of it is removed in the end
	args := []string{
		"eval", "run", "--config", filepath.Join(r.dir, "config.yaml"), "--input", filepath.Join(r.dir, "tasks.jsonl"),
		"--output", filepath.Join(dir, "results.jsonl"), "--agent", "agent", "--limit", strconv.Itoa(rollouts),
		"--concurrency", strconv.Itoa(r.concurrency), "--json",
	}
	if s.layout == fused {
		args = append(args, "--fused")
	}
	cmd := exec.CommandContext(ctx, r.gym, args...)
	cmd.Env = environment(s, to)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // its servers end with it
	cmd.WaitDelay = time.Minute
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	to.reset()
	if err := cmd.Run(); err != nil {
		return c, fmt.Errorf("cannot run gym: %w\n%s", err, &stderr)
	}
	var summary struct{ Scored int }
	if err := json.Unmarshal(stdout.Bytes(), &summary); err != nil {
		return c, fmt.Errorf("cannot read the summary: %w\n%s", err, &stdout)
	}
	if summary.Scored != rollouts {
		return c, fmt.Errorf("%d of %d rollouts are scored\n%s", summary.Scored, rollouts, &stderr)
	}
	said := tookLine.FindSubmatch(stderr.Bytes())
	if said == nil {
		return c, fmt.Errorf("it does not say how long it took:\n%s", &stderr)
	}
	if c.took, err = time.ParseDuration(string(said[1])); err != nil {
		return c, err
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // with that of its children
	recorded, spans, err := to.count()
	if err != nil {
		return c, err
	}
	if c.spans = spans; s.groups != off && recorded != rollouts {
		return c, fmt.Errorf("%d of %d rollouts have arrived as spans\n%s", recorded, rollouts, &stderr)
	}
	return c, nil
}

// environment is that of this process without settings of telemetry, and those of the setup.
func environment(s setup, to *sink) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "OTEL_") || strings.HasPrefix(kv, "NEMO_") || strings.HasPrefix(kv, "TRACE")
	})
	if s.groups == off {
		return env
	}
	return append(env, "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_SPAN_GROUPS="+s.groups,
		"OTEL_EXPORTER_OTLP_ENDPOINT="+to.url, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
}
