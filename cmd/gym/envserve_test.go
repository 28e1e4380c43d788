//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// started is `gym env start` on the files of a fixture, in the foreground of nobody.
type started struct {
	*blackbox.Program
	env  []string
	head string
}

// start keeps the servers of a fixture; what runs is recorded in a folder of the test.
func (f *fixture) start(more ...string) *started {
	f.t.Helper()
	s := &started{env: []string{"XDG_STATE_HOME=" + f.dir}}
	args := append([]string{"env", "start", "--config", f.config, "++head_server.port=0"}, more...)
	s.Program = blackbox.Start(f.t, gymCommand(context.Background(), s.env, args...))
	s.head = strings.TrimSuffix(strings.TrimPrefix(s.Says(f.t, "head server at"), "http://"), ";")
	return s
}

// Servers that stay: a run on them scores as one that starts its own, and nothing is left after the stop.
func TestEnvStartStatusStop(t *testing.T) {
	f := newFixture(t)
	own := f.run(nil)
	own.check(t, 0)
	want := rewards(t, f.output)

	s := f.start()
	status := gym(t, s.env, "env", "status", "--json")
	status.check(t, 0)
	var found []struct {
		Head    string
		Servers []struct {
			Name        string `json:"name"`
			ProcessName string `json:"process_name"`
			Status      string `json:"status"`
			PID         int    `json:"pid"`
		}
	}
	if err := json.Unmarshal([]byte(status.stdout), &found); err != nil || len(found) != 1 || found[0].Head != s.head || len(found[0].Servers) != 3 {
		t.Fatalf("status is %s, %v", status.stdout, err)
	}
	pids := blackbox.Instances(t, s.PID())
	for _, server := range found[0].Servers {
		if server.Status != "success" || server.PID != pids[server.ProcessName] {
			t.Errorf("%+v, want process %d", server, pids[server.ProcessName])
		}
	}

	resp, err := http.Get("http://" + s.head + "/global_config_dict_yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err != nil || !strings.Contains(string(text), "legacy_agent") { // by which newer Python drivers reach an agent
		t.Errorf("the configuration is %s, %v", text, err)
	}

	output := f.file("noserve.jsonl")
	for _, where := range [][]string{{"--head", s.head}, {"head_server.port=" + s.head[strings.LastIndexByte(s.head, ':')+1:], "++limit=20"}} {
		out := gym(t, s.env, append([]string{"eval", "run", "--no-serve", "--input", f.input, "--output", output}, where...)...)
		out.check(t, 0)
		if got := rewards(t, output); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("rewards are %v, want %v", got, want)
		}
	}

	gym(t, s.env, "env", "stop").check(t, 0)
	if code := s.Ends(t); code != 0 {
		t.Errorf("gym env start ended with %d\n%s", code, s.Output())
	}
	checkGone(t, pids)
	gym(t, s.env, "env", "stop").check(t, 1, "no gym env start of this user runs")
	gym(t, s.env, "env", "status", "--head", s.head).check(t, 1, "no head server answers")
}

// Two fleets: a stop must say which.
func TestEnvStopAsksWhich(t *testing.T) {
	f := newFixture(t)
	a, b := f.start(), f.start()
	gym(t, a.env, "env", "stop").check(t, 1, "2 of them run", "--head "+a.head)
	_, port, _ := strings.Cut(a.head, ":")
	gym(t, a.env, "env", "stop", "--head", "127.0.0.2:1").check(t, 1, "no gym env start of this user has its head server at 127.0.0.2:1")
	gym(t, a.env, "env", "stop", "--head", "localhost:"+port).check(t, 0, "stopped the servers of "+a.head)
	gym(t, b.env, "env", "stop", "--head", "http://"+b.head).check(t, 0) // as it is printed
	a.Ends(t)
	b.Ends(t)
}

// One fleet that is still starting hides nothing of another.
func TestEnvStatusOfSome(t *testing.T) {
	f := newFixture(t)
	a := f.start()
	b := f.startForever()
	gym(t, a.env, "env", "status").check(t, 1, "waits for its servers to start", "head server at http://"+a.head)
	gym(t, a.env, "env", "status", "--json").check(t, 1, `"head": "`+a.head+`"`)
	gym(t, a.env, "env", "stop", "--all").check(t, 0, "stopped the servers of "+a.head)
	a.Ends(t)
	b.Ends(t)
}

// A supervisor that is killed takes its servers along, and is not found any more.
func TestEnvStartKilled(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	pids := blackbox.Instances(t, s.PID())
	s.Signal(t, os.Kill)
	s.Ends(t)
	checkGone(t, pids)
	gym(t, s.env, "env", "stop").check(t, 1, "no gym env start of this user runs")
}

func TestEnvServeMistakes(t *testing.T) {
	f := newFixture(t)
	run := func(more ...string) []string {
		return append([]string{"eval", "run", "--input", f.input, "--output", f.output}, more...)
	}
	config := []string{"--config", f.config}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"start without a configuration": {[]string{"env", "start"}, 2, "--config is missing"},
		"restarts below 0":              {append([]string{"env", "start", "--max-restarts", "-1"}, config...), 2, "--max-restarts is -1"},
		"no-serve and fused":            {run("--no-serve", "--fused", "--head", "127.0.0.1:1"), 1, "no head server answers"},
		"head without no-serve":         {run(append(config, "--head", "127.0.0.1:1")...), 2, "--head needs --no-serve"},
		"fused and restarts":            {run(append(config, "--fused", "--max-restarts", "1")...), 2, "--fused and --max-restarts"},
	} {
		t.Run(name, func(t *testing.T) {
			gym(t, []string{"XDG_STATE_HOME=" + f.dir}, c.args...).check(t, c.code, c.want)
		})
	}
	s := f.start()
	gym(t, s.env, run("--no-serve", "--fused", "--traces", "t.jsonl", "--model", "m", "--head", s.head)...).check(t, 2,
		"--no-serve and --fused", "--no-serve and --traces", "--no-serve and --model")
}
