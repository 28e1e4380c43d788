//go:build unix

package main_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/semconv"
)

// crowd is a run of many rollouts over four agents, whose model takes its time.
type crowd struct {
	dir, config, input, output, logs string
}

// newCrowd writes rows, of which agentOf says who plays them.
func newCrowd(t *testing.T, rows int, latency time.Duration, agentOf func(row int) int) *crowd {
	t.Helper()
	dir := t.TempDir()
	c := &crowd{dir: dir, output: filepath.Join(dir, "results.jsonl"), logs: filepath.Join(dir, "logs")}
	config := fmt.Sprintf(`model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, mistake_rate: 0, latency: {distribution: constant, constant_ms: %d}}
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
`, latency.Milliseconds())
	for i := range 4 {
		config += fmt.Sprintf(`agent_%d:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`, i)
	}
	c.config = write(t, filepath.Join(dir, "config.yaml"), config)
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, `{"responses_create_params":{"input":"What is the weather like in 'Oslo', for the %d. time?","tools":[{"type":"function","name":"get_weather","strict":true,`+
			`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]},"agent_ref":{"type":"responses_api_agents","name":"agent_%d"}}`+"\n",
			i, agentOf(i))
	}
	c.input = write(t, filepath.Join(dir, "tasks.jsonl"), b.String())
	return c
}

func (c *crowd) args(concurrency int, more ...string) []string {
	return append([]string{
		"eval", "run", "--config", c.config, "--input", c.input, "--output", c.output, "--log-dir", c.logs,
		"--concurrency", fmt.Sprint(concurrency), "--json",
	}, more...)
}

// check looks for each rollout, and for what a process says that has run out of descriptors.
func (c *crowd) check(t *testing.T, rows int) {
	t.Helper()
	seen := map[any]bool{}
	for _, row := range lines(t, c.output) {
		if seen[row["_ng_task_index"]] || row["reward"] != 1.0 {
			t.Errorf("rollout %v is there twice, or has the reward %v", row["_ng_task_index"], row["reward"])
		}
		seen[row["_ng_task_index"]] = true
	}
	if len(seen) != rows {
		t.Errorf("%d rollouts are scored, want %d", len(seen), rows)
	}
	logs, err := filepath.Glob(filepath.Join(c.logs, "*.log"))
	if err != nil || len(logs) != 6 {
		t.Errorf("logs are %v, %v", logs, err)
	}
	for _, path := range logs {
		if text := read(t, path); strings.Contains(text, "too many open files") {
			t.Errorf("%s ran out of descriptors:\n%.2000s", filepath.Base(path), text)
		}
	}
}

// So many rollouts are in flight at once, in processes and in one. `make soak` has 16,000 of them.
func TestSoakInFlight(t *testing.T) {
	rows := 1000
	if os.Getenv("LENS_SOAK") != "" {
		rows = 16_000
	}
	for name, more := range map[string][]string{"processes": nil, "fused": {"--fused"}} {
		t.Run(name, func(t *testing.T) {
			// Where the first answer has come before the last is asked for, for want of cores, the model has to take longer.
			for latency := 2 * time.Second; !inFlight(t, rows, latency, more...); latency *= 2 {
				if latency > time.Minute {
					t.Fatal("they never are in flight at once")
				}
			}
		})
	}
}

// inFlight runs them, and tells whether all ran at the same time, and all were with the model then.
func inFlight(t *testing.T, rows int, latency time.Duration, more ...string) bool {
	t.Helper()
	c := newCrowd(t, rows, latency, func(row int) int { return row % 4 })
	recorded := filepath.Join(c.dir, "traces.jsonl")
	groups := []string{"NEMO_GYM_OTEL_SPAN_GROUPS=rollout,model_call"} // what is looked at: to write down more takes longer than to do it
	r := startRun(t, groups, c.output, c.args(rows, append(more, "--traces", recorded)...)...)
	if code := r.endWithin(t, 10*time.Minute); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, &r.stdout, &r.stderr)
	}
	c.check(t, rows)
	if tags != "" {
		return true // without spans nobody knows when rollouts ran
	}
	all := traces(t, recorded)
	rollouts, took := atOnce(all, func(s *span) bool { return s.Name() == semconv.SpanGymRollout })
	asked, _ := atOnce(all, func(s *span) bool { return s.Name() == semconv.SpanGymModelResponses })
	t.Logf("answers after %v: of %d rollouts %d at once, %d of them with the model at once; all in %v; peak of memory %d MB",
		latency, rows, rollouts, asked, took, peak(r.cmd)>>20)
	if rollouts > rows || asked > rows {
		t.Errorf("more than there are")
	}
	return rollouts == rows && asked == rows
}

// atOnce is how many of some spans ran at the same time, and how long it took from the first to the last.
func atOnce(all map[pcommon.TraceID][]*span, some func(*span) bool) (most int, took time.Duration) {
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	for _, spans := range all {
		for _, s := range spans {
			if some(s) {
				changes = append(changes, change{s.StartTimestamp().AsTime(), 1}, change{s.EndTimestamp().AsTime(), -1})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), a.by-b.by) }) // what ends first makes room
	now := 0
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	if len(changes) == 0 {
		return 0, 0
	}
	return most, changes[len(changes)-1].at.Sub(changes[0].at)
}

// limited is the program with a hard limit of open files, and a soft one that is too small for anything.
func limited(limit int, args ...string) []string {
	return append([]string{"-c", fmt.Sprintf(`ulimit -Sn 100 && ulimit -Hn %d && exec "$0" "$@"`, limit), gymBinary}, args...)
}

// What an agent cannot take waits its turn, though the run as a whole fits: almost all rows are of one agent.
func TestDescriptors_wait(t *testing.T) {
	const rows = 600
	c := newCrowd(t, rows, 100*time.Millisecond, func(row int) int { return min(row/(rows-3), 1) * (row % 4) })
	cmd := exec.Command("sh", limited(3000, c.args(rows)...)...)
	cmd.Env = gymCommand(t.Context(), nil).Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c.check(t, rows)
}

// A run that does not fit is refused before anything starts, with the numbers and the setting.
func TestDescriptors_refused(t *testing.T) {
	const rows = 1500
	c := newCrowd(t, rows, 0, func(row int) int { return row % 4 })
	cmd := exec.Command("sh", limited(3000, c.args(rows)...)...)
	cmd.Env = gymCommand(t.Context(), nil).Env
	out, err := cmd.Output()
	var refusal struct{ Error string }
	if json.Unmarshal(out, &refusal) != nil || err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v, no refusal:\n%s", err, out)
	}
	for _, says := range []string{"cannot keep 1500 rollouts in flight", "3000 open files (ulimit -n)", "there are 4. Up to 1392 fit", "lower --concurrency (num_samples_in_parallel)"} {
		if !strings.Contains(refusal.Error, says) {
			t.Errorf("nothing says %q: %s", says, refusal.Error)
		}
	}
	if begun, _ := filepath.Glob(filepath.Join(c.logs, "*")); len(begun) > 0 {
		t.Errorf("a run that was refused has begun: %v", begun)
	}
}

// peak is the most memory that a command held which has ended, in bytes.
func peak(cmd *exec.Cmd) int64 {
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(used.Maxrss)
	}
	return int64(used.Maxrss) << 10
}
