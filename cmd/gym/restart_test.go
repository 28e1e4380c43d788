//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// Servers that die are started again, what was in them is tried again, and at the end every rollout is scored once.
func TestRestarts(t *testing.T) {
	configs, input := demoFiles(t, slow)
	want := startSlowRun(t, configs, input)
	if code := want.end(t); code != 0 {
		t.Fatalf("without a kill the run ends with %d\n%s", code, &want.stderr)
	}

	r := startSlowRun(t, configs, input, "--max-restarts", "2")
	victims := []string{"example_session_state_mgmt_agent", "example_session_state_mgmt", "example_session_state_mgmt_agent"}
	for i, victim := range victims {
		r.waitForResults(t, 4+8*i)
		pid := r.child(t, victim)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		poll(t, "the next process of "+victim, func() bool { next := r.children(t)[victim]; return next != 0 && next != pid })
	}
	pids := r.children(t)
	if code := r.end(t); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, &r.stdout, &r.stderr)
	}
	for _, says := range []string{"It is started again (1 of 2): server \"example_session_state_mgmt_agent\"", "It is started again (2 of 2)"} {
		if !strings.Contains(r.stderr.String(), says) {
			t.Errorf("nothing says %q\n%s", says, &r.stderr)
		}
	}
	checkGone(t, pids)
	if n, got := len(lines(t, r.output)), rewards(t, r.output); n != slowTasks || fmt.Sprint(got) != fmt.Sprint(rewards(t, want.output)) {
		t.Errorf("%d results; rewards are\n%v\nwant those of a run without kills\n%v", n, got, rewards(t, want.output))
	}
}

// One that dies too often ends the run.
func TestRestartsUsedUp(t *testing.T) {
	configs, input := demoFiles(t, "{distribution: constant, constant_ms: 600000}")
	r := startSlowRun(t, configs, input, "--max-restarts", "1")
	r.waitForBegin(t)
	for range 2 {
		pid := r.child(t, "policy_model")
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		poll(t, "its end", func() bool { return gone(pid) })
	}
	if code := r.end(t); code != 1 || !strings.Contains(r.stderr.String(), "started again 1 times") {
		t.Errorf("exit code %d\n%s", code, &r.stderr)
	}
}

// A server of another program, and what it leaves in sessions of its own, is gone when the run was killed (GY-15).
func TestKillSupervisorOfExternal(t *testing.T) {
	f := newFixture(t)
	pids := f.file("pids")
	script := write(t, f.file("server.sh"), `setsid sh -c 'echo $$ >> `+pids+`; exec sleep 1000' &
echo $$ >> `+pids+`
trap "" TERM
while true; do sleep 1000; done
`)
	extra := write(t, f.file("extra.yaml"), "other:\n  resources_servers:\n    theirs:\n      entrypoint: app.py\n      domain: other\n      external: {command: [sh, "+script+"]}\n")
	r := blackbox.Start(t, gymCommand(t.Context(), nil, "eval", "run", "--config", f.config, "--config", extra, "--input", f.input, "--output", f.output))
	var all []int
	poll(t, "the processes", func() bool {
		text, _ := os.ReadFile(pids)
		all = nil
		for _, field := range bytes.Fields(text) {
			pid, _ := strconv.Atoi(string(field))
			all = append(all, pid)
		}
		return len(all) == 2 && bytes.HasSuffix(text, []byte("\n"))
	})
	r.Signal(t, os.Kill)
	for _, pid := range all {
		poll(t, "the end of "+filepath.Join("/proc", strconv.Itoa(pid)), func() bool { return gone(pid) })
	}
}

// A server that stops answering without dying costs the rollouts that need it their time, and no others (GY-11).
func TestServerHangs(t *testing.T) {
	f := newFixture(t)
	more := write(t, f.file("more.yaml"), `slow:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, latency: {distribution: none}}
slow_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: counter}
      model_server: {type: responses_api_models, name: slow}
`)
	rows := f.rows()[:10]
	for i := range 5 {
		rows[i] = strings.Replace(rows[i], `"name":"agent"`, `"name":"slow_agent"`, 1)
	}
	f.tasks(strings.Join(rows, "\n") + "\n")
	r := blackbox.Start(t, gymCommand(t.Context(), []string{"XDG_STATE_HOME=" + f.dir},
		"env", "start", "--config", f.config, "--config", more, "++head_server.port=0", "--json"))
	head := strings.Trim(r.Says(t, `"head":`), `",`)
	pid := blackbox.Instances(t, r.PID())["slow"]
	if pid == 0 {
		t.Fatalf("there is no process of slow\n%s", r.Output())
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT) //nolint:errcheck // or it would not notice that its supervisor is gone
	out := gym(t, nil, "eval", "run", "--no-serve", "--head", head, "--input", f.input, "--output", f.output, "--rollout-timeout", "5s", "--disable-aggregation")
	out.check(t, 3, "5 failed with timeout")
	if n := len(lines(t, f.output)); n != 5 {
		t.Errorf("%d results, want 5", n)
	}
}
