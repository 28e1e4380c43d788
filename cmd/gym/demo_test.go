package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
)

const demoRollouts = 3 * 20 * 2 // environments, tasks, repeats

// oneTool is the tree of a rollout with one tool call and two turns, as section 5 of the architecture page draws it: depth,
// name, kind, process. Lines with + need per_rollout or all; where they are left out, what is below them moves up.
const oneTool = `
gym.rollout internal supervisor
  HTTP POST client supervisor
    POST /run server example_single_tool_call_agent
    + gym.agent.run internal example_single_tool_call_agent
        HTTP POST client example_single_tool_call_agent
          POST /seed_session server example_single_tool_call
      + gym.agent.responses internal example_single_tool_call_agent
          HTTP POST client example_single_tool_call_agent
            POST /v1/responses server policy_model
            + gym.model.responses internal policy_model
          HTTP POST client example_single_tool_call_agent
            POST /get_weather server example_single_tool_call
          HTTP POST client example_single_tool_call_agent
            POST /v1/responses server policy_model
            + gym.model.responses internal policy_model
        HTTP POST client example_single_tool_call_agent
          POST /verify server example_single_tool_call
          + gym.verify internal example_single_tool_call
`

// wantTree is oneTool as span.tree prints it, with the lines marked + or without them. A line's depth in the picture is its
// indentation, where "+ " stands for two blanks.
func wantTree(detail bool) string {
	var b strings.Builder
	var left []int // indentations of lines that are left out and hold the current one
	for line := range strings.Lines(strings.TrimPrefix(oneTool, "\n")) {
		text := strings.TrimLeft(line, " +")
		indent := len(line) - len(text)
		for len(left) > 0 && left[len(left)-1] >= indent {
			left = left[:len(left)-1]
		}
		if strings.HasPrefix(strings.TrimSpace(line), "+ ") && !detail {
			left = append(left, indent)
			continue
		}
		b.WriteString(strings.Repeat("  ", indent/2-len(left)) + text)
	}
	return b.String()
}

// runDemo runs `gym demo` and returns its summary and the spans of each trace.
func runDemo(t *testing.T, env ...string) (outcome, map[pcommon.TraceID][]*span) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	out := gym(t, env, "demo", "--output-dir", dir)
	if out.code != 0 {
		t.Fatalf("gym demo ended with %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	return out, traces(t, filepath.Join(dir, "traces.jsonl"))
}

func TestDemo(t *testing.T) {
	needsSpans(t)
	out, all := runDemo(t)
	if want := "120 rollouts, 120 traces, each across 4 processes"; !strings.Contains(out.stdout, want+"\n") {
		t.Errorf("no line %q in\n%s", want, out.stdout)
	}
	for _, env := range []string{"example_single_tool_call", "example_multi_step", "example_session_state_mgmt"} {
		if !regexp.MustCompile(`(?m)^` + env + `\s+20\s+40\s`).MatchString(out.stdout) {
			t.Errorf("no table row of 20 tasks and 40 rollouts for %s in\n%s", env, out.stdout)
		}
	}
	checkRollouts(t, all, "gym.rollout")
	checkTrees(t, all, false)
}

func TestDemoPresets(t *testing.T) {
	needsSpans(t)
	for spec, detail := range map[string]bool{"default": false, "per_rollout": true, "all": true} {
		t.Run(spec, func(t *testing.T) {
			_, all := runDemo(t, "NEMO_GYM_OTEL_SPAN_GROUPS="+spec)
			checkRollouts(t, all, "gym.rollout")
			checkTrees(t, all, detail)
			checkJob(t, all, spec != "per_rollout")
			checkStartup(t, all, spec != "per_rollout")
		})
	}
}

// checkRollouts asserts that each rollout is one trace with one root and no missing parent, and that its root carries the
// settled attributes.
func checkRollouts(t *testing.T, all map[pcommon.TraceID][]*span, root string) {
	t.Helper()
	ids := map[string]bool{}
	for id, spans := range all {
		rollouts := named(spans, "gym.rollout")
		if len(rollouts) == 0 {
			continue
		}
		top := roots(spans)
		if len(rollouts) != 1 || len(top) != 1 || top[0].Name() != root {
			t.Errorf("trace %s has %d gym.rollout spans and %d roots", id, len(rollouts), len(top))
			continue
		}
		for _, s := range spans {
			if s.orphan {
				t.Errorf("trace %s: the parent of %s in %s is missing", id, s.Name(), s.service)
			}
		}
		rollout := rollouts[0]
		ids[rollout.str(semconv.GymRolloutID)+" "+rollout.str(semconv.GymAgentName)] = true
		for _, key := range []string{
			semconv.GymTaskIndex, semconv.GymRolloutIndex, semconv.GymRolloutAttempt, semconv.GymEnvironmentName,
			semconv.GymRolloutReward, semconv.GymRolloutTurns, semconv.GymRolloutToolCalls, semconv.GymWaitAdmission,
			semconv.GenAIUsageInputTokens, semconv.GenAIUsageOutputTokens,
		} {
			if _, ok := rollout.Attributes().Get(key); !ok {
				t.Errorf("trace %s: gym.rollout has no %s", id, key)
			}
		}
		if got := rollout.str(semconv.GymRolloutOutcome); got != semconv.OutcomeScored {
			t.Errorf("trace %s: outcome %q", id, got)
		}
		if rollout.Status().Code() == ptrace.StatusCodeError {
			t.Errorf("trace %s: a scored rollout has status ERROR", id)
		}
	}
	if len(ids) != demoRollouts {
		t.Errorf("%d different rollouts have a trace, want %d", len(ids), demoRollouts)
	}
}

// checkTrees compares every rollout with one tool call and two turns with the picture.
func checkTrees(t *testing.T, all map[pcommon.TraceID][]*span, detail bool) {
	t.Helper()
	want, spans := wantTree(detail), map[bool]int{false: 13, true: 18}[detail]
	if got := strings.Count(want, "\n"); got != spans {
		t.Fatalf("the picture has %d spans, want %d:\n%s", got, spans, want)
	}
	compared := 0
	for id, spans := range all {
		for _, r := range named(spans, "gym.rollout") {
			if r.str(semconv.GymEnvironmentName) != "example_single_tool_call" || r.str(semconv.GymRolloutTurns) != "2" || r.str(semconv.GymRolloutToolCalls) != "1" {
				continue
			}
			compared++
			if got := r.tree(); got != want {
				t.Fatalf("trace %s is\n%s\nwant\n%s", id, got, want)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d rollouts with one tool call and two turns to compare", compared)
	}
}

// checkStartup asserts that the start of the fleet is a trace of its own with a span for each server; or that there is none.
func checkStartup(t *testing.T, all map[pcommon.TraceID][]*span, on bool) {
	t.Helper()
	servers, stages := map[string]bool{}, map[string]int{}
	for _, spans := range all {
		for _, s := range spans {
			if stage := s.str(semconv.GymStartupStage); stage != "" && s.parent != nil && s.Name() == s.parent.Name()+"."+stage {
				stages[s.Name()]++
			}
		}
		for _, s := range named(spans, "gym.server.startup") {
			if s.parent == nil || s.parent.Name() != "gym.startup.server" || s.parent.str(semconv.GymServerName) != s.str(semconv.GymServerName) ||
				s.service != "nemo-gym/"+s.str(semconv.GymServerName) || s.StartTimestamp() < s.parent.StartTimestamp() {
				t.Errorf("gym.server.startup of %s is not below the span of its server:\n%s", s.str(semconv.GymServerName), s.tree())
			}
		}
		for _, s := range named(spans, "gym.startup.server") {
			if s.parent == nil || s.parent.Name() != "gym.startup" || s.str(semconv.ProcessPID) == "" || s.str(semconv.GymServerType) == "" {
				t.Errorf("gym.startup.server of %s is not as it should be", s.str(semconv.GymServerName))
			}
			servers[s.str(semconv.GymServerName)] = true
		}
	}
	if want := map[bool]int{false: 0, true: 7}[on]; len(servers) != want {
		t.Errorf("start-up spans of %d servers, want %d: %v", len(servers), want, servers)
	}
	want := map[string]int{}
	if on {
		for _, stage := range []string{"load_config", "init_telemetry", "spawn_servers", "wait_for_servers"} {
			want["gym.startup."+stage] = 1
		}
		for _, stage := range []string{"interpreter_start", "load_config", "init_telemetry", "init_server"} {
			want["gym.server.startup."+stage] = 7
		}
	}
	if fmt.Sprint(stages) != fmt.Sprint(want) {
		t.Errorf("stages are %v, want %v", stages, want)
	}
}

// checkJob asserts that gym.job is a trace of its own, holds the aggregate calls, and is linked from every rollout; or
// that there is neither job nor link.
func checkJob(t *testing.T, all map[pcommon.TraceID][]*span, on bool) {
	t.Helper()
	var job *span
	for _, spans := range all {
		for _, s := range named(spans, "gym.job") {
			if job != nil {
				t.Error("more than one gym.job")
			}
			job = s
			if len(named(spans, "POST /aggregate_metrics")) == 0 || len(named(spans, "gym.rollout")) != 0 {
				t.Errorf("the trace of gym.job should hold the aggregate calls and no rollout:\n%s", s.tree())
			}
		}
	}
	if (job != nil) != on {
		t.Fatalf("gym.job there: %v, want %v", job != nil, on)
	}
	for _, spans := range all {
		for _, r := range named(spans, "gym.rollout") {
			linked := r.Links().Len() == 1 && job != nil && r.Links().At(0).SpanID() == job.SpanID()
			if linked != on {
				t.Fatalf("link to the job: %v, want %v", linked, on)
			}
			if on {
				if v, _ := r.Links().At(0).Attributes().Get(semconv.GymLink); v.AsString() != semconv.LinkJob {
					t.Fatalf("the link says %q", v.AsString())
				}
			}
		}
	}
}

// With server and http_client off there are no spans for the hops, and the trace is still one.
func TestDemoWithoutHops(t *testing.T) {
	needsSpans(t)
	_, all := runDemo(t, "NEMO_GYM_OTEL_SPAN_GROUPS=rollout,verify")
	checkRollouts(t, all, "gym.rollout")
	for id, spans := range all {
		for _, v := range named(spans, "gym.verify") {
			if v.parent == nil || v.parent.Name() != "gym.rollout" || v.service == v.parent.service {
				t.Fatalf("trace %s: gym.verify is no child of the driver's gym.rollout", id)
			}
		}
		if len(spans) != 2 {
			t.Fatalf("trace %s has %d spans, want gym.rollout and gym.verify", id, len(spans))
		}
	}
}

// With the whole spine off, each rollout still is one trace: the driver reserves its id.
func TestDemoWithoutSpine(t *testing.T) {
	needsSpans(t)
	out, all := runDemo(t, "NEMO_GYM_OTEL_SPAN_GROUPS=verify,model_call")
	if len(all) != demoRollouts {
		t.Errorf("%d traces, want %d", len(all), demoRollouts)
	}
	for id, spans := range all {
		if len(named(spans, "gym.verify")) != 1 || len(named(spans, "gym.model.responses")) == 0 {
			t.Errorf("trace %s does not hold one gym.verify and its gym.model.responses", id)
		}
		for _, s := range spans {
			if s.orphan || strings.Contains(s.TraceState().AsRaw(), "lens=") {
				t.Errorf("trace %s: %s has a missing parent or carries the reservation", id, s.Name())
			}
		}
	}
	if !strings.Contains(out.stdout, "cannot be counted by rollout") || !strings.Contains(out.stdout, "verify,model_call") {
		t.Errorf("the summary does not say why traces cannot be counted:\n%s", out.stdout)
	}
}

// The demo uses its own receiver, whatever the environment says.
func TestDemoOverwritesDestination(t *testing.T) {
	needsSpans(t)
	out, _ := runDemo(t,
		"NEMO_GYM_OTEL_ENABLED=0", "NEMO_GYM_OTEL_EXPORTER=console", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:1/v1/traces",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_HEADERS=a=b")
	if !strings.Contains(out.stdout, "120 rollouts, 120 traces, each across 4 processes") {
		t.Errorf("the count is wrong:\n%s", out.stdout)
	}
}

// Without --output-dir the demo writes below the current folder, under the time in UTC, and touches nothing else there.
func TestDemoDefaultFolder(t *testing.T) {
	cwd := t.TempDir()
	write(t, filepath.Join(cwd, "mine.txt"), "keep")
	out := gymIn(t, cwd, nil, "demo")
	if out.code != 0 {
		t.Fatalf("gym demo ended with %d\n%s", out.code, out.stderr)
	}
	found, err := filepath.Glob(filepath.Join(cwd, "gym-demo", "*", "traces.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("trace files below gym-demo: %v, %v", found, err)
	}
	name := filepath.Base(filepath.Dir(found[0]))
	if when, err := time.Parse("20060102T150405.000Z", name); err != nil || time.Since(when).Abs() > time.Hour {
		t.Errorf("the folder %q does not say when the run began: %v", name, err)
	}
	if entries, _ := os.ReadDir(cwd); len(entries) != 2 {
		t.Errorf("the current folder holds %v, want mine.txt and gym-demo", entries)
	}
}

func TestDemoJSON(t *testing.T) {
	needsSpans(t)
	dir := filepath.Join(t.TempDir(), "demo")
	out := gym(t, nil, "demo", "--json", "--output-dir", dir)
	var summary struct {
		Rollouts, Scored, Failed int
		Environments             []struct {
			Name            string
			Tasks, Rollouts int
			MeanReward      float64 `json:"mean_reward"`
		}
		Traces struct {
			Rollouts     int
			MinProcesses int `json:"min_processes"`
			MaxProcesses int `json:"max_processes"`
		}
	}
	if err := json.Unmarshal([]byte(out.stdout), &summary); err != nil {
		t.Fatalf("--json printed no JSON: %v\n%s", err, out.stdout)
	}
	if summary.Rollouts != 120 || summary.Scored != 120 || summary.Traces.Rollouts != 120 || summary.Traces.MinProcesses != 4 || summary.Traces.MaxProcesses != 4 {
		t.Errorf("summary %+v", summary)
	}
	for _, e := range summary.Environments {
		perfect := e.Name == "example_single_tool_call"
		if e.Tasks != 20 || e.Rollouts != 40 || perfect != (e.MeanReward == 1) || e.MeanReward <= 0 {
			t.Errorf("environment %+v", e)
		}
	}
	if len(summary.Environments) != 3 {
		t.Errorf("%d environments", len(summary.Environments))
	}
}
