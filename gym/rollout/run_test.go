package rollout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// GY-01: one failing row leaves the others; the failure is on disk and in the summary.
func TestRun_one_row_fails(t *testing.T) {
	f := newFixture(t, inputRows(100))
	f.o.Concurrency = 8
	var progress buffer
	f.o.Progress = &progress
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 57 { // GY-23: the cause is three hops below
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `"rs answered POST /verify with 500: \"boom-42\""`)
			return
		}
		fmt.Fprint(w, `{"reward":0.5}`)
	}
	s := f.run(a)
	if s.Expected != 100 || s.Scored != 99 || s.Failed != 1 || s.Missing != 0 || s.Interrupted || s.FailureClasses[semconv.FailureAgentRun] != 1 {
		t.Errorf("summary %+v", s)
	}
	if got := len(f.rows("out/rollouts.jsonl")); got != 99 {
		t.Errorf("%d results on disk, want 99", got)
	}
	rows := f.rows("out/rollouts_failures.jsonl")
	if len(rows) != 1 {
		t.Fatalf("%d failures on disk, want 1", len(rows))
	}
	class, _ := rows[0].String(keyFailureClass)
	text, _ := rows[0].String(keyFailureError)
	k, _ := keyOf(rows[0])
	if class != semconv.FailureAgentRun || k != (key{57, 0}) || !strings.Contains(text, "boom-42") || !strings.Contains(text, "simple_agent") {
		t.Errorf("failure row %s", rows[0].AppendTo(nil))
	}
	if len(s.Failures) != 1 {
		t.Fatalf("failures %+v", s.Failures)
	}
	for _, want := range []string{"boom-42", "simple_agent", "57-0", "row 57", "line 58", "agent_run_error"} {
		if got := s.Failures[0].String(); !strings.Contains(got, want) {
			t.Errorf("the failure's message has no %q: %s", want, got)
		}
		if !strings.Contains(progress.String(), want) {
			t.Errorf("progress has no %q", want)
		}
	}
	agent := s.Agents[0]
	if agent.Agent != "simple_agent" || agent.Environment != "rs" || agent.Tasks != 100 || agent.Rollouts != 99 || agent.Failed != 1 || agent.MeanReward != 0.5 {
		t.Errorf("agent %+v", agent)
	}
	if agent.P50 <= 0 || agent.P95 < agent.P50 {
		t.Errorf("durations %v, %v", agent.P50, agent.P95)
	}
}

// JL-11: the folder of the output is made. What an earlier run left is gone.
func TestRun_fresh(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.run(newAgent(t))
	f.write("out/rollouts_failures.jsonl", `{"_ng_task_index":0}`+"\n")
	f.write("out/rollouts_aggregate_metrics.json", "[]")
	s := f.run(newAgent(t))
	if got := f.keys("out/rollouts.jsonl"); !slices.Equal(got, []string{"0:0", "1:0"}) {
		t.Errorf("results %v", got)
	}
	if f.read("out/rollouts_failures.jsonl") != "" || f.read("out/rollouts_aggregate_metrics.json") != "" || s.FailuresFile != "" {
		t.Errorf("files of the earlier run are left; %+v", s)
	}
	if files, _ := os.ReadDir(f.path("out")); len(files) != 3 {
		t.Errorf("files %v, want the output, the materialized inputs and what the run is of", files)
	}
}

// What a result row holds: the reply as it came, our keys over it, and what the row brought.
func TestRun_result_row(t *testing.T) {
	f := newFixture(t, `{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"simple_agent","x":1},"skills_ref":{"a":1},"_ng_rollout_id":"mine"}`)
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		fmt.Fprint(w, "{\n \"reward\": 1,\n \"big\": 12345678901234567890123, \"_ng_task_index\": 7, \"agent_ref\": null}")
	}
	f.run(a)
	want := `{"reward":1,"big":12345678901234567890123,"_ng_task_index":0,"agent_ref":{"name":"simple_agent","x":1},"_ng_rollout_index":0,"skills_ref":{"a":1},"_ng_rollout_id":"mine"}` + "\n"
	if got := strings.ReplaceAll(f.read("out/rollouts.jsonl"), " ", ""); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestRun_routing(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		reply        string
		output, side string // a part of the line there; "" is no line
		class        string
	}{
		"scored":               {200, `{"reward":0}`, `"reward":0`, "", ""},
		"null class":           {200, `{"reward":0,"_ng_failure_class":null}`, `"reward":0`, "", ""},
		"no reward":            {200, `{}`, `"_ng_task_index"`, "", ""},
		"failure class":        {200, `{"reward":0.0,"_ng_failure_class":"judge_failed","_ng_failure_judge_error":"boom-44"}`, "", `"_ng_failure_judge_error":"boom-44"`, semconv.FailureJudge},
		"not to be kept":       {200, `{"_ng_no_persist":true,"_ng_failure_class":"x"}`, "", "", ""},
		"class of a type":      {200, `{"_ng_failure_class":7}`, "", `"_ng_failure_class":"agent_run_error"`, semconv.FailureAgentRun},
		"error":                {500, `"no"`, "", `answered 500 to POST /run`, semconv.FailureAgentRun},
		"bad request":          {422, `{"detail":[{"msg":"Field required"}]}`, "", `Field required`, semconv.FailureAgentRun},
		"too many":             {429, ``, "", "429", semconv.FailureAgentRequest},
		"bad gateway":          {502, ``, "", "502", semconv.FailureAgentRequest},
		"unavailable":          {503, ``, "", "503", semconv.FailureAgentRequest},
		"gateway timeout":      {504, ``, "", "504", semconv.FailureAgentRequest},
		"not JSON":             {200, `oops`, "", "is not one JSON object", semconv.FailureAgentRun},
		"NaN":                  {200, `{"reward":NaN}`, "", "NaN and Infinity are not JSON", semconv.FailureAgentRun},
		"a list":               {200, `[]`, "", "is not one JSON object", semconv.FailureAgentRun},
		"closed without reply": {0, "", "", "simple_agent", semconv.FailureAgentRequest},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, inputRows(1))
			a := newAgent(t)
			a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
				if c.status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.reply)
			}
			s := f.run(a)
			for file, want := range map[string]string{"out/rollouts.jsonl": c.output, "out/rollouts_failures.jsonl": c.side} {
				if got := f.read(file); !strings.Contains(got, want) || (got == "") != (want == "") {
					t.Errorf("%s holds %q, want %q", file, got, want)
				}
			}
			if c.class != "" && (s.FailureClasses[c.class] != 1 || s.Failed != 1) {
				t.Errorf("summary %+v, want class %s", s, c.class)
			}
			if c.class == semconv.FailureJudge && s.Failures[0].Text != "agent simple_agent reports judge_failed: boom-44" {
				t.Errorf("text %q", s.Failures[0].Text)
			}
			if sum := s.Skipped + s.GivenUp + s.Scored + s.Failed + s.Discarded + s.Missing; sum != s.Expected {
				t.Errorf("summary does not add up: %+v", s)
			}
		})
	}
}

// The time is a bubble's: a busy machine needs longer than so short a limit for a rollout that answers at once.
func TestRun_timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, inputRows(2))
		f.o.Timeout = 50 * time.Millisecond
		server, err := wire.NewServer(wire.ServerOptions{Name: "simple_agent"})
		if err != nil {
			t.Fatal(err)
		}
		left := false
		server.Handle("POST /run", func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
			if row, err := responses.ParseObject(r.Body); err != nil || n(row) == 0 {
				<-ctx.Done() // the call is cancelled, not abandoned
				left = true
				return nil, ctx.Err()
			}
			return &wire.Reply{Body: []byte(`{"reward":1}`)}, nil
		})
		local := wire.NewLocal(t.Context(), "simple_agent")
		local.Add(server)
		c := wire.NewClient(wire.ClientOptions{Local: local})
		defer c.Close()
		s, err := f.prepare().Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := local.Stop(); err != nil || !left {
			t.Errorf("the call that took too long was cancelled: %v; %v", left, err)
		}
		if s.Failed != 1 || s.Scored != 1 || s.FailureClasses[semconv.FailureTimeout] != 1 || !strings.Contains(s.Failures[0].Text, "50ms") {
			t.Errorf("summary %+v", s)
		}
	})
}

// The client may have a bound of its own.
func TestRun_timeout_of_the_client(t *testing.T) {
	f := newFixture(t, inputRows(1))
	a := newAgent(t)
	a.run = func(_ http.ResponseWriter, r *http.Request, _ responses.Object) { <-r.Context().Done() }
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": a.URL}, Timeout: 30 * time.Millisecond})
	defer c.Close()
	s, err := f.prepare().Run(t.Context(), c)
	if err != nil || s.FailureClasses[semconv.FailureTimeout] != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestRun_concurrency(t *testing.T) {
	f := newFixture(t, inputRows(20))
	f.o.Concurrency = 3
	a := newAgent(t)
	var in, most atomic.Int32
	full := make(chan struct{})
	var once sync.Once
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		now := in.Add(1)
		defer in.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if now == 3 {
			once.Do(func() { close(full) })
		}
		<-full // nobody goes on before three are in
		fmt.Fprint(w, `{"reward":1}`)
	}
	if s := f.run(a); s.Scored != 20 || most.Load() != 3 {
		t.Errorf("%d scored, at most %d at a time; want 20 and 3", s.Scored, most.Load())
	}
}

// Each result is on disk before the run ends.
func TestRun_writes_at_once(t *testing.T) {
	f := newFixture(t, inputRows(2))
	a := newAgent(t)
	release := make(chan struct{})
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 0 {
			<-release
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	done := f.background(t.Context(), f.prepare(), a.client(t))
	waitFor(t, func() bool { return f.read("out/rollouts.jsonl") != "" })
	if got := f.keys("out/rollouts.jsonl"); !slices.Equal(got, []string{"1:0"}) {
		t.Errorf("on disk while the first runs: %v", got)
	}
	close(release)
	if r := receive(t, done, "the end"); r.err != nil || r.summary.Scored != 2 {
		t.Errorf("%+v, %v", r.summary, r.err)
	}
}

// waitFor polls for something that another goroutine brings about and that has no channel.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}

func TestRun_drain(t *testing.T) {
	f := newFixture(t, inputRows(10))
	f.o.Concurrency = 2
	a := newAgent(t)
	begun, release := make(chan struct{}, 10), make(chan struct{})
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		begun <- struct{}{}
		<-release
		fmt.Fprint(w, `{"reward":1}`)
	}
	p := f.prepare()
	done := f.background(t.Context(), p, a.client(t))
	receive(t, begun, "the first rollout")
	receive(t, begun, "the second rollout")
	p.Drain()
	p.Drain()
	close(release)
	r := receive(t, done, "the end")
	if r.err != nil || r.summary.Scored != 2 || r.summary.Missing != 8 || !r.summary.Interrupted {
		t.Errorf("%+v, %v", r.summary, r.err)
	}
	if len(a.bodies()) != 2 {
		t.Errorf("%d rollouts began, want 2", len(a.bodies()))
	}
}

func TestRun_cancelled(t *testing.T) {
	f := newFixture(t, inputRows(5))
	f.o.Concurrency = 2
	f.o.DisableAggregation = false
	a := newAgent(t)
	begun := make(chan struct{}, 5)
	a.run = func(w http.ResponseWriter, r *http.Request, row responses.Object) {
		if n(row) == 0 {
			fmt.Fprint(w, `{"reward":1}`)
			return
		}
		begun <- struct{}{}
		<-r.Context().Done()
	}
	died := errors.New("server rs died")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := f.background(ctx, f.prepare(), a.client(t))
	receive(t, begun, "the second rollout")
	receive(t, begun, "the third rollout")
	cancel(died)
	r := receive(t, done, "the end")
	if !errors.Is(r.err, died) || r.summary == nil || r.summary.Scored != 1 || r.summary.Missing != 4 || r.summary.Failed != 0 || !r.summary.Interrupted {
		t.Fatalf("%+v, %v", r.summary, r.err)
	}
	if got := f.keys("out/rollouts.jsonl"); !slices.Equal(got, []string{"0:0"}) {
		t.Errorf("results %v", got)
	}

	// A resumed run finishes the rest and repeats none.
	f.o.Resume = true
	again := newAgent(t)
	if s := f.run(again); s.Skipped != 1 || s.Scored != 4 || s.Missing != 0 || s.Agents[0].Rollouts != 5 {
		t.Errorf("resumed: %+v", s)
	}
	if len(again.bodies()) != 4 || len(f.keys("out/rollouts.jsonl")) != 5 {
		t.Errorf("resumed: %d sent, results %v", len(again.bodies()), f.keys("out/rollouts.jsonl"))
	}
}

// An agent whose port refuses connections for good ends the run: every further rollout would end the same way. No
// attempt is counted.
func TestRun_agent_is_gone(t *testing.T) {
	f := newFixture(t, inputRows(50))
	f.o.Concurrency = 4
	a := newAgent(t)
	a.Close()
	s, err := f.prepare().Run(t.Context(), a.client(t))
	if err == nil || !strings.Contains(err.Error(), "agent simple_agent is gone") || s == nil || s.Missing != 50 || s.Failed != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if got := f.read("out/rollouts_failures.jsonl"); got != "" {
		t.Errorf("failures: %s", got)
	}
}

func TestRun_once(t *testing.T) {
	f := newFixture(t, inputRows(1))
	p := f.prepare()
	a := newAgent(t)
	if _, err := p.Run(t.Context(), a.client(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), a.client(t)); !errors.Is(err, errUsed) {
		t.Errorf("the second run: %v", err)
	}
}

func TestRun_input_changed_meanwhile(t *testing.T) {
	f := newFixture(t, inputRows(2))
	p := f.prepare()
	f.write("in.jsonl", strings.ReplaceAll(inputRows(2), "hi", "ho"))
	s, err := p.Run(t.Context(), newAgent(t).client(t))
	if s != nil || err == nil || !strings.Contains(err.Error(), "was changed while the run began") {
		t.Errorf("%+v, %v", s, err)
	}
}

// JL-15: the second of two collectors on one output refuses, early and late.
func TestRun_two_collectors(t *testing.T) {
	f := newFixture(t, inputRows(1))
	a := newAgent(t)
	begun, release := make(chan struct{}), make(chan struct{})
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		close(begun)
		<-release
		fmt.Fprint(w, `{"reward":1}`)
	}
	first, second := f.prepare(), f.prepare()
	done := f.background(t.Context(), first, a.client(t))
	receive(t, begun, "the rollout")
	if s, err := second.Run(t.Context(), a.client(t)); s != nil || !errors.Is(err, errLocked) {
		t.Errorf("the second run: %+v, %v", s, err)
	}
	if _, err := Prepare(f.o); !errors.Is(err, errLocked) {
		t.Errorf("the second preparation: %v", err)
	}
	close(release)
	if r := receive(t, done, "the end"); r.err != nil || r.summary.Scored != 1 {
		t.Errorf("%+v, %v", r.summary, r.err)
	}
}

// A log gets a line at each tenth of a run that is quickly done, however many rollouts it has.
func TestRun_progress(t *testing.T) {
	f := newFixture(t, inputRows(40))
	f.o.Concurrency = 1
	var progress buffer
	f.o.Progress = &progress
	f.run(newAgent(t))
	lines := strings.Split(strings.TrimSpace(progress.String()), "\n")
	var want []string
	for tenth := 1; tenth < 10; tenth++ {
		want = append(want, fmt.Sprintf("Collecting rollouts: %d/40 (%d %%)", 4*tenth, 10*tenth))
	}
	want = append(want, "Collected 40 of 40 rollouts in ")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), progress.String())
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}
	if !strings.Contains(lines[0], "simple_agent: 36 left, reward 1") {
		t.Errorf("line 0 is %q", lines[0])
	}
}

// An endpoint's error may be a page of a proxy, with anything in it: a terminal gets a line of it, and nothing that acts there.
func TestRun_longFailure(t *testing.T) {
	f := newFixture(t, inputRows(1))
	var progress buffer
	f.o.Progress = &progress
	page := "\x1b[2J<html>\n" + strings.Repeat("größer", 5000)
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, page)
	}
	s := f.run(a)
	for name, text := range map[string]string{"progress": progress.String(), "summary": s.Failures[0].String()} {
		if len(text) > 2000 || !strings.Contains(text, " bytes in all)") || !strings.Contains(text, "<html>") || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes: %.300s", name, len(text), text)
		}
	}
	if strings.Contains(progress.String(), "\x1b") || !strings.Contains(progress.String(), `\x1b[2J<html>\n`) {
		t.Errorf("progress acts on a terminal: %.300q", progress.String())
	}
}

func TestRun_aggregates(t *testing.T) {
	f := newFixture(t, inputRows(2)+strings.Replace(inputRows(1), "simple_agent", "other_agent", 1))
	f.o.DisableAggregation = false
	f.o.Concurrency = 1
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		fmt.Fprintf(w, `{"reward":1,"n":%d,"responses_create_params":{"input":"x"},"ng_trajectory":{},"response":{"output":[],"usage":{"input_tokens":3}}}`, n(row))
	}
	var mu sync.Mutex
	var got []string
	a.aggregate = func(w http.ResponseWriter, body responses.Object) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, string(body.AppendTo(nil)))
		if len(got) == 2 {
			w.WriteHeader(500)
			fmt.Fprint(w, `"boom-43"`)
			return
		}
		fmt.Fprint(w, `{"agent_metrics":{"mean/reward":1.0},"key_metrics":{"mean/reward":1.0},"more":1}`)
	}
	s := f.run(a)
	row := func(n, task int, agent string) string {
		return fmt.Sprintf(`{"reward":1,"n":%d,"_ng_task_index":%d,"_ng_rollout_index":0,"agent_ref":{"name":%q},"response":{"usage":{"input_tokens":3}}}`, n, task, agent)
	}
	want := []string{
		`{"verify_responses":[` + row(0, 0, "simple_agent") + "," + row(1, 1, "simple_agent") + `]}`,
		`{"verify_responses":[` + row(0, 2, "other_agent") + `]}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("posted\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	wantFile := `[
  {
    "agent_ref": {
      "name": "simple_agent"
    },
    "agent_metrics": {
      "mean/reward": 1.0
    },
    "key_metrics": {
      "mean/reward": 1.0
    },
    "group_level_metrics": []
  }
]
`
	if got := f.read("out/rollouts_aggregate_metrics.json"); got != wantFile {
		t.Errorf("file\n%s", got)
	}
	if s.Scored != 3 || s.AggregateFile != f.path("out/rollouts_aggregate_metrics.json") || s.AggregateErr == nil ||
		!strings.Contains(s.AggregateErr.Error(), "boom-43") || !strings.Contains(s.AggregateErr.Error(), "other_agent") {
		t.Errorf("summary %+v", s)
	}
	if left, err := filepath.Glob(f.path("out/*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// Results are aggregated in the order of tasks, however they ended and however long all of them are; of two for one rollout, the first is.
func TestRun_aggregates_in_order(t *testing.T) {
	const rows = 500
	f := newFixture(t, inputRows(rows))
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		fmt.Fprintf(w, `{"reward":1,"n":%d,"why":%q}`, n(row), strings.Repeat("x", 1000))
	}
	f.run(a)
	text := f.read("out/rollouts.jsonl")
	first, _, _ := strings.Cut(text, "\n")
	f.write("out/rollouts.jsonl", text+strings.Replace(first, `"reward":1`, `"reward":99`, 1)+"\n")

	f.o.Resume, f.o.DisableAggregation = true, false
	bodies := make(chan responses.Object, 1)
	a.aggregate = func(w http.ResponseWriter, body responses.Object) {
		bodies <- body
		fmt.Fprint(w, `{}`)
	}
	if s := f.run(a); s.Skipped != rows || s.AggregateErr != nil {
		t.Fatalf("%+v", s)
	}
	got, ok := receive(t, bodies, "the aggregation").Array("verify_responses")
	if !ok || len(got) != rows {
		t.Fatalf("%d rows, %v", len(got), ok)
	}
	for i, v := range got {
		row, err := responses.ParseObject(v)
		task, _ := row.Int(keyTask)
		if reward, _ := row.Int(keyReward); err != nil || int(task) != i || n(row) != task || reward != 1 {
			t.Fatalf("row %d is %s", i, v)
		}
	}
}

func TestRun_no_reward_has_no_mean(t *testing.T) {
	f := newFixture(t, inputRows(1))
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) { fmt.Fprint(w, `{"x":true}`) }
	if s := f.run(a); !math.IsNaN(s.Agents[0].MeanReward) || s.Agents[0].Rollouts != 1 {
		t.Errorf("agent %+v", s.Agents[0])
	}
}

func TestNearestRank(t *testing.T) {
	tens := make([]time.Duration, 10)
	for i := range tens {
		tens[i] = time.Duration(i+1) * 10
	}
	for _, c := range []struct {
		of      []time.Duration
		percent int
		want    time.Duration
	}{
		{nil, 50, 0}, {tens[:1], 50, 10}, {tens[:1], 95, 10}, {tens, 50, 50}, {tens, 95, 100}, {tens[:2], 50, 10}, {tens[:3], 50, 20},
	} {
		if got := nearestRank(c.of, c.percent); got != c.want {
			t.Errorf("P%d of %v is %v, want %v", c.percent, c.of, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	item := func(text string) responses.Item {
		it, err := responses.ParseItem([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	call, output := responses.FunctionCall("", "1", "f", "{}"), responses.FunctionCallOutput("1", "x")
	say := responses.AssistantMessage("done")
	think := item(`{"type":"reasoning","summary":[]}`)
	for name, c := range map[string]struct {
		items       []responses.Item
		turns, call int
	}{
		"nothing":             {nil, 0, 0},
		"one answer":          {[]responses.Item{say}, 1, 0},
		"a call":              {[]responses.Item{call, output, say}, 2, 1},
		"two calls at once":   {[]responses.Item{think, call, call, output, output, think, say}, 2, 2},
		"two calls in turn":   {[]responses.Item{call, output, call, output, say}, 3, 2},
		"a user's message":    {[]responses.Item{say, responses.UserMessage("more"), say}, 2, 0},
		"ends with an output": {[]responses.Item{call, output}, 1, 1},
		"unknown items":       {[]responses.Item{item(`{"type":"new_call"}`), item(`{"type":"new_call_output"}`), say}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if turns, calls := count(c.items); turns != c.turns || calls != c.call {
				t.Errorf("%d turns and %d calls, want %d and %d", turns, calls, c.turns, c.call)
			}
		})
	}
}
