//go:build unix

package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/gym/demo"
)

// slowRun is `gym eval run` over the demo's counter tasks with a model that takes its time, so that there is a middle of
// the run to do something in.
type slowRun struct {
	cmd            *exec.Cmd
	output         string
	stdout, stderr bytes.Buffer
	exited         chan error
}

const slowTasks = 40 // 20 tasks, 2 repeats

// demoFiles writes the demo's configuration and tasks, and returns their folder.
func demoFiles(t *testing.T, latency string) (config, input string) {
	t.Helper()
	files, err := demo.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	slow := write(t, filepath.Join(t.TempDir(), "slow.yaml"),
		"policy_model:\n  responses_api_models:\n    synthetic_model:\n      latency: "+latency+"\n")
	for _, in := range files.Inputs {
		if in.Environment == demo.SessionState {
			input = in.Path
		}
	}
	return files.Config + "," + slow, input
}

// evalArgs are the arguments of a run over those files.
func evalArgs(configs, input, output string, more ...string) []string {
	args := []string{"eval", "run", "--input", input, "--output", output, "--num-repeats", "2", "--concurrency", "4"}
	for _, c := range strings.Split(configs, ",") {
		args = append(args, "--config", c)
	}
	return append(args, more...)
}

func startSlowRun(t *testing.T, configs, input string, more ...string) *slowRun {
	t.Helper()
	output := filepath.Join(t.TempDir(), "results.jsonl")
	return startRun(t, nil, output, evalArgs(configs, input, output, more...)...)
}

// startRun starts a run that writes into output.
func startRun(t *testing.T, env []string, output string, args ...string) *slowRun {
	t.Helper()
	r := &slowRun{output: output, exited: make(chan error, 1)}
	r.cmd = gymCommand(context.Background(), env, args...)
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell does, so that a test can press Ctrl-C
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.exited <- r.cmd.Wait() }()
	t.Cleanup(func() { r.cmd.Process.Kill() })
	return r
}

// ctrlC signals the run's whole process group, as a terminal does. Servers lead groups of their own and do not notice.
func (r *slowRun) ctrlC(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-r.cmd.Process.Pid, sig); err != nil {
		t.Fatal(err)
	}
}

// waitForResults blocks until n results are on disk.
func (r *slowRun) waitForResults(t *testing.T, n int) {
	t.Helper()
	poll(t, fmt.Sprintf("%d results", n), func() bool {
		data, _ := os.ReadFile(r.output)
		return bytes.Count(data, []byte("\n")) >= n
	})
}

// waitForBegin blocks until rollouts are sent out: their inputs are on disk.
func (r *slowRun) waitForBegin(t *testing.T) {
	t.Helper()
	poll(t, "the begin of the run", func() bool {
		_, err := os.Stat(strings.TrimSuffix(r.output, ".jsonl") + "_materialized_inputs.jsonl")
		return err == nil
	})
}

// end waits for the run's exit code.
func (r *slowRun) end(t *testing.T) int {
	t.Helper()
	return r.endWithin(t, time.Minute)
}

func (r *slowRun) endWithin(t *testing.T, patience time.Duration) int {
	t.Helper()
	select {
	case <-r.exited:
	case <-time.After(patience):
		t.Fatalf("the run did not end\n%s", &r.stderr)
	}
	return r.cmd.ProcessState.ExitCode()
}

// children lists the server processes of a run, by instance.
func (r *slowRun) children(t *testing.T) map[string]int {
	t.Helper()
	return blackbox.Instances(t, r.cmd.Process.Pid)
}

// child waits for one of them: who was killed is not there again at once. Without it there is no process 0 to signal either, which would be
// everybody in the group of this test.
func (r *slowRun) child(t *testing.T, instance string) (pid int) {
	t.Helper()
	poll(t, "the process of "+instance, func() bool { pid = r.children(t)[instance]; return pid != 0 })
	return pid
}

// poll asks until it is true, at most a minute.
func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for %s", what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func checkGone(t *testing.T, pids map[string]int) {
	t.Helper()
	for name, pid := range pids {
		poll(t, "the end of "+name, func() bool { return gone(pid) })
	}
}

const slow = "{distribution: constant, constant_ms: 40}"

// Killing a server in mid-run ends the run with a message, keeps what was finished, and a resumed run does the rest once.
func TestKillServerAndResume(t *testing.T) {
	configs, input := demoFiles(t, slow)
	r := startSlowRun(t, configs, input)
	r.waitForResults(t, 8)
	pids := r.children(t)
	if len(pids) != 7 {
		t.Fatalf("children are %v, want 7 servers", pids)
	}
	if err := syscall.Kill(pids["policy_model"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := r.end(t); code != 1 {
		t.Errorf("exit code %d, want 1 (cut short)", code)
	}
	if !strings.Contains(r.stderr.String(), `server "policy_model"`) || !strings.Contains(r.stderr.String(), "killed") {
		t.Errorf("the message does not say what happened:\n%s", &r.stderr)
	}
	checkGone(t, pids)
	before := lines(t, r.output)
	if len(before) < 8 || len(before) >= slowTasks {
		t.Fatalf("%d results on disk after the kill", len(before))
	}

	checkResumed(t, configs, input, r.output, "after the kill")
	after := lines(t, r.output)
	for i, row := range before {
		if fmt.Sprint(after[i]) != fmt.Sprint(row) {
			t.Fatalf("result %d changed in the resumed run", i)
		}
	}
}

// Interrupted once, a run admits nothing new and lets running rollouts finish.
func TestInterruptDrains(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			configs, input := demoFiles(t, slow)
			r := startSlowRun(t, configs, input)
			r.waitForResults(t, 4)
			pids := r.children(t)
			r.ctrlC(t, sig)
			if code := r.end(t); code != 130 {
				t.Errorf("exit code %d, want 130\n%s", code, &r.stderr)
			}
			checkGone(t, pids)
			n := len(lines(t, r.output))
			if n < 4 || n >= slowTasks {
				t.Errorf("%d results", n)
			}
			if _, err := os.Stat(strings.TrimSuffix(r.output, ".jsonl") + "_failures.jsonl"); err == nil {
				t.Error("a drained run has failures")
			}
			if !strings.Contains(r.stdout.String(), "missing") {
				t.Errorf("the summary does not say that rollouts are missing:\n%s", &r.stdout)
			}
		})
	}
}

// The second interrupt cancels what runs, however long it would take.
func TestSecondInterruptCancels(t *testing.T) {
	configs, input := demoFiles(t, "{distribution: constant, constant_ms: 600000}")
	r := startSlowRun(t, configs, input)
	r.waitForBegin(t)
	pids := r.children(t)
	if len(pids) != 7 {
		t.Fatalf("children are %v, want 7 servers", pids)
	}
	r.cancel(t)
	checkGone(t, pids)
}

// cancel interrupts a run twice and waits for its end.
func (r *slowRun) cancel(t *testing.T) {
	t.Helper()
	r.cmd.Process.Signal(syscall.SIGINT)
	r.cmd.Process.Signal(syscall.SIGTERM) // another signal: two equal ones may be merged into one
	if code := r.end(t); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, &r.stderr)
	}
	if !strings.Contains(r.stderr.String(), "Interrupt again to cancel") {
		t.Errorf("the first interrupt was not answered:\n%s", &r.stderr)
	}
}

// When the supervisor is killed and cannot say goodbye, its servers end all the same, and a second run works.
func TestKillSupervisor(t *testing.T) {
	configs, input := demoFiles(t, slow)
	r := startSlowRun(t, configs, input)
	r.waitForResults(t, 2)
	pids := r.children(t)
	if len(pids) != 7 {
		t.Fatalf("children are %v, want 7 servers", pids)
	}
	r.cmd.Process.Kill()
	r.end(t)
	checkGone(t, pids)
	checkResumed(t, configs, input, r.output, "the second run")
}

// Two runs on one output: the second is refused (JL-15), as the first goes on.
func TestEvalRunTwice(t *testing.T) {
	configs, input := demoFiles(t, "{distribution: constant, constant_ms: 600000}")
	r := startSlowRun(t, configs, input)
	r.waitForBegin(t)
	gym(t, nil, evalArgs(configs, input, r.output)...).check(t, 1, "another collector is writing it")
	r.cancel(t)
}

// Whatever dies, whenever: no server is left, every line on disk is whole, and a resumed run finishes the rest and repeats
// nothing. `make soak` does it many times.
func TestSoakKills(t *testing.T) {
	times := 4
	if os.Getenv("LENS_SOAK") != "" {
		times = 100
	}
	victims := []string{"", "policy_model", "example_session_state_mgmt", "example_session_state_mgmt_agent"} // "" is the driver
	configs, input := demoFiles(t, "{distribution: constant, constant_ms: 15}")
	for i := range times {
		r := startSlowRun(t, configs, input)
		r.waitForResults(t, 1+(i*7)%30)
		pids := r.children(t)
		victim := victims[i%len(victims)]
		pid, ok := pids[victim]
		if !ok {
			pid = r.cmd.Process.Pid
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
		r.end(t)
		checkGone(t, pids)
		checkResumed(t, configs, input, r.output, fmt.Sprintf("kill %d, of %q", i, victim))
	}
}

// checkResumed finishes a run that was cut short and counts its results.
func checkResumed(t *testing.T, configs, input, output, what string) {
	t.Helper()
	if out := gym(t, nil, evalArgs(configs, input, output, "--resume")...); out.code != 0 {
		t.Fatalf("%s: the resumed run ended with %d\n%s%s", what, out.code, out.stdout, out.stderr)
	}
	seen := map[string]bool{}
	for _, row := range lines(t, output) {
		seen[fmt.Sprint(row["_ng_task_index"], " ", row["_ng_rollout_index"])] = true
	}
	if n := len(lines(t, output)); n != slowTasks || len(seen) != slowTasks {
		t.Fatalf("%s: %d results of %d rollouts, want %d", what, n, len(seen), slowTasks)
	}
}
