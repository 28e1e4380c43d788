package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/gym/demo"
	"github.com/lensgo/lens/semconv"
)

// fixture is a folder with a configuration of one environment, whose model answers at once, and its tasks.
type fixture struct {
	t                     *testing.T
	dir                   string
	config, input, output string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{t: t, dir: dir, output: filepath.Join(dir, "out", "results.jsonl")}
	f.config = write(t, filepath.Join(dir, "config.yaml"), `model:
  responses_api_models:
    synthetic_model:
      entrypoint: app.py
      latency: {distribution: none}
counter:
  resources_servers:
    example_session_state_mgmt: {entrypoint: app.py, domain: agent}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: counter}
      model_server: {type: responses_api_models, name: model}
`)
	files, err := demo.Write(filepath.Join(dir, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range files.Inputs {
		if in.Environment == demo.SessionState {
			f.input = in.Path
		}
	}
	text, err := os.ReadFile(f.input)
	if err != nil {
		t.Fatal(err)
	}
	f.tasks(strings.ReplaceAll(string(text), demo.AgentOf(demo.SessionState), "agent"))
	return f
}

// tasks writes the input.
func (f *fixture) tasks(text string) {
	f.t.Helper()
	f.input = write(f.t, filepath.Join(f.dir, "tasks.jsonl"), text)
}

// rows are the lines of the input.
func (f *fixture) rows() []string {
	f.t.Helper()
	text, err := os.ReadFile(f.input)
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func (f *fixture) file(name string) string { return filepath.Join(f.dir, name) }

// run is `gym eval run` on the files of the fixture; what comes in more wins.
func (f *fixture) run(env []string, more ...string) outcome {
	f.t.Helper()
	return gym(f.t, env, append([]string{"eval", "run", "--config", f.config, "--input", f.input, "--output", f.output}, more...)...)
}

// check fails the test when a run ended with another code, or did not say something.
func (o outcome) check(t *testing.T, code int, says ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", o.code, code, o.stdout, o.stderr)
	}
	for _, text := range says {
		if !strings.Contains(o.stdout+o.stderr, text) {
			t.Errorf("nothing says %q in\n%s%s", text, o.stdout, o.stderr)
		}
	}
}

// One bad row fails alone: 99 results are on disk, one failure says which row and why, and the exit code is 3 (GY-01).
func TestEvalRunOneFailure(t *testing.T) {
	f := newFixture(t)
	var rows []string
	for len(rows) < 100 {
		rows = append(rows, f.rows()...)
	}
	for i, row := range rows {
		rows[i] = strings.Replace(row, "{", fmt.Sprintf(`{"n":%d,`, i), 1)
	}
	rows[57] = regexp.MustCompile(`"initial_count":\d+`).ReplaceAllString(rows[57], `"initial_count":"boom-57"`)
	f.tasks(strings.Join(rows, "\n") + "\n")

	out := f.run(nil)
	out.check(t, 3, "1 failed with agent_run_error", "row 57, line 58", "counter", "100 rollouts, 99 scored")
	if n := len(lines(t, f.output)); n != 99 {
		t.Errorf("%d results, want 99", n)
	}
	failures := lines(t, f.file("out/results_failures.jsonl"))
	if len(failures) != 1 || failures[0]["_ng_task_index"] != 57.0 || failures[0]["_ng_failure_class"] != "agent_run_error" {
		t.Errorf("failures are %v", failures)
	}
}

// The summary as JSON is one document on standard output, whatever else is printed and however the run ends.
func TestEvalRunJSON(t *testing.T) {
	f := newFixture(t)
	broken := write(t, f.file("broken.yaml"), "model:\n  responses_api_models:\n    synthetic_model:\n      failures: {rate: 1}\n")
	full := f.file("full.jsonl")
	if err := os.Symlink("/dev/full", full); err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		args []string
		code int
		has  string // member

		fullDisk bool
	}{
		"scored":           {code: 0, has: "environments"},
		"console exporter": {env: []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=console"}, code: 0, has: "traces_note"},
		"servers' logs":    {args: []string{"--verbose"}, code: 0, has: "environments"},
		"failures":         {args: []string{"--config", broken}, code: 3, has: "failure_classes"},
		"cannot start":     {args: []string{"--config", f.file("nowhere.yaml")}, code: 1, has: "error"},
		"cut short":        {args: []string{"--output", full}, code: 1, has: "error", fullDisk: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.fullDisk && runtime.GOOS != "linux" {
				t.Skip("this system has no full disk to write to")
			}
			out := f.run(c.env, append(c.args, "--json", "--limit", "3")...)
			out.check(t, c.code)
			var doc map[string]any
			if err := json.Unmarshal([]byte(out.stdout), &doc); err != nil || !strings.HasSuffix(out.stdout, "}\n") {
				t.Fatalf("standard output is not one JSON document with a line end: %v\n%s", err, out.stdout)
			}
			if _, ok := doc[c.has]; !ok {
				t.Errorf("no member %q in %s", c.has, out.stdout)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says []string
	}{
		"verb":          {[]string{"frobnicate"}, []string{`unknown argument "frobnicate" for "gym"`, "See 'gym --help'"}},
		"flag":          {[]string{"demo", "--frobnicate"}, []string{"unknown flag: --frobnicate\n", "See 'gym demo --help'"}},
		"near a flag":   {[]string{"eval", "run", "--concurency", "3"}, []string{"unknown flag: --concurency; did you mean --concurrency?\n"}},
		"Python's flag": {[]string{"eval", "run", "--num_repeats", "3"}, []string{"did you mean --num-repeats?"}},
		"a number":      {[]string{"eval", "run", "--temperature", "hot"}, []string{`--temperature is "hot"; it must be a number` + "\n"}},
		"a time":        {[]string{"eval", "run", "--rollout-timeout", "5"}, []string{`--rollout-timeout is "5"; it must be a number with a unit, for example 90s`}},
		"argument":      {[]string{"version", "now"}, []string{`unknown argument "now"`}},
		"all missing":   {[]string{"eval", "run"}, []string{"--config is missing", "--input is missing", "--output is missing"}},
		"not a number":  {[]string{"eval", "run", "--limit", "many"}, []string{`"many"`, "--limit"}},
		"out of bounds": {[]string{"eval", "run", "--limit", "-1", "--num-repeats", "0", "--concurrency", "-2", "--rollout-timeout", "-1s"}, []string{"--limit is -1", "--num-repeats is 0", "--concurrency is -2", "--rollout-timeout is -1s"}},
		"not finite":    {[]string{"eval", "run", "--temperature", "nan", "--top-p", "inf"}, []string{"--temperature is NaN", "--top-p is +Inf"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := gym(t, nil, c.args...)
			out.check(t, 2, c.says...)
			if out.stdout != "" {
				t.Errorf("standard output has %q", out.stdout)
			}
		})
	}
}

// What is wrong is said before anything starts, with its place, and nothing is written (GY-19, GY-27, JL-05).
func TestEvalRunRefuses(t *testing.T) {
	f := newFixture(t)
	good := f.rows()[0]
	tab := write(t, f.file("tab.yaml"), "a: 1\nb:\n\tc: 2\n")
	rows := write(t, f.file("bad.jsonl"), strings.Join([]string{
		good,
		`{"responses_create_params":{"input":7},"agent_ref":{"name":"agent"}}`,
		`{"responses_create_params":{"input":"hi"}}`,
		`{"responses_create_params":`,
		`{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"agnet"}}`,
	}, "\n"))
	for name, c := range map[string]struct {
		args []string
		says []string
	}{
		"tab in YAML":            {[]string{"--config", tab}, []string{"tab.yaml:3:1: "}},
		"no configuration":       {[]string{"--config", f.file("nowhere.yaml")}, []string{"nowhere.yaml: there is no such file"}},
		"no tasks":               {[]string{"--input", f.file("nowhere.jsonl")}, []string{"nowhere.jsonl: no such file"}},
		"bad rows":               {[]string{"--input", rows}, []string{"4 bad rows", "bad.jsonl:2: ", "bad.jsonl:3: ", "no agent_ref", "bad.jsonl:4: ", "bad.jsonl:5: ", `did you mean "agent"?`}},
		"unknown agent":          {[]string{"--agent", "nobody"}, []string{`no agent "nobody"`, `it has "agent"`}},
		"output is input":        {[]string{"--output", f.input}, []string{"overwrite its own input"}},
		"output is config":       {[]string{"--output", f.config}, []string{"it is the configuration"}},
		"output is a folder":     {[]string{"--output", f.dir}, []string{"is a directory"}},
		"output below a file":    {[]string{"--output", filepath.Join(f.config, "out.jsonl")}, []string{"cannot use the output", "not a directory"}},
		"traces are input":       {[]string{"--traces", f.input}, []string{"cannot record traces", "uses that file"}},
		"traces are output":      {[]string{"--traces", f.output}, []string{"cannot record traces", "uses that file"}},
		"traces are failures":    {[]string{"--traces", f.file("out/results_failures.jsonl")}, []string{"cannot record traces"}},
		"traces go to a device":  {[]string{"--traces", os.DevNull}, []string{"cannot record traces", "no regular file"}},
		"logs cannot be written": {[]string{"--log-dir", f.config}, []string{"cannot make the folder of the server logs"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := map[string]string{f.config: read(t, f.config), f.input: read(t, f.input)}
			out := f.run(nil, c.args...)
			out.check(t, 1, c.says...)
			if out.stdout != "" || strings.Contains(out.stderr, "Collect") {
				t.Errorf("the run began\n%s%s", out.stdout, out.stderr)
			}
			for path, text := range before {
				if read(t, path) != text {
					t.Errorf("%s was changed", path)
				}
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Where traces went is part of the summary.
func TestEvalRunTracesNote(t *testing.T) {
	needsSpans(t)
	var received atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			received.Add(1)
		}
	}))
	defer collector.Close()
	f := newFixture(t)
	inYAML := write(t, f.file("telemetry.yaml"), "telemetry: {enabled: true, otlp_endpoint: '"+collector.URL+"'}\n")
	on := "NEMO_GYM_OTEL_ENABLED=1"
	for _, c := range []struct {
		name     string
		env      []string
		args     []string
		note     string
		receives bool
	}{
		{"off", nil, nil, "telemetry is off", false},
		{"endpoint but off", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}, nil, "telemetry is off", false},
		{"endpoint", []string{on, "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}, nil, "sent by OTLP to " + collector.URL, true},
		{"endpoint in YAML", nil, []string{"--config", inYAML}, "sent by OTLP to " + collector.URL, true},
		{"nobody listens", []string{on, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, nil, "sent by OTLP to http://127.0.0.1:1; not all were delivered", false},
		{"unusable", []string{on, "OTEL_EXPORTER_OTLP_PROTOCOL=smoke"}, nil, "none: telemetry could not be set up", false},
		{"traces off", []string{on, "NEMO_GYM_OTEL_TRACES_ENABLED=0"}, nil, "none: traces are switched off", false},
		{"own receiver", []string{on, "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}, []string{"--traces", f.file("traces.jsonl")},
			"not used: OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			received.Store(0)
			f.run(c.env, append(c.args, "--limit", "2")...).check(t, 0, c.note)
			if got := received.Load() > 0; got != c.receives {
				t.Errorf("the collector received traces: %v, want %v", got, c.receives)
			}
		})
	}
}

// The console exporter of all processes writes whole lines to one standard output.
func TestEvalRunConsole(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	out := f.run([]string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=console"})
	out.check(t, 0, "printed on the standard output")
	spans := 0
	for line := range strings.Lines(out.stdout) {
		if strings.HasPrefix(line, "{") {
			spans++
			if !json.Valid([]byte(line)) {
				t.Fatalf("torn line %q", line)
			}
		}
	}
	if spans < 20*13 {
		t.Errorf("%d spans of 20 rollouts on standard output", spans)
	}
}

// A trace file is one run's: emptied by a fresh run, kept by a resumed one, which counts its own.
func TestEvalRunTraceFile(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	path := f.file("new folder/traces.jsonl")
	for range 2 {
		f.run(nil, "--traces", path, "--limit", "3").check(t, 0, "3 rollouts, 3 traces, each across 4 processes")
	}
	results := lines(t, f.output)
	first, err := json.Marshal(results[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.output, string(first)+"\n")
	f.run(nil, "--traces", path, "--resume").check(t, 0, "2 rollouts, 2 traces, each across 4 processes", "1 of 3 rollouts were finished before")
	rollouts := 0
	for _, spans := range traces(t, path) {
		rollouts += len(named(spans, "gym.rollout"))
	}
	if rollouts != 5 {
		t.Errorf("the file holds %d rollouts, want 3 of the first run and 2 of the resumed one", rollouts)
	}
}

// With ENABLE_SINGLE_TRACEID rollouts are children of gym.job, in its trace, and so is all that the processes of the run do. Its
// id follows from the run id: the first half of the SHA-256 of "run-7".
func TestEvalRunSingleTrace(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	path := f.file("traces.jsonl")
	f.run([]string{"ENABLE_SINGLE_TRACEID=true", "NEMO_GYM_OTEL_RUN_ID=run-7", "SLURM_JOB_ID=", "SLURM_ARRAY_JOB_ID="},
		"--traces", path, "--limit", "4").check(t, 0, "4 rollouts, 1 trace, across 4 processes")
	all := traces(t, path)
	if len(all) != 1 {
		t.Errorf("%d traces, want 1", len(all))
	}
	for id, spans := range all {
		if id.String() != "b4c05df04575822cec8550e9491c58e1" {
			t.Errorf("the trace is %s", id)
		}
		rollouts := named(spans, "gym.rollout")
		if len(rollouts) == 0 {
			continue
		}
		if len(rollouts) != 4 {
			t.Errorf("trace %s holds %d rollouts, want all 4", id, len(rollouts))
		}
		for _, r := range rollouts {
			if r.parent == nil || r.parent.Name() != "gym.job" || r.Links().Len() != 0 {
				t.Errorf("a rollout is no child of gym.job, or is linked as well: %s", r.tree())
			}
		}
	}
}

// A program that starts gym hands its trace down in TRACEPARENT: rollouts nest under that span, and so does gym.job.
func TestEvalRunTraceparent(t *testing.T) {
	needsSpans(t)
	const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	f := newFixture(t)
	path := f.file("traces.jsonl")
	f.run([]string{"TRACEPARENT=00-" + traceID + "-" + spanID + "-01"}, "--traces", path, "--limit", "4").check(t, 0)
	all := traces(t, path)
	var parent pcommon.SpanID
	for id, spans := range all {
		for _, s := range spans {
			if s.Name() == "gym.rollout" || s.Name() == "gym.job" {
				parent = s.ParentSpanID()
				if id.String() != traceID || parent.String() != spanID {
					t.Errorf("%s is in trace %s below %s", s.Name(), id, parent)
				}
			}
		}
	}
	if len(all) != 1 || parent.IsEmpty() {
		t.Errorf("%d traces, want the one that was handed down", len(all))
	}
}

// A rollout that takes too long fails alone; here the model server does not answer at all.
func TestEvalRunRolloutTimeout(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	slow := write(t, f.file("slow.yaml"), "model:\n  responses_api_models:\n    synthetic_model:\n      latency: {distribution: constant, constant_ms: 600000}\n")
	path := f.file("traces.jsonl")
	f.run(nil, "--config", slow, "--limit", "3", "--rollout-timeout", "200ms", "--traces", path).
		check(t, 3, "3 failed with timeout", "within the rollout timeout of 200ms", "3 rollouts, 3 traces")
	for _, row := range lines(t, f.file("out/results_failures.jsonl")) {
		if row["_ng_failure_class"] != "timeout" {
			t.Errorf("failure %v", row)
		}
	}
	for _, spans := range traces(t, path) {
		for _, r := range named(spans, "gym.rollout") {
			if r.str(semconv.GymRolloutOutcome) != semconv.OutcomeFailed || r.str(semconv.GymFailureClass) != semconv.FailureTimeout {
				t.Errorf("the span says %q, %q", r.str(semconv.GymRolloutOutcome), r.str(semconv.GymFailureClass))
			}
		}
	}
}

func TestVersion(t *testing.T) {
	out := gym(t, nil, "version")
	if out.code != 0 || !regexp.MustCompile(`^gym \S+ \(.+\) go1\.\S+ \w+/\w+\n$`).MatchString(out.stdout) {
		t.Errorf("exit code %d, %q", out.code, out.stdout)
	}
}

// A build in a checkout says what it was built from.
func TestVersionRevision(t *testing.T) {
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Logf("not in a git checkout, so a build has no revision: %v", err)
		return
	}
	bin := filepath.Join(t.TempDir(), "gym")
	if out, err := exec.Command("go", "build", "-buildvcs=true", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	out, err := exec.Command(bin, "--version").Output()
	if err != nil || !strings.Contains(string(out), " ("+string(head[:12])) {
		t.Errorf("%q, %v; want revision %s", out, err, head[:12])
	}
}

// A flag overrides each row, and the API key of the command line is written into no file.
func TestEvalRunOverrides(t *testing.T) {
	f := newFixture(t)
	f.run(nil, "--limit", "2", "--temperature", "0.5", "--top-p", "0.25", "--max-output-tokens", "99",
		"--model-api-key", "secret-4711", "--log-dir", f.file("logs"), "--num-repeats", "2").check(t, 0, "4 rollouts, 4 scored")
	rows := lines(t, f.file("out/results_materialized_inputs.jsonl"))
	if len(rows) != 4 {
		t.Fatalf("%d materialized rows, want 4", len(rows))
	}
	for _, row := range rows {
		params := row["responses_create_params"].(map[string]any)
		if params["temperature"] != 0.5 || params["top_p"] != 0.25 || params["max_output_tokens"] != 99.0 {
			t.Errorf("parameters are %v", params)
		}
	}
	var files []string
	for _, pattern := range []string{"out/*", "logs/*"} {
		found, _ := filepath.Glob(f.file(pattern))
		files = append(files, found...)
	}
	if !slices.Contains(files, f.file("logs/agent.log")) {
		t.Errorf("no log of the agent among %v", files)
	}
	for _, path := range files {
		if strings.Contains(read(t, path), "secret-4711") {
			t.Errorf("%s holds the key", path)
		}
	}
}
