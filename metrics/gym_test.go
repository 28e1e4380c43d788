//go:build !lens_off

package metrics_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lensgo/lens/metrics"
)

// TestNames holds every name, kind, unit and bound against the table of the Python system.
func TestNames(t *testing.T) {
	m := newMeter(t)
	everything(context.Background())
	got := m.collect(t)
	startup := []float64{100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000}
	sandbox := []float64{250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000}
	for name, want := range map[string]struct {
		kind, unit string
		bounds     []float64 // nil: not looked at
	}{
		"gym.rollout.duration_ms":                    {"histogram", "ms", nil},
		"gym.rollout.completed_total":                {"counter", "", nil},
		"gym.verify.duration_ms":                     {"histogram", "ms", nil},
		"gym.verify.success_rate":                    {"gauge", "", nil},
		"gym.servers.active":                         {"gauge", "", nil},
		"gym.server.startup_duration_ms":             {"histogram", "ms", startup},
		"gym.server.startup_stage_duration_ms":       {"histogram", "ms", startup},
		"gym.server.request_duration_ms":             {"histogram", "ms", nil},
		"gym.server.requests.in_flight":              {"updown", "{request}", nil},
		"http.server.request.duration":               {"histogram", "s", []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}},
		"gym.server.memory.usage":                    {"gauge", "By", nil},
		"gym.server.memory.sampled_peak":             {"gauge", "By", nil},
		"gym.server.processes":                       {"gauge", "{process}", nil},
		"gym.host.memory.usage":                      {"gauge", "By", nil},
		"gym.host.memory.available":                  {"gauge", "By", nil},
		"gym.host.memory.total":                      {"gauge", "By", nil},
		"gym.host.memory.sampled_peak":               {"gauge", "By", nil},
		"gym.sandbox.active":                         {"updown", "{sandbox}", nil},
		"gym.sandbox.startup_duration_ms":            {"histogram", "ms", sandbox},
		"gym.sandbox.exec_duration_ms":               {"histogram", "ms", sandbox},
		"gym.sandbox.create_retry_total":             {"counter", "", nil},
		"gym.http.connection_pool.queue_duration_ms": {"histogram", "ms", []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30000}},
		"gym.http.connection_pool.connect_total":     {"counter", "{connection}", nil},
		"gym.model_call.duration_ms":                 {"histogram", "ms", []float64{100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000}},
		"gym.model_call.ttft_ms":                     {"histogram", "ms", []float64{50, 100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000}},
		"gym.model_call.tokens":                      {"histogram", "{token}", []float64{16, 64, 256, 1024, 4096, 16384, 32768, 65536, 131072, 262144, 524288, 1048576}},
		"gym.model_call.finish_total":                {"counter", "", nil},
		"gym.driver.rollouts.offered":                {"counter", "{rollout}", nil},
		"gym.driver.rollouts.resident":               {"updown", "{rollout}", nil},
		"gym.driver.rollouts.active":                 {"updown", "{rollout}", nil},
		"gym.driver.rollouts.limit":                  {"gauge", "{rollout}", nil},
		"gym.driver.admission.duration":              {"histogram", "s", nil},
	} {
		f, ok := got[name]
		if !ok {
			t.Errorf("%s was not recorded", name)
			continue
		}
		if f.kind != want.kind || f.unit != want.unit || f.scope != "nemo_gym" {
			t.Errorf("%s is a %s in %q of scope %q, want a %s in %q", name, f.kind, f.unit, f.scope, want.kind, want.unit)
		}
		if want.bounds != nil && !slices.Equal(f.points[0].bounds, want.bounds) {
			t.Errorf("%s has the bounds %v", name, f.points[0].bounds)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is in no table", name)
	}
}

// TestValues looks at what single calls record.
func TestValues(t *testing.T) {
	type series map[string]float64 // attributes and value; of a histogram the sum
	ctx := context.Background()
	g := metrics.Gym
	for _, c := range []struct {
		name   string
		record func()
		want   map[string]series
	}{
		{"outcomes", func() {
			g.RolloutEnded(ctx, "scored", "", "")
			g.RolloutEnded(ctx, "scored", "timeout", "fields of a failure on a scored row are ignored")
			g.RolloutEnded(ctx, "failed", "timeout", "slow_tool")
			g.RolloutEnded(ctx, "failed", "the tool said: no", "free text")
			g.RolloutEnded(ctx, "omitted", "", "")
		}, map[string]series{"gym.rollout.completed_total": {
			"nemo.gym.rollout.outcome=scored": 2,
			"nemo.gym.failure_class=timeout,nemo.gym.failure_reason=slow_tool,nemo.gym.rollout.outcome=failed": 1,
			"nemo.gym.failure_class=other,nemo.gym.failure_reason=other,nemo.gym.rollout.outcome=failed":       1,
			"nemo.gym.rollout.outcome=omitted": 1,
		}}},
		{"a rollout's time", func() { g.RolloutRan(ctx, 1500*time.Microsecond) },
			map[string]series{"gym.rollout.duration_ms": {"": 1.5}}},
		{"pool", func() {
			g.PoolQueued(ctx, "policy_model", false, 20*time.Millisecond)
			g.PoolQueued(ctx, "", true, 30*time.Millisecond)
			g.PoolConnected(ctx, "policy_model")
			g.PoolConnected(ctx, "policy_model")
		}, map[string]series{
			"gym.http.connection_pool.queue_duration_ms": {
				"nemo.gym.http.connection_pool.queue_constraint=per_host,nemo.gym.http.connection_pool.queue_outcome=ok,nemo.gym.http.destination.server.name=policy_model":    20,
				"nemo.gym.http.connection_pool.queue_constraint=per_host,nemo.gym.http.connection_pool.queue_outcome=abandoned,nemo.gym.http.destination.server.name=external": 30,
			},
			"gym.http.connection_pool.connect_total": {"nemo.gym.http.destination.server.name=policy_model": 2},
		}},
		{"model call that failed", func() {
			g.ModelCalled(ctx, metrics.ModelCall{Server: "m", Dialect: "responses", Outcome: "upstream_error", Took: time.Second,
				Tokens: true, Input: 5, Finish: "stop"})
		}, map[string]series{"gym.model_call.duration_ms": {
			"nemo.gym.model_call.dialect=responses,nemo.gym.model_call.outcome=upstream_error,nemo.gym.server.name=m": 1000}}},
		{"model call that was streamed", func() {
			g.ModelCalled(ctx, metrics.ModelCall{Server: "m", Dialect: "messages", Outcome: "ok", Took: time.Second,
				FirstToken: 70 * time.Millisecond, Tokens: true, Input: 40, Output: 7, Reasoning: -1, Finish: "end_turn"})
		}, map[string]series{
			"gym.model_call.duration_ms": {"nemo.gym.model_call.dialect=messages,nemo.gym.model_call.outcome=ok,nemo.gym.server.name=m": 1000},
			"gym.model_call.ttft_ms":     {"nemo.gym.model_call.dialect=messages,nemo.gym.server.name=m": 70},
			"gym.model_call.tokens": {
				"nemo.gym.model_call.dialect=messages,nemo.gym.model_call.token.type=input,nemo.gym.server.name=m":  40,
				"nemo.gym.model_call.dialect=messages,nemo.gym.model_call.token.type=output,nemo.gym.server.name=m": 7},
			"gym.model_call.finish_total": {"nemo.gym.model_call.dialect=messages,nemo.gym.model_call.finish_reason=end_turn,nemo.gym.server.name=m": 1},
		}},
		{"model call that took no reasoning", func() {
			g.ModelCalled(ctx, metrics.ModelCall{Server: "m", Dialect: "responses", Outcome: "ok", Tokens: true, Input: -1, Output: -1})
		}, map[string]series{
			"gym.model_call.duration_ms": {"nemo.gym.model_call.dialect=responses,nemo.gym.model_call.outcome=ok,nemo.gym.server.name=m": 0},
			"gym.model_call.tokens":      {"nemo.gym.model_call.dialect=responses,nemo.gym.model_call.token.type=reasoning,nemo.gym.server.name=m": 0},
		}},
		{"memory without Pss", func() {
			g.ServerMemory(ctx, metrics.ServerMemory{Server: "s", PID: 7, Processes: 1, RSS: 10, PeakRSS: 12, PSS: -1, PeakPSS: -1})
		}, map[string]series{
			"gym.server.processes":           {"nemo.gym.server.name=s,process.pid=7": 1},
			"gym.server.memory.usage":        {"memory.type=rss,nemo.gym.server.name=s,process.pid=7": 10},
			"gym.server.memory.sampled_peak": {"memory.type=rss,nemo.gym.server.name=s,process.pid=7": 12},
		}},
		{"sandboxes", func() {
			g.SandboxesHeld(ctx, "local", 1)
			g.SandboxesHeld(ctx, "docker", 1)
			g.SandboxesHeld(ctx, "local", -1)
		}, map[string]series{"gym.sandbox.active": {"nemo.gym.sandbox.provider=local": 0, "nemo.gym.sandbox.provider=docker": 1}}},
		{"requests", func() { g.Request(ctx, "POST", "/run", 500, time.Second) },
			map[string]series{"http.server.request.duration": {
				"error.type=500,http.request.method=POST,http.response.status_code=500,http.route=/run,url.scheme=http": 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMeter(t)
			c.record()
			got := map[string]series{}
			for name, f := range m.collect(t) {
				got[name] = series{}
				for _, p := range f.points {
					got[name][p.attributes] = p.value
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) { // maps print in the order of their keys
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}

// TestVerified counts what completed, whatever its reward: the share is of the whole process, so only its changes are looked
// at.
func TestVerified(t *testing.T) {
	m := newMeter(t)
	ctx := context.Background()
	rate := func() float64 { return m.collect(t)["gym.verify.success_rate"].points[0].value }
	metrics.Gym.Verified(ctx, time.Millisecond, true)
	before := rate()
	metrics.Gym.Verified(ctx, time.Millisecond, false)
	worse := rate()
	metrics.Gym.Verified(ctx, time.Millisecond, true)
	if better := rate(); !(worse < before && better > worse && before <= 1) {
		t.Errorf("share after a success, a failure, a success: %v, %v, %v", before, worse, better)
	}
	if p := m.collect(t)["gym.verify.duration_ms"].points[0]; p.count != 3 {
		t.Errorf("%d durations, want 3", p.count)
	}
}

// TestVocabulary bounds what an agent may make up.
func TestVocabulary(t *testing.T) {
	m := newMeter(t)
	for i := range 300 {
		metrics.Gym.RolloutEnded(context.Background(), "failed", fmt.Sprintf("made_up_%d", i), "")
	}
	got := m.collect(t)["gym.rollout.completed_total"].points
	if len(got) > 101 {
		t.Errorf("%d series of 300 classes of failure", len(got))
	}
}
