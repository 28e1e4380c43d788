package gymnasium_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// caller is one session with a server.
type caller struct {
	t      *testing.T
	server http.Handler
	cookie string
}

// post calls a route and keeps the session.
func (c *caller) post(path, body string) (status int, answer string) {
	c.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(body)))
	if c.cookie != "" {
		r.Header.Set("Cookie", c.cookie)
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	c.cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return w.Code, w.Body.String()
}

// wants posts and compares the whole answer.
func (c *caller) wants(path, body string, status int, answer string) {
	c.t.Helper()
	if s, got := c.post(path, body); s != status || got != answer {
		c.t.Errorf("%s %s answers %d %s, want %d %s", path, body, s, got, status, answer)
	}
}

func build[S, R any](t *testing.T, e gymnasium.Environment[S, R]) *wire.Server {
	t.Helper()
	s, err := gymnasium.Build(&config.Instance{Name: "env", Type: config.TypeResources}, slog.New(slog.DiscardHandler), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const params = `"responses_create_params":{"input":"q"}`

// said is the body of a step with further members.
func said(text, more string) string {
	answer := responses.OutputMessage("m", text).AppendTo(nil)
	return `{` + params + `,"response":{"id":"r","created_at":1,"model":"m","object":"response","output":[` + string(answer) +
		`],"parallel_tool_calls":true,"tool_choice":"auto","tools":[]}` + more + `}`
}

// row is what a task of counting has.
type row struct {
	To int `json:"to"`
}

// counting is an environment that counts its steps, and the episodes that were closed.
type counting struct {
	mu     sync.Mutex
	closed []int // at which count
	fail   error
}

func (c *counting) environment() gymnasium.Environment[int, row] {
	return gymnasium.Environment[int, row]{
		Reset: func(_ context.Context, n *int, t gymnasium.Task[row]) (gymnasium.Start, error) {
			if *n != 0 {
				return gymnasium.Start{}, fmt.Errorf("the episode begins at %d", *n)
			}
			return gymnasium.Start{Observation: fmt.Sprintf("Count to %d.", t.Row.To), Info: map[string]any{"to": t.Row.To}}, c.fail
		},
		Step: func(_ context.Context, n *int, t gymnasium.Turn[row]) (gymnasium.Outcome, error) {
			if t.Response.Text() == "boom" {
				return gymnasium.Outcome{}, errors.New("boom-44")
			}
			*n++
			if *n < t.Row.To {
				return gymnasium.Outcome{Observation: fmt.Sprint(*n), Reward: 0.5, ToolOutputs: []gymnasium.ToolOutput{{CallID: "c", Output: "o"}}}, nil
			}
			return gymnasium.Outcome{Reward: 1, Terminated: true, Info: map[string]any{"count": *n}}, nil
		},
		Close: func(n *int) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.closed = append(c.closed, *n)
		},
	}
}

// wantClosed compares the counts at which episodes were closed.
func (c *counting) wantClosed(t *testing.T, want ...int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if fmt.Sprint(c.closed) != fmt.Sprint(want) {
		t.Errorf("closed at %v, want %v", c.closed, want)
	}
}

const (
	begun     = `{"observation":"Count to 2.","info":{"supports_explicit_close":true,"supports_step_idempotency":true,"to":2}}`
	first     = `{"observation":"1","reward":0.5,"terminated":false,"truncated":false,"info":{"tool_outputs":[{"call_id":"c","output":"o"}]}}`
	last      = `{"observation":null,"reward":1,"terminated":true,"truncated":false,"info":{"count":2}}`
	noEpisode = `{"detail":"There is no episode in this session: it was never reset, it is over, or it was forgotten"}`
	toTwo     = `,"to":2`
	task      = `{` + params + toTwo + `}`
)

func TestEpisode(t *testing.T) {
	var c counting
	e := &caller{t: t, server: build(t, c.environment())}
	e.wants("/step", said("", toTwo), 409, noEpisode)
	e.wants("/reset", task, 200, begun)
	e.wants("/step", said("", toTwo), 200, first)
	e.wants("/step", said("boom", toTwo), 500, `"env cannot serve POST /step: boom-44"`)
	c.wantClosed(t)
	e.wants("/step", said("", toTwo), 200, last)
	c.wantClosed(t, 2)
	e.wants("/step", said("", toTwo), 409, noEpisode)

	other := &caller{t: t, server: e.server}
	other.wants("/step", said("", toTwo), 409, noEpisode)
	e.wants("/reset", task, 200, begun) // again, in the same session
	other.wants("/reset", task, 200, begun)
	e.wants("/step", said("", toTwo), 200, first)
	other.wants("/step", said("", toTwo), 200, first)
	c.wantClosed(t, 2)
}

// Every episode is closed once, however it ends.
func TestClose(t *testing.T) {
	t.Run("by the caller", func(t *testing.T) {
		var c counting
		e := &caller{t: t, server: build(t, c.environment())}
		e.wants("/close", `{}`, 200, `{}`)
		e.wants("/reset", task, 200, begun)
		e.wants("/step", said("", toTwo), 200, first)
		e.wants("/close", `{}`, 200, `{}`)
		e.wants("/close", `{}`, 200, `{}`)
		c.wantClosed(t, 1)
		e.wants("/step", said("", toTwo), 409, noEpisode)
	})
	t.Run("by the next one", func(t *testing.T) {
		var c counting
		e := &caller{t: t, server: build(t, c.environment())}
		e.wants("/reset", task, 200, begun)
		e.wants("/step", said("", toTwo), 200, first)
		e.wants("/reset", task, 200, begun)
		c.wantClosed(t, 1)
		e.wants("/step", said("", toTwo), 200, first)
	})
	t.Run("after a reset that failed", func(t *testing.T) {
		c := counting{fail: errors.New("boom-45")}
		e := &caller{t: t, server: build(t, c.environment())}
		e.wants("/reset", task, 500, `"env cannot serve POST /reset: boom-45"`)
		c.wantClosed(t, 0)
		e.wants("/step", said("", toTwo), 409, noEpisode)
	})
	t.Run("by expiry", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var c counting
			environment := c.environment()
			environment.Sessions = resources.SessionOptions{Idle: time.Minute}
			server := build(t, environment)
			old := &caller{t: t, server: server}
			old.wants("/reset", task, 200, begun)
			old.wants("/step", said("", toTwo), 200, first)
			time.Sleep(2 * time.Minute)
			(&caller{t: t, server: server}).wants("/reset", task, 200, begun)
			c.wantClosed(t, 1)
			old.wants("/step", said("", toTwo), 409, noEpisode)
		})
	})
}

// A step that is sent again is answered again and taken once.
func TestStepsAreTakenOnce(t *testing.T) {
	var c counting
	e := &caller{t: t, server: build(t, c.environment())}
	id := func(id string) string { return said("", toTwo+`,"_ng_step_request_id":"`+id+`"`) }
	e.wants("/reset", task, 200, begun)
	e.wants("/step", id("a"), 200, first)
	e.wants("/step", id("a"), 200, first)
	e.wants("/step", id("b"), 200, last)
	e.wants("/step", id("b"), 200, last) // the episode is over
	c.wantClosed(t, 2)
	e.wants("/step", id("c"), 409, noEpisode)
	e.wants("/reset", task, 200, begun)
	e.wants("/step", id("b"), 200, first) // another episode
	e.wants("/step", said("", toTwo+`,"_ng_step_request_id":null`), 200, last)

	t.Run("while the first is under way", func(t *testing.T) {
		var steps int
		server := build(t, gymnasium.Environment[int, struct{}]{
			Step: func(context.Context, *int, gymnasium.Turn[struct{}]) (gymnasium.Outcome, error) {
				steps++ // by one at a time, or the race detector says so
				return gymnasium.Outcome{Observation: fmt.Sprint(steps)}, nil
			},
		})
		e := &caller{t: t, server: server}
		e.post("/reset", `{`+params+`}`)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				again := &caller{t: t, server: server, cookie: e.cookie}
				again.wants("/step", said("", `,"_ng_step_request_id":"a"`), 200, `{"observation":"1","reward":0,"terminated":false,"truncated":false,"info":{}}`)
			})
		}
		group.Wait()
		if steps != 1 {
			t.Errorf("%d steps were taken", steps)
		}
	})
}

func TestRefuses(t *testing.T) {
	var c counting
	e := &caller{t: t, server: build(t, c.environment())}
	for _, test := range []struct {
		path, body string
		status     int
		says       []string
	}{
		{"/reset", `{}`, 422, []string{`["body","responses_create_params"]`, `["body","to"]`}},
		{"/reset", `[]`, 422, []string{"model_attributes_type"}},
		{"/reset", `{"responses_create_params":{"input":7},"to":"x"}`, 422, []string{`"responses_create_params","input"`, "int_parsing"}},
		{"/step", `{` + params + `,"to":2,"_ng_step_request_id":7}`, 422, []string{`["body","response"]`, `["body","_ng_step_request_id"]`}},
		{"/step", `{` + params + `,"to":2,"response":{}}`, 422, []string{`["body","response","id"]`}},
		{"/step", `nothing`, 422, []string{"json_invalid"}},
		{"/verify", `{}`, 404, nil},
		{"/seed_session", `{}`, 404, nil},
	} {
		status, answer := e.post(test.path, test.body)
		for _, text := range test.says {
			if !strings.Contains(answer, text) {
				t.Errorf("%s %s: %q is not in %s", test.path, test.body, text, answer)
			}
		}
		if status != test.status {
			t.Errorf("%s %s answers %d %s, want %d", test.path, test.body, status, answer, test.status)
		}
	}
	c.wantClosed(t)

	t.Run("an environment without steps", func(t *testing.T) {
		_, err := gymnasium.Build(&config.Instance{Name: "env"}, nil, gymnasium.Environment[int, row]{})
		if err == nil || !strings.Contains(err.Error(), `"env": it has no Step`) {
			t.Error(err)
		}
		_, err = gymnasium.Build(&config.Instance{Name: "env"}, nil, gymnasium.Environment[int, chan int]{Step: func(context.Context, *int, gymnasium.Turn[chan int]) (gymnasium.Outcome, error) {
			return gymnasium.Outcome{}, nil
		}})
		if err == nil || !strings.Contains(err.Error(), "its row") {
			t.Error(err)
		}
	})
	t.Run("a reward that is no number", func(t *testing.T) {
		e := &caller{t: t, server: build(t, gymnasium.Environment[int, struct{}]{
			Step: func(context.Context, *int, gymnasium.Turn[struct{}]) (gymnasium.Outcome, error) {
				zero := 0.0
				return gymnasium.Outcome{Reward: 1 / zero}, nil
			}})}
		e.post("/reset", `{`+params+`}`)
		if status, answer := e.post("/step", said("", "")); status != 500 || !strings.Contains(answer, "+Inf") {
			t.Errorf("got %d %s", status, answer)
		}
	})
	t.Run("more episodes than there is room for", func(t *testing.T) {
		environment := c.environment()
		environment.Sessions.Max = 1
		server := build(t, environment)
		(&caller{t: t, server: server}).wants("/reset", task, 200, begun)
		if status, answer := (&caller{t: t, server: server}).post("/reset", task); status != 503 {
			t.Errorf("got %d %s", status, answer)
		}
	})
}

func TestAggregates(t *testing.T) {
	var c counting
	e := &caller{t: t, server: build(t, c.environment())}
	status, answer := e.post("/aggregate_metrics", `{"verify_responses":[{"_ng_task_index":0,"_ng_rollout_index":0,"reward":0.5}]}`)
	if status != 200 || !strings.Contains(answer, `"mean/reward":0.5`) {
		t.Errorf("got %d %s", status, answer)
	}
}

func TestCalls(t *testing.T) {
	var names []string
	e := &caller{t: t, server: build(t, gymnasium.Environment[int, struct{}]{
		Step: func(_ context.Context, _ *int, turn gymnasium.Turn[struct{}]) (gymnasium.Outcome, error) {
			for _, call := range turn.Calls() {
				names = append(names, call.Name())
			}
			return gymnasium.Outcome{}, nil
		}})}
	e.post("/reset", `{`+params+`}`)
	body := strings.Replace(said("", ""), `"output":[`, `"output":[`+string(responses.FunctionCall("f", "c", "look", "{}").AppendTo(nil))+`,`, 1)
	if status, answer := e.post("/step", body); status != 200 || len(names) != 1 || names[0] != "look" {
		t.Errorf("got %d %s, calls %v", status, answer, names)
	}
}
