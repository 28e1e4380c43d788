package eval_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// While servers start, one interrupt ends the run, and what an earlier run left stays.
func TestRun_interrupted_while_servers_start(t *testing.T) {
	dir := t.TempDir()
	output := write(t, filepath.Join(dir, "results.jsonl"), "an earlier result\n")
	var stderr bytes.Buffer
	o := eval.Options{
		ConfigPaths: []string{write(t, filepath.Join(dir, "config.yaml"), "agent:\n  responses_api_agents:\n    simple_agent: {entrypoint: app.py}\n")},
		Rollout: rollout.Options{
			Input:  write(t, filepath.Join(dir, "tasks.jsonl"), `{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"agent"}}`),
			Output: output,
		},
		Command: []string{"sh", "-c", "exec sleep 600"}, // a server that never answers
		Interrupts: func() (<-chan os.Signal, func()) {
			signals := make(chan os.Signal, 1)
			signals <- os.Interrupt
			return signals, func() {}
		},
		Stderr: &stderr,
	}
	result, err := eval.Run(t.Context(), o)
	if errors.Is(err, fleet.ErrPlatform) {
		t.Skip(err)
	}
	if result != nil || !errors.Is(err, eval.ErrInterrupted) || eval.ExitCode(result, err) != eval.ExitInterrupted {
		t.Errorf("result %v, error %v", result, err)
	}
	if !strings.Contains(stderr.String(), "no rollout has begun") {
		t.Errorf("the user was told %q", &stderr)
	}
	if text, err := os.ReadFile(output); err != nil || string(text) != "an earlier result\n" {
		t.Errorf("the earlier output is %q, %v", text, err)
	}
}

func TestExitCode(t *testing.T) {
	result := func(s rollout.Summary) *eval.Result { return &eval.Result{Summary: &s} }
	for name, c := range map[string]struct {
		result *eval.Result
		err    error
		want   int
	}{
		"all scored":            {result(rollout.Summary{Expected: 2, Scored: 1, Skipped: 1}), nil, eval.ExitOK},
		"could not start":       {nil, errors.New("no port"), eval.ExitFailed},
		"cut short":             {result(rollout.Summary{Scored: 1, Missing: 1}), errors.New("a server died"), eval.ExitFailed},
		"failed":                {result(rollout.Summary{Scored: 1, Failed: 1}), nil, eval.ExitFailures},
		"given up before":       {result(rollout.Summary{Skipped: 1, GivenUp: 1}), nil, eval.ExitFailures},
		"not to be kept":        {result(rollout.Summary{Scored: 1, Discarded: 1}), nil, eval.ExitFailures},
		"interrupted":           {result(rollout.Summary{Scored: 1, Missing: 1}), errors.Join(eval.ErrInterrupted, errors.New("disk full")), eval.ExitInterrupted},
		"interrupted at start":  {nil, eval.ErrInterrupted, eval.ExitInterrupted},
		"broken pipe at report": {result(rollout.Summary{Scored: 1}), syscall.EPIPE, eval.ExitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := eval.ExitCode(c.result, c.err); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestTraces_Line(t *testing.T) {
	for want, c := range map[string]struct {
		traces   eval.Traces
		rollouts int
	}{
		"120 rollouts, 120 traces, each across 4 processes":  {eval.Traces{Rollouts: 120, MinProcesses: 4, MaxProcesses: 4}, 120},
		"1 rollout, 1 trace, across 1 process":               {eval.Traces{Rollouts: 1, MinProcesses: 1, MaxProcesses: 1}, 1},
		"3 rollouts, 2 traces, each across 2 to 4 processes": {eval.Traces{Rollouts: 2, MinProcesses: 2, MaxProcesses: 4}, 3},
		"2 rollouts, 0 traces":                               {eval.Traces{}, 2},
		"2 rollouts, 7 spans; nobody knows":                  {eval.Traces{Spans: 7, Uncountable: "nobody knows"}, 2},
	} {
		if got := c.traces.Line(c.rollouts); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
