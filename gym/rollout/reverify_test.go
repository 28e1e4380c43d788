package rollout

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// judge stands in for a resources server.
type judge struct {
	*httptest.Server
	mode   string // "" is one that does not know the question
	verify func(w http.ResponseWriter, body responses.Object)

	mu      sync.Mutex
	bodies  []string
	headers []http.Header
	summed  []string // bodies of /aggregate_metrics
}

func newJudge(t *testing.T, mode string) *judge {
	t.Helper()
	j := &judge{mode: mode}
	j.verify = func(w http.ResponseWriter, body responses.Object) {
		fmt.Fprint(w, `{"reward":0.5,"response":{"id":"new"}}`)
	}
	j.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/reverify_mode" && j.mode != "":
			fmt.Fprintf(w, "%q", j.mode)
		case r.URL.Path == "/verify":
			o, err := responses.ParseObject(body)
			if err != nil {
				t.Error(err)
			}
			j.mu.Lock()
			j.bodies, j.headers = append(j.bodies, string(body)), append(j.headers, r.Header)
			j.mu.Unlock()
			j.verify(w, o)
		case r.URL.Path == "/aggregate_metrics":
			j.mu.Lock()
			j.summed = append(j.summed, string(body))
			j.mu.Unlock()
			fmt.Fprint(w, `{"agent_metrics":{"x":1}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(j.Close)
	return j
}

// reverifyFixture is a run that was: task 0 and 1 scored, task 2's judge failed twice, task 3's agent failed, task 4 has no result.
func reverifyFixture(t *testing.T, j *judge) (*fixture, ReverifyOptions) {
	t.Helper()
	f := newFixture(t, "")
	var inputs, scored string
	for task := range 5 {
		inputs += fmt.Sprintf(`{"responses_create_params":{"input":"q%d"},"agent_ref":{"name":"simple_agent"},"want":%d,"_ng_task_index":%d,"_ng_rollout_index":0}`+"\n", task, task, task)
		if task < 2 {
			scored += fmt.Sprintf(`{"response":{"id":"r%d","n":12345678901234567890},"reward":1,"_ng_task_index":%d,"_ng_rollout_index":0,"agent_ref":{"name":"simple_agent"}}`+"\n", task, task)
		}
	}
	f.write("old_materialized_inputs.jsonl", inputs)
	f.write("old.jsonl", scored)
	judged := `{"response":{"id":"r2"},"_ng_failure_class":"judge_failed","_ng_task_index":2,"_ng_rollout_index":0,"agent_ref":{"name":"simple_agent"}}` + "\n"
	f.write("old_failures.jsonl", judged+judged+`{"_ng_failure_class":"agent_run_error","_ng_task_index":3,"_ng_rollout_index":0,"agent_ref":{"name":"simple_agent"}}`+"\n")
	return f, ReverifyOptions{Rollouts: f.path("old.jsonl"), Output: f.path("new.jsonl"), Graph: testGraph(t)}
}

func reverify(t *testing.T, j *judge, o ReverifyOptions) (*ReverifySummary, error) {
	t.Helper()
	v, err := PrepareReverify(o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}()
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"rs": j.URL}})
	defer client.Close()
	return v.Run(t.Context(), client)
}

func TestReverify(t *testing.T) {
	j := newJudge(t, "stateless")
	f, o := reverifyFixture(t, j)
	var progress bytes.Buffer
	o.Concurrency, o.Progress = 1, &progress
	s, err := reverify(t, j, o)
	if err != nil || s.Verified != 2 || s.Failed+s.Missing+s.Skipped != 0 || s.AggregateErr != nil || s.AggregateFile == "" {
		t.Fatalf("got %+v, %v", s, err)
	}
	want := []string{
		`{"responses_create_params":{"input":"q0"},"agent_ref":{"name":"simple_agent"},"want":0,"_ng_task_index":0,"_ng_rollout_index":0,"response":{"id":"r0","n":12345678901234567890}}`,
		`{"responses_create_params":{"input":"q1"},"agent_ref":{"name":"simple_agent"},"want":1,"_ng_task_index":1,"_ng_rollout_index":0,"response":{"id":"r1","n":12345678901234567890}}`,
	}
	if diff := cmp.Diff(want, j.bodies); diff != "" {
		t.Errorf("bodies of /verify (-want +got):\n%s", diff)
	}
	for _, h := range j.headers {
		if len(h["Cookie"]) > 0 {
			t.Errorf("cookies were sent: %v", h)
		}
	}
	line := `{"reward":0.5,"response":{"id":"new"},"_ng_task_index":0,"_ng_rollout_index":0,"agent_ref":{"name":"simple_agent"}}` + "\n"
	if got := f.read("new.jsonl"); got != line+strings.ReplaceAll(line, `task_index":0`, `task_index":1`) {
		t.Errorf("results %s", got)
	}
	if !strings.Contains(progress.String(), "reverified 1 of 2 (50 %)\nreverified 2 of 2 (100 %)\n") {
		t.Errorf("progress %q", &progress)
	}
	if len(j.summed) != 1 || !strings.Contains(f.read("new_aggregate_metrics.json"), `"x": 1`) {
		t.Errorf("aggregated %v into %s", j.summed, f.read("new_aggregate_metrics.json"))
	}

	if _, err := reverify(t, j, o); err == nil || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("an output that exists: %v", err)
	}
	o.Resume = true
	if s, err := reverify(t, j, o); err != nil || s.Skipped != 2 || s.Verified != 0 {
		t.Errorf("resumed: %+v, %v", s, err)
	}
	o.Resume, o.Overwrite, o.Limit = false, true, 1
	if s, err := reverify(t, j, o); err != nil || s.Verified != 1 || len(f.rows("new.jsonl")) != 1 {
		t.Errorf("overwritten: %+v, %v", s, err)
	}
}

func TestReverify_guard(t *testing.T) {
	for _, mode := range []string{"unsupported", "unknown", ""} {
		j := newJudge(t, mode)
		f, o := reverifyFixture(t, j)
		if _, err := reverify(t, j, o); err == nil || !strings.Contains(err.Error(), "rs (") || !strings.Contains(err.Error(), "--force") {
			t.Errorf("mode %q: %v", mode, err)
		}
		if f.read("new.jsonl") != "" || len(j.bodies) != 0 {
			t.Errorf("mode %q: something was scored", mode)
		}
		o.Force = true
		s, err := reverify(t, j, o)
		if err != nil || s.Verified != 2 || len(s.Unsafe) != 1 || s.Output != f.path("unsafe_new.jsonl") || len(f.rows("unsafe_new.jsonl")) != 2 || f.read("new.jsonl") != "" {
			t.Errorf("mode %q, forced: %+v, %v", mode, s, err)
		}
		if _, err := reverify(t, j, o); err == nil || !strings.Contains(err.Error(), "unsafe_new.jsonl exists") {
			t.Errorf("mode %q, forced again: %v", mode, err)
		}
	}
}

func TestReverify_judge_failed_only(t *testing.T) {
	j := newJudge(t, "unsupported") // the score of a failed judgement is not there yet: nobody is asked
	f, o := reverifyFixture(t, j)
	o.JudgeFailedOnly = true
	s, err := reverify(t, j, o)
	if err != nil || s.Seeded != 2 || s.Verified != 1 || len(j.bodies) != 1 || !strings.Contains(j.bodies[0], `"want":2`) || !strings.Contains(j.bodies[0], `{"id":"r2"}`) {
		t.Fatalf("got %+v, %v, %v", s, err, j.bodies)
	}
	if got := f.keys("new.jsonl"); !slices.Equal(got, []string{"0:0", "1:0", "2:0"}) || !strings.HasPrefix(f.read("new.jsonl"), f.read("old.jsonl")) {
		t.Errorf("results %v", got)
	}

	o.Output, o.Append = o.Rollouts, true
	before := f.read("old.jsonl")
	if s, err := reverify(t, j, o); err != nil || s.Verified != 1 || s.Seeded != 0 {
		t.Errorf("appended: %+v, %v", s, err)
	}
	if got := f.read("old.jsonl"); !strings.HasPrefix(got, before) || len(f.keys("old.jsonl")) != 3 {
		t.Errorf("appended: %s", got)
	}
	if s, err := reverify(t, j, o); err != nil || s.Verified != 0 || len(f.keys("old.jsonl")) != 3 {
		t.Errorf("appended again: %+v, %v", s, err)
	}
}

// A judgement that fails once more can be tried once more.
func TestReverify_judge_fails_again(t *testing.T) {
	j := newJudge(t, "stateless")
	j.verify = func(w http.ResponseWriter, body responses.Object) {
		fmt.Fprint(w, `{"_ng_failure_class":"judge_failed","reward":0}`)
	}
	f, o := reverifyFixture(t, j)
	o.JudgeFailedOnly = true
	s, err := reverify(t, j, o)
	if err != nil || s.Failed != 1 || s.Classes["judge_failed"] != 1 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if got := f.read("new_failures.jsonl"); !strings.Contains(got, `"response":{"id":"r2"}`) {
		t.Errorf("failures %s", got)
	}
}

func TestReverify_failures(t *testing.T) {
	j := newJudge(t, "stateless")
	j.verify = func(w http.ResponseWriter, body responses.Object) {
		switch want, _ := body.Int("want"); want {
		case 0:
			http.Error(w, `"boom-42"`, http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `not JSON`)
		}
	}
	f, o := reverifyFixture(t, j)
	f.write("old.jsonl", f.read("old.jsonl")+`{"_ng_task_index":4,"_ng_rollout_index":0,"agent_ref":{"name":"simple_agent"}}`+"\n")
	s, err := reverify(t, j, o)
	if err != nil || s.Failed != 3 || s.Verified != 0 || s.FailuresFile != f.path("new_failures.jsonl") || s.AggregateFile != "" {
		t.Fatalf("got %+v, %v", s, err)
	}
	text := f.read("new_failures.jsonl")
	for _, want := range []string{"boom-42", "not one JSON object", "no response"} {
		if !strings.Contains(text, want) {
			t.Errorf("failures have no %q: %s", want, text)
		}
	}
	o.Resume, o.MaxAttempts = true, 1
	if s, err := reverify(t, j, o); err != nil || s.GivenUp != 3 {
		t.Errorf("resumed: %+v, %v", s, err)
	}
}

// A server that is gone ends the run; nothing counts as failed for it.
func TestReverify_server_gone(t *testing.T) {
	j := newJudge(t, "stateless")
	f, o := reverifyFixture(t, j)
	o.Concurrency = 1
	j.verify = func(w http.ResponseWriter, body responses.Object) {
		panic(http.ErrAbortHandler)
	}
	s, err := reverify(t, j, o)
	if err != nil || s.Classes["agent_request_failed"] != 2 {
		t.Errorf("no answer: %+v, %v", s, err)
	}
	j.Close()
	o.Overwrite = true
	o.JudgeFailedOnly = true // nobody is asked before
	s, err = reverify(t, j, o)
	if err == nil || !strings.Contains(err.Error(), "server rs is gone") || s.Missing != 1 || s.Failed != 0 {
		t.Errorf("gone: %+v, %v", s, err)
	}
	if f.read("new_failures.jsonl") != "" {
		t.Error("a failure was written")
	}
}

func TestReverify_cancelled(t *testing.T) {
	j := newJudge(t, "stateless")
	_, o := reverifyFixture(t, j)
	v, err := PrepareReverify(o)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	ctx, cancel := context.WithCancel(t.Context())
	j.verify = func(w http.ResponseWriter, body responses.Object) { cancel(); panic(http.ErrAbortHandler) }
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"rs": j.URL}})
	defer client.Close()
	if s, err := v.Run(ctx, client); err == nil || s.Verified != 0 || s.Missing+s.Failed != 2 || s.Missing == 0 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestPrepareReverify_refused(t *testing.T) {
	j := newJudge(t, "stateless")
	f, good := reverifyFixture(t, j)
	graph := func(text string) *config.Graph {
		g, err := config.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	one := "rs:\n  resources_servers:\n    example_single_tool_call: {entrypoint: app.py, domain: agent}\n"
	f.write("few_materialized_inputs.jsonl", strings.SplitAfter(f.read("old_materialized_inputs.jsonl"), "\n")[0])
	for name, c := range map[string]struct {
		change func(o *ReverifyOptions)
		want   string
	}{
		"nothing named":           {func(o *ReverifyOptions) { o.Rollouts, o.Output = "", "" }, "no output file"},
		"append alone":            {func(o *ReverifyOptions) { o.Append = true }, "failed judgements only"},
		"append and overwrite":    {func(o *ReverifyOptions) { o.Append, o.JudgeFailedOnly, o.Overwrite = true, true, true }, "contradict"},
		"no inputs":               {func(o *ReverifyOptions) { o.Rollouts = f.path("other.jsonl") }, "other_materialized_inputs.jsonl does not exist"},
		"over its own results":    {func(o *ReverifyOptions) { o.Output, o.Overwrite = o.Rollouts, true }, "which it reads"},
		"over another's inputs":   {func(o *ReverifyOptions) { o.Output, o.Overwrite = f.path("x_materialized_inputs.jsonl"), true }, "for what stands beside"},
		"over its own inputs":     {func(o *ReverifyOptions) { o.Output = f.path("old_materialized_inputs.jsonl") }, "which it reads"},
		"a rollout without input": {func(o *ReverifyOptions) { o.Inputs = f.path("few_materialized_inputs.jsonl") }, "task 1, rollout 0 does not stand in"},
		"an unknown agent": {func(o *ReverifyOptions) {
			o.Graph = graph(strings.ReplaceAll(graphText, "simple_agent:\n  resp", "agent:\n  resp"))
		}, `no agent "simple_agent"`},
		"no server":              {func(o *ReverifyOptions) { o.Graph = graph("x: 1\n") }, "no resources server"},
		"two servers, no agents": {func(o *ReverifyOptions) { o.Graph = graph(one + strings.Replace(one, "rs:", "other:", 1)) }, "no agents"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			c.change(&o)
			v, err := PrepareReverify(o)
			if err == nil {
				v.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	o := good
	o.Graph = graph(one)
	v, err := PrepareReverify(o)
	if err != nil || !slices.Equal(v.Servers(), []string{"rs"}) || len(v.Notes()) != 1 {
		t.Errorf("one server, no agents: %v", err)
	} else {
		v.Close()
	}
	if _, err := os.Stat(f.path("new.jsonl")); err == nil {
		t.Error("an output was made")
	}
}
