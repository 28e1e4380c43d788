//go:build linux

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/internal/need"
	"github.com/lensgo/lens/viewer/ingest"
)

// What TestInterop needs: the interpreter of a virtual environment that has nemo-gym, or why there is none on this machine.
const (
	envNemoGym        = "LENS_TEST_NEMO_GYM"
	envWithoutNemoGym = "LENS_TEST_NEMO_GYM_WITHOUT"
)

// long bounds what Python needs to start: a server imports for ten seconds on an idle machine.
const long = 5 * time.Minute

// sides are the languages that servers are written in.
var sides = []string{"go", "python"}

// mixed is a run of both systems: an environment of each, and an agent of each for both environments.
type mixed struct {
	*fixture
	python  string // interpreter
	site    string // where its packages are
	head    string // address
	urls    map[string]string
	traces  string
	program *blackbox.Program
	env     []string
	stop    func() // servers and receiver
}

func nemoGym(t *testing.T) string {
	t.Helper()
	if why := os.Getenv(envWithoutNemoGym); why != "" {
		t.Skip("without nemo-gym: " + why)
	}
	python := os.Getenv(envNemoGym)
	if python == "" {
		need.NoError(t, errors.New(envNemoGym+" is not set: it names the python of a virtual environment that has nemo-gym; .ci/nemo-gym makes one"))
	}
	return python
}

// TestInterop runs the Python system's own servers and driver together with ours, in every combination, and finds the same
// rollouts, rewards, metrics and traces.
func TestInterop(t *testing.T) {
	m := startMixed(t, nemoGym(t))
	ours := filepath.Join(m.dir, "go", "results.jsonl")
	t.Run("go driver", func(t *testing.T) { m.goDriver(t, ours) })
	t.Run("python driver", func(t *testing.T) { m.pythonDriver(t, ours) })
	t.Run("refusals", m.refusals)
	t.Run("cookies", m.cookies)
	m.stop()
	t.Run("their configurations", m.theirConfigurations)
	t.Run("traces", m.checkTraces)
}

const (
	interopTasks   = 4
	interopRepeats = 3
)

func startMixed(t *testing.T, python string) *mixed {
	t.Helper()
	m := &mixed{fixture: newFixture(t), python: python, urls: map[string]string{}}
	m.traces = m.file("traces.jsonl")
	m.site = m.ask("import os, nemo_gym; print(os.path.dirname(os.path.dirname(nemo_gym.__file__)))")
	var config, tasks strings.Builder
	config.WriteString("policy_model:\n  responses_api_models:\n    synthetic_model: {entrypoint: app.py, mistake_rate: 0.25, latency: {distribution: none}}\n")
	external := map[string]string{"python": "\n      external: {}"}
	for _, environment := range sides {
		fmt.Fprintf(&config, "%s_counter:\n  resources_servers:\n    example_session_state_mgmt:\n      entrypoint: app.py\n      domain: agent%s\n",
			environment, external[environment])
		for _, agent := range sides {
			fmt.Fprintf(&config, "%s_agent_%s_counter:\n  responses_api_agents:\n    simple_agent:\n      entrypoint: app.py\n"+
				"      resources_server: {type: resources_servers, name: %[2]s_counter}\n      model_server: {type: responses_api_models, name: policy_model}%[3]s\n",
				agent, environment, external[agent])
			for _, row := range m.rows()[:interopTasks] {
				tasks.WriteString(strings.ReplaceAll(row, `"name":"agent"`, fmt.Sprintf(`"name":"%s_agent_%s_counter"`, agent, environment)) + "\n")
			}
		}
	}
	m.tasks(tasks.String())
	m.config = write(t, m.file("mixed.yaml"), config.String())
	m.start()
	return m
}

// ask has the interpreter print something.
func (m *mixed) ask(program string) string {
	m.t.Helper()
	cmd := exec.Command(m.python, "-c", program)
	cmd.Env = blackbox.Environment()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%s -c %q: %v", m.python, program, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// start starts a receiver and gym env start, and asks the head server for what runs.
func (m *mixed) start() {
	m.t.Helper()
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		m.t.Fatal(err)
	}
	receiver, err := ingest.Start(m.t.Context(), ln, ingest.Config{Path: m.traces})
	if err != nil {
		m.t.Fatal(err)
	}
	shim, err := filepath.Abs(filepath.Join("testdata", "interop"))
	if err != nil {
		m.t.Fatal(err)
	}
	m.env = []string{
		"NEMO_GYM_PYTHON=" + m.python, "PYTHONPATH=" + shim, "XDG_STATE_HOME=" + m.dir, "HOME=" + m.dir, "RAY_USAGE_STATS_ENABLED=0",
		"NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.Endpoint(), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
	}
	args := []string{"env", "start", "--config", m.config, "--search-dir", m.site, "--log-dir", m.file("logs"), "++head_server.port=0"}
	endRay := func() {}
	if m.ask("from resources_servers.example_session_state_mgmt import app; print(getattr(app.StatefulCounterResourcesServer, 'ray_enabled', True))") == "True" {
		var address string
		address, endRay = m.ray()
		args = append(args, "++ray_head_node_address="+address)
	}
	m.program = blackbox.Start(m.t, gymCommand(context.Background(), m.env, args...))
	m.head = m.says(m.program, regexp.MustCompile(`head server at http://(\S+?);`))
	servers, err := fleet.HeadInstances(m.t.Context(), m.head)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, s := range servers {
		m.urls[s.ProcessName] = s.URL
	}
	m.stop = func() {
		m.program.Signal(m.t, os.Interrupt)
		if code := m.program.Ends(m.t); code != 0 {
			m.t.Errorf("gym env start ended with %d\n%s", code, m.program.Output())
		}
		endRay()
		if err := receiver.Shutdown(context.Background()); err != nil {
			m.t.Error(err)
		}
	}
}

// ray starts what older servers of the Python system join when they start, under a guard that ends all of it.
func (m *mixed) ray() (address string, end func()) {
	m.t.Helper()
	dir, err := os.MkdirTemp("", "ray") // the names of its sockets are long already
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { os.RemoveAll(dir) })
	program := blackbox.Start(m.t, gymCommand(context.Background(), m.env, "guard", "--",
		filepath.Join(filepath.Dir(m.python), "ray"), "start", "--head", "--block", "--num-cpus=1", "--port=0", "--node-ip-address=127.0.0.1",
		"--include-dashboard=false", "--disable-usage-stats", "--temp-dir="+dir))
	address = m.says(program, regexp.MustCompile(`ray start --address='?([0-9.:]+)`))
	return address, func() {
		program.Signal(m.t, os.Interrupt)
		program.Ends(m.t)
	}
}

// says waits until a program has said something, as long as Python may take.
func (m *mixed) says(p *blackbox.Program, what *regexp.Regexp) string {
	m.t.Helper()
	for deadline := time.Now().Add(long); ; time.Sleep(50 * time.Millisecond) {
		if found := what.FindStringSubmatch(p.Output()); found != nil {
			return found[1]
		}
		if p.Ended() || time.Now().After(deadline) {
			m.t.Fatalf("the program did not say %q\n%s", what, p.Output())
		}
	}
}

// goDriver runs every agent with our driver, and finds the same whoever serves.
func (m *mixed) goDriver(t *testing.T, output string) {
	gym(t, m.env, "eval", "run", "--no-serve", "--head", m.head, "--input", m.input, "--output", output,
		"--num-repeats", strconv.Itoa(interopRepeats), "--concurrency", "4").check(t, 0)
	byAgent := rollouts(t, output)
	metrics := aggregates(t, output)
	base := byAgent["go_agent_go_counter"]
	rewards := map[any]int{}
	for _, row := range base {
		rewards[row["reward"]]++
	}
	if len(base) != interopTasks*interopRepeats || len(rewards) != 2 {
		t.Fatalf("the run of Go alone has %d rollouts with rewards %v, want %d of both kinds", len(base), rewards, interopTasks*interopRepeats)
	}
	for agent, rows := range byAgent {
		for id, row := range rows {
			for _, d := range differences(base[id], row, "") {
				t.Errorf("%s, rollout %s: %s", agent, id, d)
			}
		}
		for _, d := range differences(metrics["go_agent_go_counter"], metrics[agent], "") {
			t.Errorf("%s, metrics: %s", agent, d)
		}
	}
	if len(byAgent) != 4 || len(metrics) != 4 {
		t.Errorf("there are results of %d agents and metrics of %d, want 4", len(byAgent), len(metrics))
	}
}

// pythonDriver runs the same with the Python driver.
func (m *mixed) pythonDriver(t *testing.T, ours string) {
	output := filepath.Join(m.dir, "python", "results.jsonl")
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	host, port, _ := strings.Cut(m.head, ":")
	args := []string{"eval", "run", "--no-serve", "--input", m.input, "--output", output, "--num-repeats", strconv.Itoa(interopRepeats), "--concurrency", "4",
		fmt.Sprintf("++head_server={host: %s, port: %s}", host, port)}
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(m.python), "gym"), args...)
	cmd.Dir, cmd.Env = filepath.Dir(output), blackbox.Environment(append(m.env, "WANDB_MODE=disabled")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the Python driver: %v\n%s", err, out)
	}
	theirs, want := rollouts(t, output), rollouts(t, ours)
	for agent, rows := range want {
		if len(theirs[agent]) != len(rows) {
			t.Errorf("%s: the Python driver has %d rollouts, ours %d", agent, len(theirs[agent]), len(rows))
		}
		for id, row := range rows {
			for _, d := range differences(row, theirs[agent][id], "") {
				t.Errorf("%s, rollout %s: %s", agent, id, d)
			}
		}
	}
	metrics := aggregates(t, output)
	for agent, want := range aggregates(t, ours) {
		for _, d := range differences(want, metrics[agent], "") {
			t.Errorf("%s, metrics: %s", agent, d)
		}
	}
}

// theirConfigurations runs the files and the data that the package brings for environments that we have too.
func (m *mixed) theirConfigurations(t *testing.T) {
	for environment, agent := range map[string]string{
		"example_single_tool_call": "simple_agent", "example_multi_step": "simple_agent", "example_session_state_mgmt": "simple_agent",
		"example_tool_call_multireward": "simple_agent", "mcqa": "simple_agent", "equivalence_llm_judge": "simple_agent",
		"blackjack": "gymnasium_agent", "example_multi_turn_gymnasium": "agent",
	} {
		t.Run(environment, func(t *testing.T) {
			results := runUpstream(t, m.site, environment, environment+"_"+agent)
			for _, row := range results {
				if environment == "example_single_tool_call" && row["reward"] != 1.0 {
					t.Errorf("a result is %v, and every one of this environment is 1", row["reward"])
				}
			}
		})
	}
}

// rollouts are the results of each agent, by the task's number among the agent's own and the rollout's.
func rollouts(t *testing.T, path string) map[string]map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]map[string]any{}
	for _, row := range lines(t, path) {
		agent := row["agent_ref"].(map[string]any)["name"].(string)
		if all[agent] == nil {
			all[agent] = map[string]map[string]any{}
		}
		all[agent][fmt.Sprint(int(row["_ng_task_index"].(float64))%interopTasks, "-", row["_ng_rollout_index"])] = row
	}
	return all
}

// aggregates are the metrics of each agent.
func aggregates(t *testing.T, results string) map[string]any {
	t.Helper()
	var list []map[string]any
	path := strings.TrimSuffix(results, ".jsonl") + "_aggregate_metrics.json"
	if err := json.Unmarshal([]byte(read(t, path)), &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	all := map[string]any{}
	for _, a := range list {
		all[a["agent_ref"].(map[string]any)["name"].(string)] = map[string]any{
			"agent_metrics": a["agent_metrics"], "key_metrics": a["key_metrics"], "group_level_metrics": a["group_level_metrics"],
		}
	}
	return all
}

// unlike are members that say where a rollout ran, or that one of the systems has for itself.
var unlike = regexp.MustCompile(`^\.(_ng_|agent_ref|ng_perf)|_ng_task_index$|rollout_id$|mask_sample$|_across_repeats/|num_repeats$`)

// differences lists where two results say different things. What one of them leaves out may be null in the other, and an input
// without a type is a message.
func differences(a, b any, path string) (out []string) {
	if unlike.MatchString(path) {
		return nil
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			names := map[string]bool{}
			for _, m := range []map[string]any{a, b} {
				for name := range m {
					names[name] = true
				}
			}
			for name := range names {
				out = append(out, differences(a[name], b[name], path+"."+name)...)
			}
			return out
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				out = append(out, differences(a[i], b[i], path+"[]")...)
			}
			return out
		}
	case float64:
		if b, ok := b.(float64); ok && math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) {
			return nil
		}
	case nil:
		if b == nil || b == "message" && strings.HasSuffix(path, ".input[].type") {
			return nil
		}
	default:
		if a == b || a == "message" && b == nil {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %v and %v", path, a, b)}
}

// exchange is a request, and what a server of either system answers.
type exchange struct {
	Request string    `json:"request"`
	Both    *answered `json:"both,omitempty"`
	Go      *answered `json:"go,omitempty"`
	Python  *answered `json:"python,omitempty"`
}

type answered struct {
	Status int `json:"status"`
	Body   any `json:"body"`
}

// bad are requests that servers refuse, or ought to.
var bad = []struct{ server, route, body string }{
	{"counter", "POST /increment_counter", `{}`},
	{"counter", "POST /increment_counter", `{"count":"x"}`},
	{"counter", "POST /increment_counter", `{"count":1.5}`},
	{"counter", "POST /increment_counter", `{"count":null}`},
	{"counter", "POST /increment_counter", `{"count":[1]}`},
	{"counter", "POST /increment_counter", `{"count":"3"}`},
	{"counter", "POST /increment_counter", `{"count":true}`},
	{"counter", "POST /increment_counter", `[]`},
	{"counter", "POST /increment_counter", `1`},
	{"counter", "POST /increment_counter", `null`},
	{"counter", "POST /increment_counter", ``},
	{"counter", "POST /increment_counter", `{"count":`},
	{"counter", "POST /increment_counter", `{"count":1}x`},
	{"counter", "POST /seed_session", `{}`},
	{"counter", "POST /seed_session", `{"initial_count":{}}`},
	{"counter", "POST /verify", `{}`},
	{"counter", "POST /verify", `{"responses_create_params":{"input":1},"expected_count":"x"}`},
	{"counter", "POST /aggregate_metrics", `{}`},
	{"counter", "POST /aggregate_metrics", `{"verify_responses":{}}`},
	{"counter", "POST /no_such_tool", `{}`},
	{"counter", "GET /verify", ``},
	{"agent", "POST /run", `{}`},
	{"agent", "POST /run", `{"responses_create_params":{"input":"x","stop":["a"]}}`},
	{"agent", "POST /v1/responses", `{}`},
	{"agent", "POST /v1/responses", `{"input":"x","seed":1}`},
	{"agent", "POST /v1/responses", `{"input":"x","stream":true}`},
	{"agent", "POST /v1/responses", `{"input":"x","truncation":"maybe"}`},
	{"agent", "POST /v1/responses", `{"input":"x","tools":{}}`},
	{"agent", "POST /v1/responses", `{"input":"x","metadata":"m"}`},
	{"agent", "POST /v1/responses", `{"input":"x","temperature":[]}`},
}

// listType is how Python names the type of a list, with all its kinds of items, which are others in every version.
var listType = regexp.MustCompile(`"list\[.*\]"`)

// refusals compares what servers of both systems say to the same wrong requests with what they said before.
func (m *mixed) refusals(t *testing.T) {
	var got []exchange
	for _, b := range bad {
		name := "_counter"
		if b.server == "agent" {
			name = "_agent_go_counter"
		}
		x := exchange{Request: b.server + " " + b.route + " " + b.body}
		x.Go, x.Python = m.send(t, "go"+name, b.route, b.body), m.send(t, "python"+name, b.route, b.body)
		if text(t, x.Go) == text(t, x.Python) {
			x.Both, x.Go, x.Python = x.Go, nil, nil
		}
		got = append(got, x)
	}
	golden(t, filepath.Join("interop", "refusals"), listType.ReplaceAllString(text(t, got), `"list[...]"`))
}

func text(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (m *mixed) send(t *testing.T, server, route, body string) *answered {
	t.Helper()
	resp, text := m.do(t, server, route, body, "")
	a := &answered{Status: resp.StatusCode}
	if err := json.Unmarshal(text, &a.Body); err != nil {
		t.Errorf("%s answers %s with %q, which is no JSON", server, route, text)
	}
	return a
}

func (m *mixed) do(t *testing.T, server, route, body, cookies string) (*http.Response, []byte) {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(t.Context(), method, m.urls[server]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	if cookies != "" {
		req.Header.Set("Cookie", cookies)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", server, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", server, err)
	}
	return resp, text
}

// cookies: a session holds through the cookies of the last reply, at both, and every reply has one.
func (m *mixed) cookies(t *testing.T) {
	for _, side := range sides {
		cookies := ""
		for _, c := range []struct{ route, body, want string }{
			{"POST /seed_session", `{"initial_count":3}`, ``},
			{"POST /increment_counter", `{"count":4}`, `{"success":true}`},
			{"POST /no_such_tool", `{}`, `{"detail":"Not Found"}`},
			{"POST /increment_counter", `{"count":"x"}`, ``},
			{"POST /get_counter_value", `{}`, `{"count":7}`},
		} {
			resp, text := m.do(t, side+"_counter", c.route, c.body, cookies)
			if c.want != "" && string(text) != c.want {
				t.Errorf("%s: %s answers %s, want %s", side, c.route, text, c.want)
			}
			set := resp.Header.Values("Set-Cookie")
			if len(set) != 1 {
				t.Fatalf("%s: %s sets cookies %q, want one", side, c.route, set)
			}
			cookies, _, _ = strings.Cut(set[0], ";")
		}
	}
}

// checkTraces finds every rollout of our driver in one trace, with spans of every server that it went through, each below the
// call that it answers.
func (m *mixed) checkTraces(t *testing.T) {
	needsSpans(t)
	silent := m.ask("import importlib.util as u; print(not u.find_spec('nemo_gym.telemetry'))") == "True" // an older version
	ran, theirs := map[string]int{}, 0
	for id, spans := range traces(t, m.traces) {
		root := roots(spans)
		if len(root) != 1 || len(named(spans, "gym.rollout")) == 0 {
			continue // of no rollout
		}
		for _, s := range spans {
			serves := strings.HasPrefix(s.Name(), "POST /") && !strings.Contains(s.Name(), " http ") // those are parts of a request
			hop := s.parent != nil && s.parent.service != s.service
			if s.orphan || serves && s.Kind() != ptrace.SpanKindServer || hop && (!serves || s.parent.Kind() != ptrace.SpanKindClient) {
				t.Errorf("trace %s: %s of %s does not stand below a call\n%s", id, s.Name(), s.service, root[0].tree())
			}
		}
		if root[0].service == "nemo-gym/supervisor" { // our driver's
			ran[servicesOf(spans)]++
		} else {
			theirs++ // their driver sends nothing without servers of its own
		}
	}
	want := map[string]int{}
	for _, agent := range sides {
		for _, environment := range sides {
			services := []string{"policy_model", "supervisor", agent + "_agent_" + environment + "_counter", environment + "_counter"}
			slices.Sort(services)
			want[strings.Join(services, " ")] = interopTasks * interopRepeats
		}
	}
	if silent { // more agents have the same servers then
		return
	}
	if fmt.Sprint(ran) != fmt.Sprint(want) {
		t.Errorf("rollouts by the servers in their traces: %v\nwant %v", ran, want)
	}
	if all := 4 * interopTasks * interopRepeats; theirs != all {
		t.Errorf("the rollouts of the Python driver have %d traces, want %d", theirs, all)
	}
}

func servicesOf(spans []*span) string {
	var services []string
	for _, s := range spans {
		services = append(services, strings.TrimPrefix(s.service, "nemo-gym/"))
	}
	slices.Sort(services)
	return strings.Join(slices.Compact(services), " ")
}
