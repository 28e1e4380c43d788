//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/semconv"
)

// startForever starts servers of which one never answers, and returns when the others wait for it.
func (f *fixture) startForever() *started {
	f.t.Helper()
	never := write(f.t, f.file("never.yaml"), "counter:\n  resources_servers:\n    example_session_state_mgmt:\n      external: {command: [sleep, '600']}\n")
	s := &started{env: []string{"XDG_STATE_HOME=" + f.dir}}
	s.Program = blackbox.Start(f.t, gymCommand(context.Background(), s.env, "env", "start", "--config", f.config, "--config", never, "++head_server.port=0"))
	poll(f.t, "a head server that waits", func() bool {
		return strings.Contains(gym(f.t, s.env, "env", "status").stderr, "waits for its servers to start")
	})
	return s
}

// A stop counts as one while servers start too: nothing is left, and it is no failure.
func TestEnvStopWhileStarting(t *testing.T) {
	for name, stop := range map[string]func(t *testing.T, s *started){
		"gym env stop": func(t *testing.T, s *started) { gym(t, s.env, "env", "stop").check(t, 0, "stopped the servers of") },
		"Ctrl-C":       func(t *testing.T, s *started) { s.Signal(t, os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t).startForever()
			stop(t, s)
			if code := s.Ends(t); code != 0 {
				t.Errorf("gym env start ended with %d", code)
			}
			if out := s.Output(); !strings.HasSuffix(out, "\nStopping.\nStopped before every server had answered.\n") {
				t.Errorf("it printed\n%s", out)
			}
			gym(t, s.env, "env", "stop").check(t, 1, "no gym env start of this user runs")
		})
	}
}

// exported is what the console exporter prints of a span or of metrics.
type exported struct {
	Name    string
	Context struct {
		SpanID string `json:"span_id"`
	}
	ParentID   string         `json:"parent_id"`
	Attributes map[string]any `json:"attributes"`
	Metrics    []struct {
		Scopes []struct {
			Metrics []struct {
				Name string
				Data struct {
					Points []struct {
						Attributes map[string]any
						Count      int
					} `json:"data_points"`
				}
			}
		} `json:"scope_metrics"`
	} `json:"resource_metrics"`
}

// The stages of a start are spans, that of the head server among them, and those of each server are measured once.
func TestEnvStart_stages(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	s := &started{env: []string{"XDG_STATE_HOME=" + f.dir, "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=console"}}
	s.Program = blackbox.Start(t, gymCommand(context.Background(), s.env, "env", "start", "--config", f.config, "++head_server.port=0"))
	s.Says(t, "head server at")
	gym(t, s.env, "env", "stop").check(t, 0)
	if code := s.Ends(t); code != 0 {
		t.Fatalf("gym env start ended with %d\n%s", code, s.Output())
	}
	spans, measured := map[string]exported{}, map[string]int{}
	for line := range strings.Lines(s.Output()) {
		var e exported
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		spans[e.Name] = e
		e.count("gym.server.startup_stage_duration_ms", measured)
	}
	start, head := spans[semconv.SpanGymStartup], spans[semconv.SpanGymStartup+".start_head_server"]
	if start.Name == "" || head.ParentID != start.Context.SpanID || head.Attributes[semconv.GymStartupStage] != "start_head_server" {
		t.Errorf("the head server's stage is %+v below %+v", head, start)
	}
	want := map[string]int{}
	for _, server := range []string{"model responses_api_models", "counter resources_servers", "agent responses_api_agents"} {
		for _, stage := range []string{"interpreter_start", "load_config", "init_telemetry", "init_server"} {
			want[server+" "+stage] = 1
		}
	}
	if fmt.Sprint(measured) != fmt.Sprint(want) {
		t.Errorf("stages are measured so often: %v, want %v", measured, want)
	}
}

// count adds how often a metric was recorded, by server and stage.
func (e exported) count(name string, counts map[string]int) {
	for _, resource := range e.Metrics {
		for _, scope := range resource.Scopes {
			for _, m := range scope.Metrics {
				for _, p := range m.Data.Points {
					if m.Name == name {
						a := p.Attributes
						counts[fmt.Sprint(a[semconv.GymServerName], " ", a[semconv.GymServerType], " ", a[semconv.GymStartupStage])] = p.Count
					}
				}
			}
		}
	}
}
