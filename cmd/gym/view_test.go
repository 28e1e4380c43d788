//go:build unix

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// With --view the demo serves a page over its rollouts until Ctrl-C, which is no failure.
func TestDemoView(t *testing.T) {
	needsSpans(t)
	dir := filepath.Join(t.TempDir(), "demo")
	gym := blackbox.Start(t, gymCommand(context.Background(), nil, "demo", "--view", "--output-dir", dir))
	page, err := url.Parse(gym.Says(t, "page "))
	if err != nil {
		t.Fatal(err)
	}
	var runs struct {
		Rows []struct {
			Rollouts struct{ Finished, Scored int }
		}
	}
	if err := json.Unmarshal(ask(t, page, "/api/v1/runs"), &runs); err != nil {
		t.Fatal(err)
	}
	if len(runs.Rows) != 1 || runs.Rows[0].Rollouts.Scored != demoRollouts {
		t.Errorf("the page shows %+v, want one run of %d scored rollouts", runs.Rows, demoRollouts)
	}
	if html := ask(t, page, "/runs"); !bytes.Contains(html, []byte("<title>Lens")) {
		t.Errorf("the page is %.200s", html)
	}
	gym.Signal(t, os.Interrupt)
	if code := gym.Ends(t); code != 0 {
		t.Errorf("Ctrl-C ended it with %d\n%s", code, gym.Output())
	}
	if want := "lens view --data " + filepath.Join(dir, "viewer"); !strings.Contains(gym.Output(), want) {
		t.Errorf("it does not say how to look again: %q", gym.Output())
	}
}

// A run without any setting has its metrics on the page: the driver's, every server's and those of their runtimes; with memory
// profiling, what they use. They do not depend on span groups.
func TestDemoMetrics(t *testing.T) {
	needsSpans(t)
	env := []string{"NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED=1", "NEMO_GYM_OTEL_SPAN_GROUPS=rollout"}
	gym := blackbox.Start(t, gymCommand(context.Background(), env, "demo", "--view", "--output-dir", filepath.Join(t.TempDir(), "demo")))
	page, err := url.Parse(gym.Says(t, "page "))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Run  string
		Rows []struct{ Name string }
	}
	if err := json.Unmarshal(ask(t, page, "/api/v1/metrics?limit=200"), &list); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, row := range list.Rows {
		there[row.Name] = true
	}
	want := []string{
		"gym.rollout.duration_ms", "gym.rollout.completed_total", "gym.verify.duration_ms", "gym.verify.success_rate",
		"gym.servers.active", "gym.server.startup_duration_ms", "gym.server.requests.in_flight", "http.server.request.duration",
		"gym.http.connection_pool.connect_total", "gym.model_call.duration_ms", "gym.model_call.tokens",
		"gym.driver.rollouts.offered", "gym.driver.rollouts.resident", "gym.driver.rollouts.active", "gym.driver.admission.duration",
		"go.goroutine.count", "go.schedule.duration",
	}
	if runtime.GOOS == "linux" {
		want = append(want, "gym.server.memory.usage", "gym.server.memory.sampled_peak", "gym.server.processes", "gym.host.memory.usage",
			"process.cpu.time")
	}
	for _, name := range want {
		if !there[name] {
			t.Errorf("no %s among %v", name, list.Rows)
		}
	}
	var chart struct {
		Lines []struct {
			Increases []float64
			Values    [][]float64
		}
	}
	if err := json.Unmarshal(ask(t, page, "/api/v1/metrics/chart?name=gym.rollout.completed_total&shows=rate&run="+list.Run), &chart); err != nil {
		t.Fatal(err)
	}
	var ended float64
	for _, line := range chart.Lines {
		for _, n := range line.Increases {
			ended += n
		}
	}
	if ended != demoRollouts {
		t.Errorf("%v rollouts ended by the chart, want %d", ended, demoRollouts)
	}
	gym.Signal(t, os.Interrupt)
	if code := gym.Ends(t); code != 0 {
		t.Errorf("Ctrl-C ended it with %d\n%s", code, gym.Output())
	}
}

// A run that could not start left nothing to see, so it ends by itself, page or not.
func TestViewOfNothing(t *testing.T) {
	needsSpans(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	f := newFixture(t)
	config, err := os.ReadFile(f.config)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	f.config = write(t, f.config, strings.Replace(string(config), "domain: agent", "domain: agent, port: "+port, 1))
	out := f.run(nil, "--view")
	out.check(t, 1, "See it live at ", port)
	if strings.Contains(out.stdout, "page ") {
		t.Errorf("it serves a page of nothing: %q", out.stdout)
	}
}

// Piped and without --view, the demo ends by itself, and a folder keeps its traces for `lens view`.
func TestDemoKeepsItsTraces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	gym(t, nil, "demo", "--output-dir", dir).check(t, 0)
	info, err := os.Stat(filepath.Join(dir, "viewer"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the viewer's folder: %v, %v", info, err)
	}
	gym(t, nil, "demo", "--output-dir", filepath.Join(dir, "x"), "--view", "--no-view").check(t, 2, "view")
}
