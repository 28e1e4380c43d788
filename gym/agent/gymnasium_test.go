package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/agent"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/blackjack"
	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/resources/multiturn"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// speaking is a model that says what say makes of the last item of its input.
func speaking(say func(last string) string) model.Responder {
	return model.ResponderFunc(func(_ context.Context, r *model.Request) (*wire.Reply, error) {
		input, err := r.Params.Input()
		if err != nil {
			return nil, err
		}
		var o responses.Response
		for name, value := range map[string]string{"id": `"r"`, "created_at": "1", "model": `"m"`, "object": `"response"`,
			"parallel_tool_calls": "true", "tool_choice": `"auto"`, "tools": "[]"} {
			o.Set(name, jsontext.Value(value))
		}
		o.SetOutput([]responses.Item{responses.OutputMessage("m", say(input[len(input)-1].Text()))})
		o.SetUsage(responses.NewUsage(10, 2))
		return &wire.Reply{Body: o.AppendTo(nil)}, nil
	})
}

// player hits below 17.
func player(last string) string {
	var value int
	if _, err := fmt.Sscanf(last[strings.Index(last, "worth "):], "worth %d.", &value); err != nil {
		return err.Error()
	}
	if value < 17 {
		return "A little more. <action>hit</action>"
	}
	return "<action>stand</action>"
}

func TestGymnasiumEnvironments(t *testing.T) {
	t.Run("blackjack", func(t *testing.T) {
		g := startAs(t, agent.BuildGymnasium, `,"max_steps":9`, blackjack.Build, speaking(player))
		results := map[string]bool{}
		for seed := range 12 {
			row := fmt.Sprintf(`{"seed":%d,%s}`, seed, asked)
			reply, err := g.run(t.Context(), t, row)
			if err != nil {
				t.Fatal(err)
			}
			again, err := g.run(t.Context(), t, row)
			info, _ := reply.Sub("info")
			if other, _ := again.Get("info"); err != nil || string(other) != string(info.AppendTo(nil)) {
				t.Errorf("seed %d is played in two ways: %s and %s, %v", seed, info.AppendTo(nil), other, err)
			}
			result, _ := info.String("result")
			reward, _ := reply.Float("reward")
			over, _ := reply.Bool("terminated")
			if want, known := map[string]float64{"win": 1, "draw": 0, "loss": -1, "bust": -1}[result]; !known || reward != want || !over {
				t.Errorf("seed %d: %s", seed, reply.AppendTo(nil))
			}
			results[result] = true
		}
		if !results["win"] || !results["draw"] || !results["bust"] {
			t.Errorf("twelve hands ended in %v only", results)
		}
	})
	t.Run("a conversation", func(t *testing.T) {
		g := startAs(t, agent.BuildGymnasium, "", multiturn.Build, speaking(func(last string) string { return "You said: " + last }))
		for expected, want := range map[string]float64{"SECOND": 1, "first": 0} {
			reply, err := g.run(t.Context(), t, `{"follow_ups":["the first","the second"],"expected_answer":"`+expected+`",`+asked+`}`)
			if reward, _ := reply.Float("reward"); err != nil || reward != want {
				t.Errorf("%s: %s, %v", expected, reply.AppendTo(nil), err)
			}
		}
		_, err := g.run(t.Context(), t, `{`+asked+`}`)
		if err == nil || !strings.Contains(err.Error(), "env answered 422 to POST /reset") || !strings.Contains(err.Error(), "follow_ups") {
			t.Errorf("a row without its members: %v", err)
		}
	})
	t.Run("side by side", func(t *testing.T) {
		g := startAs(t, agent.BuildGymnasium, "", multiturn.Build, speaking(func(last string) string { return last }))
		var group sync.WaitGroup
		for i := range 32 {
			group.Go(func() {
				reply, err := g.run(t.Context(), t, fmt.Sprintf(`{"follow_ups":["a","b","number %d"],"expected_answer":"number %d",%s}`, i, i, asked))
				if reward, _ := reply.Float("reward"); err != nil || reward != 1 {
					t.Errorf("%d: %s, %v", i, reply.AppendTo(nil), err)
				}
			})
		}
		group.Wait()
	})
}

// The calls of a rollout with two steps, as spans: there is no span of an agent's loop and none of a verification.
func TestTraceOfGymnasium(t *testing.T) {
	spans := record(t, "per_rollout")
	g := startAs(t, agent.BuildGymnasium, "", multiturn.Build, speaking(func(string) string { return "x" }))
	g.drive(t, `{"follow_ups":["a"],"expected_answer":"x",`+asked+`}`)
	g.stop()
	step := `        HTTP POST (client)
          POST /v1/responses (server)
            gym.model.responses
        HTTP POST (client)
          POST /step (server)
`
	spans.AssertTree(t, `gym.rollout
  HTTP POST (client)
    POST /run (server)
      gym.agent.run
        HTTP POST (client)
          POST /reset (server)
`+step+step+`        HTTP POST (client)
          POST /close (server)
`)
	assertOneTrace(t, spans)
}

// TestCallerLeavesGymnasium is case GO-05 for an environment that holds something: it is let go.
func TestCallerLeavesGymnasium(t *testing.T) {
	spans := record(t, "all")
	asking, closed := make(chan struct{}), make(chan struct{})
	environment := func(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
		return gymnasium.Build(in, logger, gymnasium.Environment[int, struct{}]{
			Step: func(context.Context, *int, gymnasium.Turn[struct{}]) (gymnasium.Outcome, error) {
				return gymnasium.Outcome{}, errors.New("nobody is there")
			},
			Close: func(*int) { close(closed) },
		})
	}
	g := startAs(t, agent.BuildGymnasium, "", environment, model.ResponderFunc(func(ctx context.Context, _ *model.Request) (*wire.Reply, error) {
		close(asking)
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.run(ctx, t, `{`+asked+`}`)
		left <- err
	}()
	<-asking
	cancel()
	if err := <-left; err == nil {
		t.Error("the caller has an answer")
	}
	<-closed
	g.stop()
	for _, name := range []string{semconv.SpanGymRollout, semconv.SpanGymModelResponses} {
		if s := spans.One(t, name); !strings.Contains(s.Message, "context canceled") {
			t.Errorf("%s ended with status %v %q", name, s.Status, s.Message)
		}
	}
}

// TestToolIsNotCalledTwice is case GY-09: a tool that did its work and broke off is not called again, and the rollout says so.
func TestToolIsNotCalledTwice(t *testing.T) {
	var worked atomic.Int32
	g := start(t, func(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
		s := resources.New(in, logger)
		resources.Tool(s, "work", func(context.Context, resources.Call, struct{}) (struct{}, error) {
			worked.Add(1)
			panic(http.ErrAbortHandler)
		})
		resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
			return 1, struct{}{}, nil
		})
		return s.Build()
	}, turns{calling("work", `{}`), quoting})
	_, err := g.run(t.Context(), t, `{`+asked+`}`)
	if n := worked.Load(); err == nil || n != 1 || !strings.Contains(err.Error(), `cannot call tool "work"`) {
		t.Errorf("the tool has worked %d times; %v", n, err)
	}
}

// A step whose answer is lost is taken once all the same, and its answer is not lost (GY-09).
func TestStepSurvivesALostAnswer(t *testing.T) {
	var taken, sent atomic.Int32
	inner, err := gymnasium.Build(&config.Instance{Name: "env", Type: config.TypeResources}, slog.New(slog.DiscardHandler),
		gymnasium.Environment[int, struct{}]{
			Step: func(context.Context, *int, gymnasium.Turn[struct{}]) (gymnasium.Outcome, error) {
				return gymnasium.Outcome{Reward: float64(taken.Add(1)), Terminated: true}, nil
			},
		})
	if err != nil {
		t.Fatal(err)
	}
	env := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/step" && sent.Add(1) == 1 {
			inner.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	}))
	defer env.Close()
	policy, err := model.NewServer(&config.Instance{Name: "policy", Type: config.TypeModel}, speaking(func(string) string { return "x" }), nil)
	if err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(policy)
	defer upstream.Close()
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"env": env.URL, "policy": upstream.URL}})
	defer client.Close()
	server, err := agent.BuildGymnasium(&config.Instance{Name: "player", Type: config.TypeAgent,
		Settings: jsontext.Value(`{"resources_server":{"name":"env"},"model_server":{"name":"policy"}}`)}, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/run", strings.NewReader(`{`+asked+`}`)))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"reward":1,"terminated":true`) || taken.Load() != 1 || sent.Load() != 2 {
		t.Errorf("got %d %s; %d steps taken, %d sent", w.Code, w.Body, taken.Load(), sent.Load())
	}
}

// TestCallTimeout is case GY-11: a server that never answers costs one rollout its time, and the others go on.
func TestCallTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		build       builder
		environment builder
		more        string
	}{
		"simple":    {agent.Build, always, ""},
		"gymnasium": {agent.BuildGymnasium, multiturn.Build, `"follow_ups":[],"expected_answer":"fine",`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait
			fine := speaking(func(string) string { return "fine" })
			g := startAs(t, test.build, `,"call_timeout_seconds":5`, test.environment, model.ResponderFunc(func(ctx context.Context, r *model.Request) (*wire.Reply, error) {
				if input, _ := r.Params.Input(); input[0].Text() == "hang" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return fine.Respond(ctx, r)
			}))
			hung := make(chan error, 1)
			go func() {
				_, err := g.run(t.Context(), t, `{`+test.more+`"responses_create_params":{"input":"hang"}}`)
				hung <- err
			}()
			reply, err := g.run(t.Context(), t, `{`+test.more+asked+`}`)
			if reward, _ := reply.Float("reward"); err != nil || reward != 1 {
				t.Errorf("another rollout: %s, %v", reply.AppendTo(nil), err)
			}
			if err := <-hung; err == nil || !strings.Contains(err.Error(), "no whole answer within 5s") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// always is an environment that rewards everything.
func always(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, nil
	})
	return s.Build()
}
