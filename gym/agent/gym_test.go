package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/agent"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/multistep"
	"github.com/lensgo/lens/gym/resources/sessionstate"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
	"github.com/lensgo/lens/gym/responses"
	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// builder is what every implementation has.
type builder func(*config.Instance, *wire.Client, *slog.Logger) (*wire.Server, error)

// turns is a model that says in its n-th turn what turns[n] says, by how often it has spoken in the input; the last
// turn is repeated.
type turns []func(input []responses.Item) responses.Item

func (m turns) Respond(_ context.Context, r *model.Request) (*wire.Reply, error) {
	input, err := r.Params.Input()
	if err != nil {
		return nil, err
	}
	spoken := 0
	for _, item := range input {
		if item.Type() == responses.TypeFunctionCall {
			spoken++
		}
	}
	var o responses.Response
	for name, value := range map[string]string{"id": `"r"`, "created_at": "1", "model": `"m"`, "object": `"response"`,
		"parallel_tool_calls": "true", "tool_choice": `"auto"`, "tools": "[]"} {
		o.Set(name, jsontext.Value(value))
	}
	o.SetOutput([]responses.Item{m[min(spoken, len(m)-1)](input)})
	o.SetUsage(responses.NewUsage(10, 2))
	return &wire.Reply{Body: o.AppendTo(nil)}, nil
}

func calling(name, arguments string) func([]responses.Item) responses.Item {
	return func(input []responses.Item) responses.Item {
		return responses.FunctionCall(fmt.Sprint("f", len(input)), fmt.Sprint("c", len(input)), name, arguments)
	}
}

// quoting answers with the output of the last tool.
func quoting(input []responses.Item) responses.Item {
	return responses.OutputMessage("m", "the tool said "+input[len(input)-1].Text())
}

// gym is one agent, one resources server and one model server on loopback ports.
type gym struct {
	client *wire.Client
	stop   func()
}

// start serves the environment with the model m and a simple agent until the test ends or stop is called.
func start(t *testing.T, environment builder, m model.Responder) *gym {
	t.Helper()
	return startAs(t, agent.Build, `,"max_steps":null`, environment, m)
}

// startAs is start with an agent of another kind, or with more settings.
func startAs(t *testing.T, agent builder, settings string, environment builder, m model.Responder) *gym {
	t.Helper()
	urls := map[string]string{}
	listeners := map[string]net.Listener{}
	for _, name := range []string{"simple", "env", "policy"} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners[name], urls[name] = ln, "http://"+ln.Addr().String()
	}
	client := wire.NewClient(wire.ClientOptions{Servers: urls})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	serve := func(name string, s *wire.Server, err error) {
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			if err := s.Serve(ctx, listeners[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	quiet := slog.New(slog.DiscardHandler)
	instance := func(name, kind, settings string) *config.Instance {
		return &config.Instance{Name: name, Type: kind, Settings: jsontext.Value(settings)}
	}
	s, err := agent(instance("simple", config.TypeAgent,
		`{"resources_server":{"type":"resources_servers","name":"env"},"model_server":{"type":"responses_api_models","name":"policy"}`+settings+`}`), client, quiet)
	serve("simple", s, err)
	s, err = environment(instance("env", config.TypeResources, `{}`), client, quiet)
	serve("env", s, err)
	s, err = model.NewServer(instance("policy", config.TypeModel, `{}`), m, quiet)
	serve("policy", s, err)
	stop := sync.OnceFunc(func() {
		cancel()
		group.Wait()
		client.Close()
	})
	t.Cleanup(stop)
	return &gym{client: client, stop: stop}
}

// run posts a row to the agent.
func (g *gym) run(ctx context.Context, t *testing.T, row string) (responses.Object, error) {
	t.Helper()
	res, err := g.client.Do(ctx, wire.Call{Server: "simple", Path: "/run", Body: []byte(row)})
	if err != nil {
		return responses.Object{}, err
	}
	if err := res.Err(); err != nil {
		return responses.Object{}, err
	}
	return responses.ParseObject(res.Body)
}

const asked = `"responses_create_params":{"input":[{"role":"user","content":"do it"}],"tools":[]}`

func TestEnvironments(t *testing.T) {
	weather := turns{calling("get_weather", `{"city":"Oslo"}`), quoting}
	words := func(list string) turns {
		return turns{calling("get_synonym_value", `{"synonym":"Arid"}`), calling("extract_synonym_values", `{"synonym_values":`+list+`}`), quoting}
	}
	counter := turns{calling("increment_counter", `{"count":1}`), calling("increment_counter", `{"count":2}`), calling("get_counter_value", `{}`), quoting}
	const wordsRow = `"id":1,"expected_synonyms":["Arid","Coarse"],"expected_synonym_values":[384,605],"minefield_label":"Dry","minefield_label_value":303,` + asked
	tests := map[string]struct {
		environment builder
		model       turns
		row         string
		reward      float64
		text        string // of the last message
	}{
		"weather":        {singletoolcall.Build, weather, `{` + asked + `}`, 1, `"city":"Oslo"`},
		"words_right":    {multistep.Build, words("[384,605]"), `{` + wordsRow + `}`, 1, `{"success":true}`},
		"words_wrong":    {multistep.Build, words("[605,384]"), `{` + wordsRow + `}`, 0, `{"success":true}`},
		"counter_right":  {sessionstate.Build, counter, `{"initial_count":3,"expected_count":6,` + asked + `}`, 1, `{"count":6}`},
		"counter_wrong":  {sessionstate.Build, counter, `{"initial_count":3,"expected_count":7,` + asked + `}`, 0, `{"count":6}`},
		"unknown_tool":   {singletoolcall.Build, turns{calling("get_wether", `{}`), quoting}, `{` + asked + `}`, 1, "Not Found"},
		"bad_arguments":  {sessionstate.Build, turns{calling("increment_counter", `{"count":"x"}`), quoting}, `{"initial_count":3,"expected_count":3,` + asked + `}`, 1, "int_parsing"},
		"not_even_json":  {sessionstate.Build, turns{calling("increment_counter", `{"count":`), quoting}, `{"initial_count":3,"expected_count":3,` + asked + `}`, 1, "Invalid tool call arguments"},
		"name_of_a_path": {singletoolcall.Build, turns{calling("a/b?c#d%", `{}`), quoting}, `{` + asked + `}`, 1, "Not Found"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := start(t, test.environment, test.model)
			reply, err := g.run(t.Context(), t, test.row)
			if err != nil {
				t.Fatal(err)
			}
			if reward, ok := reply.Float("reward"); !ok || reward != test.reward {
				t.Errorf("the reward is %v, want %v", reward, test.reward)
			}
			answered, _ := reply.Sub("response")
			response := responses.Response{Object: answered}
			if !strings.Contains(response.Text(), test.text) {
				t.Errorf("the model said %q, want %s in it", response.Text(), test.text)
			}
			usage, err := response.Usage()
			if err != nil || usage.InputTokens() != int64(10*len(test.model)) {
				t.Errorf("usage is %v, %v", usage, err)
			}
			params, _ := reply.Sub("responses_create_params")
			if v, there := params.Get("temperature"); !there || v.Kind() != 'n' || params.Len() != 23 {
				t.Errorf("the params are not explicit: %s", params.AppendTo(nil))
			}
		})
	}
}

// TestSessionsSideBySide has rollouts of one server count at once: none may see another's counter.
func TestSessionsSideBySide(t *testing.T) {
	g := start(t, sessionstate.Build, turns{calling("increment_counter", `{"count":1}`), calling("increment_counter", `{"count":2}`), quoting})
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			reply, err := g.run(t.Context(), t, fmt.Sprintf(`{"initial_count":%d,"expected_count":%d,%s}`, i, i+3, asked))
			if reward, _ := reply.Float("reward"); err != nil || reward != 1 {
				t.Errorf("rollout %d: reward %v, %v", i, reward, err)
			}
		})
	}
	group.Wait()
}

func TestRunRefuses(t *testing.T) {
	g := start(t, singletoolcall.Build, turns{quoting})
	for row, want := range map[string]string{
		`{}`: `"loc":["body","responses_create_params"]`,
		`[]`: `"model_attributes_type"`,
		`{"responses_create_params":{"input":"q","seed":1}}`:               `"loc":["body","responses_create_params","seed"]`,
		`{"responses_create_params":{"input":"q","stream":true}}`:          `"loc":["body","responses_create_params","stream"]`,
		`{"_ng_rollout_id":"a/b","responses_create_params":{"input":"q"}}`: `"loc":["body","_ng_rollout_id"]`,
	} {
		res, err := g.client.Do(t.Context(), wire.Call{Server: "simple", Path: "/run", Body: []byte(row)})
		if err != nil || res.Status != 422 || !strings.Contains(string(res.Body), want) {
			t.Errorf("%s: got %v %v, want 422 with %s", row, res, err, want)
		}
	}
}

// TestErrorsNameServerAndCause is the agent's part of case GY-23.
func TestErrorsNameServerAndCause(t *testing.T) {
	tests := map[string]struct {
		environment builder
		model       model.Responder
		row         string
		want        []string
	}{
		"verify": {broken, turns{quoting}, `{` + asked + `}`, []string{"boom-42", "env answered 500 to POST /verify"}},
		"seed":   {sessionstate.Build, turns{quoting}, `{` + asked + `}`, []string{"env answered 422 to POST /seed_session", "initial_count"}},
		"model": {singletoolcall.Build, model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) {
			return nil, fmt.Errorf("boom-43")
		}), `{` + asked + `}`, []string{"boom-43", "policy answered 500 to POST /v1/responses"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := start(t, test.environment, test.model).run(t.Context(), t, test.row)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(test.want, "simple answered 500 to POST /run") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in the error: %v", want, err)
				}
			}
		})
	}
}

// TestOtherRoutes calls the agent as harnesses do.
func TestOtherRoutes(t *testing.T) {
	g := start(t, sessionstate.Build, turns{calling("increment_counter", `{"count":2}`), calling("get_counter_value", `{}`), quoting})
	post := func(path, body string, cookies wire.Cookies) *wire.Result {
		t.Helper()
		res, err := g.client.Do(t.Context(), wire.Call{Server: "simple", Path: path, Body: []byte(body), Cookies: cookies})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	t.Run("responses_keep_the_session", func(t *testing.T) {
		first := post("/v1/responses", `{"input":"q"}`, nil)
		names := first.Cookies.Names()
		for _, want := range []string{"Gym___simple", "Gym___env", "Gym___policy"} {
			if !slices.Contains(names, want) {
				t.Errorf("cookie %s is not on the reply: %v", want, names)
			}
		}
		second := post("/ng-rollout/0-1/training-token-capture/v1/responses", `{"input":"q"}`, first.Cookies)
		if !strings.Contains(string(second.Body), `the tool said {\"count\":4}`) {
			t.Errorf("got %d %s", second.Status, second.Body)
		}
	})
	t.Run("responses_are_strict", func(t *testing.T) {
		if res := post("/v1/responses", `{"input":"q","stop":"x"}`, nil); res.Status != 422 {
			t.Errorf("got %d %s", res.Status, res.Body)
		}
	})
	t.Run("aggregate_goes_to_the_environment", func(t *testing.T) {
		res := post("/aggregate_metrics", `{"verify_responses":[{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1}]}`, nil)
		if res.Status != 200 || !strings.Contains(string(res.Body), `"mean/reward":1`) {
			t.Errorf("got %d %s", res.Status, res.Body)
		}
		if res := post("/aggregate_metrics", `{}`, nil); res.Status != 500 || !strings.Contains(string(res.Body), "env answered 422") {
			t.Errorf("got %d %s", res.Status, res.Body)
		}
	})
}

// TestSessionIsClosed has the session of a rollout that does not come to its verdict closed, if its server wants to know
// (GO-05).
func TestSessionIsClosed(t *testing.T) {
	for name, ends := range map[string]bool{"the_caller_leaves": false, "scored": true} {
		t.Run(name, func(t *testing.T) {
			asking, closed := make(chan struct{}), make(chan string, 1)
			var session string
			g := start(t, func(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
				s := resources.New(in, logger)
				resources.Seed(s, func(_ context.Context, c resources.Call, _ struct{}) error { session = c.Session; return nil })
				resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
					return 1, struct{}{}, nil
				})
				resources.Close(s, func(_ context.Context, c resources.Call) error { closed <- c.Session; return nil })
				return s.Build()
			}, model.ResponderFunc(func(ctx context.Context, r *model.Request) (*wire.Reply, error) {
				if ends {
					return turns{func([]responses.Item) responses.Item { return responses.OutputMessage("m", "done") }}.Respond(ctx, r)
				}
				close(asking)
				<-ctx.Done()
				return nil, ctx.Err()
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if ends {
				if _, err := g.run(ctx, t, `{`+asked+`}`); err != nil {
					t.Fatal(err)
				}
				g.stop()
				if len(closed) > 0 {
					t.Error("the session of a rollout that was verified is closed")
				}
				return
			}
			go func() {
				<-asking
				cancel()
			}()
			if _, err := g.run(ctx, t, `{`+asked+`}`); err == nil {
				t.Error("the caller has an answer")
			}
			if got := <-closed; got != session {
				t.Errorf("%s is closed, want %s", got, session)
			}
			g.stop()
		})
	}
}

// TestCallerLeaves is case GO-05: the model call ends when the caller of /run goes away, and the spans end.
func TestCallerLeaves(t *testing.T) {
	spans := record(t, "all")
	asking, cancelled := make(chan struct{}), make(chan struct{})
	g := start(t, singletoolcall.Build, model.ResponderFunc(func(ctx context.Context, _ *model.Request) (*wire.Reply, error) {
		close(asking)
		<-ctx.Done()
		close(cancelled)
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
	<-cancelled
	g.stop()
	for _, name := range []string{semconv.SpanGymRollout, semconv.SpanGymAgentResponses, semconv.SpanGymModelResponses} {
		s := spans.One(t, name)
		if !strings.Contains(s.Message, "context canceled") {
			t.Errorf("%s ended with status %v %q", name, s.Status, s.Message)
		}
	}
}

// record turns telemetry on with the groups of spec until the test ends.
func record(t *testing.T, spec string) *lenstest.Recorder {
	t.Helper()
	rec := lenstest.Default(t)
	h, err := telemetry.Setup(context.Background(), telemetry.Config{Enabled: true, TracesEnabled: true, SpanGroups: spec},
		otelopt.WithSpanProcessor(rec.Processor()), otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rec
}

// assertOneTrace checks that all spans belong to one trace, and that no parent is missing.
func assertOneTrace(t *testing.T, rec *lenstest.Recorder) {
	t.Helper()
	known, spans := map[[8]byte]bool{{}: true}, rec.Spans()
	for _, s := range spans {
		known[s.Ref.SpanID] = true
	}
	for _, s := range spans {
		if s.Ref.TraceID != spans[0].Ref.TraceID || !known[s.Parent.SpanID] {
			t.Errorf("%s is in another trace, or has a parent that is missing:\n%s", s.Name, rec.Tree())
		}
	}
}

// drive makes one rollout as our driver does: gym.rollout, and its mark while it is recording.
func (g *gym) drive(t *testing.T, row string) {
	t.Helper()
	ctx, span := gymtelemetry.Rollout.Start(context.Background(), semconv.SpanGymRollout)
	defer span.End()
	if span.Recording() {
		var err error
		if ctx, err = lens.WithBaggage(ctx, semconv.GymRolloutID, "0-0"); err != nil {
			t.Fatal(err)
		}
	}
	if !lens.RefFrom(ctx).Valid() { // rollout is off: only the trace id is given
		ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", "lens=r")
		if err != nil {
			t.Fatal(err)
		}
		ctx = lens.WithParent(ctx, ref)
	}
	if _, err := g.run(ctx, t, row); err != nil {
		t.Fatal(err)
	}
}

// TestTraceOfOurDriver pins the tree of a rollout with one tool call and two turns.
func TestTraceOfOurDriver(t *testing.T) {
	tests := map[string]struct {
		spans int
		tree  string
	}{
		"default": {13, `gym.rollout
  HTTP POST (client)
    POST /run (server)
      HTTP POST (client)
        POST /seed_session (server)
      HTTP POST (client)
        POST /v1/responses (server)
      HTTP POST (client)
        POST /get_weather (server)
      HTTP POST (client)
        POST /v1/responses (server)
      HTTP POST (client)
        POST /verify (server)
`},
		"per_rollout": {18, `gym.rollout
  HTTP POST (client)
    POST /run (server)
      gym.agent.run
        HTTP POST (client)
          POST /seed_session (server)
        gym.agent.responses
          HTTP POST (client)
            POST /v1/responses (server)
              gym.model.responses
          HTTP POST (client)
            POST /get_weather (server)
          HTTP POST (client)
            POST /v1/responses (server)
              gym.model.responses
        HTTP POST (client)
          POST /verify (server)
            gym.verify
`},
		"rollout,verify": {2, `gym.rollout
  gym.verify
`},
		"verify,model_call": {3, `gym.model.responses
gym.model.responses
gym.verify
`},
	}
	for spec, test := range tests {
		t.Run(spec, func(t *testing.T) {
			spans := record(t, spec)
			g := start(t, singletoolcall.Build, turns{calling("get_weather", `{"city":"Oslo"}`), quoting})
			g.drive(t, `{`+asked+`}`)
			g.stop()
			spans.AssertTree(t, test.tree)
			assertOneTrace(t, spans)
			if n := len(spans.Spans()); n != test.spans {
				t.Errorf("%d spans, want %d", n, test.spans)
			}
		})
	}
}

// TestTraceOfAnotherDriver has the agent open gym.rollout itself, with what it knows.
func TestTraceOfAnotherDriver(t *testing.T) {
	const indexes = `"_ng_task_index":7,"_ng_rollout_index":2,"_ng_attempt_index":1,`
	known := func(more map[string]any) map[string]any {
		all := map[string]any{
			semconv.GymServerName: "simple", semconv.GymRolloutID: "7-2-a1", semconv.GymTaskIndex: int64(7), semconv.GymRolloutIndex: int64(2),
			semconv.GymRolloutAttempt: int64(1), semconv.GymAgentName: "simple", semconv.GymEnvironmentName: "env",
		}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	check := func(t *testing.T, s lenstest.Span, want map[string]any) {
		t.Helper()
		got := maps.Clone(s.Attrs)
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%s is %v, want %v", k, got[k], v)
			}
			delete(got, k)
		}
		if len(got) > 0 {
			t.Errorf("further attributes: %v", got)
		}
	}
	t.Run("scored", func(t *testing.T) {
		spans := record(t, "per_rollout")
		g := start(t, sessionstate.Build, turns{calling("increment_counter", `{"count":1}`), quoting})
		if _, err := g.run(t.Context(), t, `{`+indexes+`"initial_count":0,"expected_count":5,`+asked+`}`); err != nil {
			t.Fatal(err)
		}
		g.stop()
		rollout := spans.One(t, semconv.SpanGymRollout)
		check(t, rollout, known(map[string]any{
			semconv.GymRolloutReward: 0.0, semconv.GymRolloutOutcome: semconv.OutcomeScored, semconv.GymRolloutTurns: int64(2),
			semconv.GymRolloutToolCalls: int64(1), semconv.GenAIUsageInputTokens: int64(20), semconv.GenAIUsageOutputTokens: int64(4),
		}))
		if rollout.Message != "" {
			t.Errorf("a reward of 0 is an error: %v %q", rollout.Status, rollout.Message)
		}
		for _, s := range spans.Spans() {
			if s.Name == semconv.SpanGymModelResponses {
				check(t, s, map[string]any{semconv.GymServerName: "policy", semconv.GymRolloutID: "7-2-a1",
					semconv.GenAIUsageInputTokens: int64(10), semconv.GenAIUsageOutputTokens: int64(2)})
			}
		}
		check(t, spans.One(t, semconv.SpanGymVerify), map[string]any{semconv.GymServerName: "env", semconv.GymRolloutID: "7-2-a1"})
		if want := "  POST /run (server)\n    gym.rollout\n      HTTP POST (client)\n        POST /seed_session (server)\n"; !strings.Contains(spans.Tree(), want) {
			t.Errorf("got\n%s", spans.Tree())
		}
	})
	t.Run("failed", func(t *testing.T) {
		spans := record(t, "all")
		g := start(t, broken, turns{quoting})
		if _, err := g.run(t.Context(), t, `{`+indexes+asked+`}`); err == nil {
			t.Fatal("no error")
		}
		g.stop()
		rollout := spans.One(t, semconv.SpanGymRollout)
		check(t, rollout, known(map[string]any{semconv.GymRolloutOutcome: semconv.OutcomeFailed, semconv.GymFailureClass: semconv.FailureAgentRun}))
		if text := rollout.Message; !strings.Contains(text, "env answered 500 to POST /verify") || strings.Contains(text, "boom-42") {
			t.Errorf("the status says %q", text)
		}
	})
	t.Run("judge_failed", func(t *testing.T) {
		spans := record(t, "all")
		g := start(t, judgeless, turns{quoting})
		reply, err := g.run(t.Context(), t, `{`+indexes+asked+`}`)
		if class, _ := reply.String("_ng_failure_class"); err != nil || class != semconv.FailureJudge {
			t.Fatalf("got %s, %v", reply.AppendTo(nil), err)
		}
		g.stop()
		got := spans.One(t, semconv.SpanGymRollout).Attrs
		if got[semconv.GymRolloutOutcome] != semconv.OutcomeFailed || got[semconv.GymFailureClass] != semconv.FailureJudge || got[semconv.GymRolloutReward] != nil {
			t.Errorf("got %v", got)
		}
	})
}
