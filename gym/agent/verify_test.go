package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// runs has a simple agent with the settings take one row through an arena.
func (a *arena) runs(t *testing.T, s Settings, row string) (reply string) {
	t.Helper()
	s.Resources, s.Model = Ref{Name: "env"}, Ref{Name: "policy"}
	agent, err := New("simple", s, a)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := agent.serveRun(t.Context(), &wire.Request{Body: []byte(row)})
	if err != nil {
		t.Fatal(err)
	}
	return string(answer.Body)
}

func TestSkipVerification(t *testing.T) {
	a := &arena{answers: map[string][]string{"/seed_session": {"{}"}, "/v1/responses": {answer(usage, message)}}}
	got := a.runs(t, Settings{SkipVerification: true, SkipVerificationReward: 0.25}, `{"secret":[1e3],"responses_create_params":{"input":"q"}}`)
	if a.paths() != "seed_session v1/responses" {
		t.Errorf("the calls are %s", a.paths())
	}
	o, err := responses.ParseObject([]byte(got))
	if err != nil {
		t.Fatal(err)
	}
	params, _ := o.Sub("responses_create_params")
	if params.Len() != 23 {
		t.Errorf("the params are %s", params.AppendTo(nil))
	}
	o.Delete("responses_create_params")
	want := `{"secret":[1e3],"response":` + answer(usage, message) + `,"reward":0.25,"verification_skipped":true}`
	if text := string(o.AppendTo(nil)); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// What stands at the top of a configuration holds for agents that do not say otherwise, and those sum up by themselves.
func TestSkipVerificationSettings(t *testing.T) {
	graph, err := config.Decode([]byte(`{"skip_verification":true,"skip_verification_reward":0.25,` +
		`"skips":{"responses_api_agents":{"simple_agent":{"resources_server":{"name":"env"},"model_server":{"name":"policy"}}}},` +
		`"verifies":{"responses_api_agents":{"simple_agent":{"skip_verification":false,"resources_server":{"name":"env"},"model_server":{"name":"policy"}}}},` +
		`"plays":{"responses_api_agents":{"gymnasium_agent":{"resources_server":{"name":"env"},"model_server":{"name":"policy"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	env := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"from":"` + r.URL.Path + `"}`))
	}))
	defer env.Close()
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"env": env.URL}})
	defer client.Close()
	for name, test := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"skips":    {`{"verify_responses":[{"_ng_task_index":0,"_ng_rollout_index":0,"reward":0.25}]}`, 200, `"mean/reward":0.25`},
		"verifies": {`{"verify_responses":[]}`, 200, `{"from":"/aggregate_metrics"}`},
		"plays":    {`{"verify_responses":[]}`, 200, `{"from":"/aggregate_metrics"}`},
	} {
		build := Build
		if name == "plays" {
			build = BuildGymnasium
		}
		server, err := build(graph.Instance(name), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		post := func(body string) (int, string) {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/aggregate_metrics", strings.NewReader(body)))
			return w.Code, w.Body.String()
		}
		if status, got := post(test.body); status != test.status || !strings.Contains(got, test.says) {
			t.Errorf("%s: got %d %s", name, status, got)
		}
		if name != "skips" {
			continue
		}
		for body, want := range map[string]string{`{}`: `["body","verify_responses"]`, `{"verify_responses":{}}`: "list_type",
			`{"verify_responses":[7]}`: `["body","verify_responses",0]`, `nothing`: "json_invalid"} {
			if status, got := post(body); status != 422 || !strings.Contains(got, want) {
				t.Errorf("%s: got %d %s, want %s", body, status, got, want)
			}
		}
	}
}

// A verdict that nothing can be made of is a failure: without a reward, and without what the model said, which would be lost.
func TestVerify_refused(t *testing.T) {
	for verdict, want := range map[string]string{
		`[]`:                           "it is an array",
		`{"response":{},"reward":"x"}`: "no reward that is a number",
		`{"reward":1}`:                 "it has no response, so what the model said would be lost",
	} {
		a := &arena{answers: map[string][]string{"/seed_session": {"{}"}, "/v1/responses": {answer("", message)}, "/verify": {verdict}}}
		agent, err := New("simple", Settings{Peers: Peers{Resources: Ref{Name: "env"}, Model: Ref{Name: "policy"}}}, a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agent.serveRun(t.Context(), &wire.Request{Body: []byte(`{"responses_create_params":{"input":"q"}}`)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", verdict, err, want)
		}
	}
}

// With observability every call says in its path which rollout it is of; without it none does.
func TestRolloutPaths(t *testing.T) {
	const row = `{"_ng_task_index":3,"_ng_rollout_index":1,"_ng_attempt_index":2,"responses_create_params":{"input":"q"}}`
	for name, test := range map[string]struct {
		on   bool
		row  string
		want string
	}{
		"on":              {true, row, "@seed_session @v1/responses @t @v1/responses @verify"},
		"off":             {false, row, "seed_session v1/responses t v1/responses verify"},
		"without an id":   {true, `{"responses_create_params":{"input":"q"}}`, "seed_session v1/responses t v1/responses verify"},
		"id of their own": {true, `{"_ng_rollout_id":"x.1","responses_create_params":{"input":"q"}}`, strings.ReplaceAll("@seed_session @v1/responses @t @v1/responses @verify", "@", "ng-rollout/x.1/")},
	} {
		a := &arena{answers: map[string][]string{}}
		for _, prefix := range []string{"", "/ng-rollout/3-1-a2", "/ng-rollout/x.1"} {
			a.answers[prefix+"/seed_session"], a.answers[prefix+"/verify"] = []string{"{}"}, []string{`{"response":{},"reward":1}`}
			a.answers[prefix+"/t"] = []string{"{}"}
			a.answers[prefix+"/v1/responses"] = []string{answer("", call("1", "t", `{}`)), answer("", message)}
		}
		a.runs(t, Settings{Peers: Peers{Observability: test.on}}, test.row)
		if want := strings.ReplaceAll(test.want, "@", "ng-rollout/3-1-a2/"); a.paths() != want {
			t.Errorf("%s: the calls are %s, want %s", name, a.paths(), want)
		}
	}
	t.Run("gymnasium", func(t *testing.T) {
		const prefix = "/ng-rollout/3-1-a2"
		a := &arena{answers: map[string][]string{prefix + "/reset": {closing}, prefix + "/v1/responses": {answer("", message)},
			prefix + "/step": {over}, prefix + "/close": {"{}"}}}
		if _, err := a.serve(t.Context(), t, GymnasiumSettings{Peers: Peers{Observability: true}}, row, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// A request that came by a rollout's path is handed on by it, and a captured one as captured.
func TestRolloutPathsOfRequests(t *testing.T) {
	for path, test := range map[string]struct {
		on   bool
		want string
	}{
		"/v1/responses":                                       {true, "v1/responses"},
		"/ng-rollout/9-0/v1/responses":                        {false, "ng-rollout/9-0/v1/responses"},
		"/ng-rollout/9-0/training-token-capture/v1/responses": {true, "ng-rollout/9-0/training-token-capture/v1/responses"},
	} {
		a := &arena{answers: map[string][]string{"/" + test.want: {answer("", message)}}}
		simple, err := New("simple", Settings{Peers: Peers{Ref{"env"}, Ref{"policy"}, 0, test.on}}, a)
		if err != nil {
			t.Fatal(err)
		}
		gymnasium, err := NewGymnasium("player", GymnasiumSettings{Peers: Peers{Ref{"env"}, Ref{"policy"}, 0, test.on}}, a)
		if err != nil {
			t.Fatal(err)
		}
		for name, handler := range map[string]wire.HandlerFunc{"simple": simple.serveResponses, "gymnasium": gymnasium.serveResponses} {
			server, err := wire.NewServer(wire.ServerOptions{Name: "agent"})
			if err != nil {
				t.Fatal(err)
			}
			server.Handle(RouteResponses, handler)
			a.calls, a.taken = nil, nil
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"input":"q"}`)))
			if w.Code != 200 || a.paths() != test.want {
				t.Errorf("%s, %s: %d, the calls are %s, want %s", name, path, w.Code, a.paths(), test.want)
			}
			told := strings.Contains(w.Body.String(), `"_ng_trajectory"`)
			if want := name == "simple" && test.on && path != "/v1/responses"; told != want {
				t.Errorf("%s, %s: a trajectory is there: %v", name, path, told)
			}
		}
	}
}

// The members are those of the Python agent's ng_trajectory, schema 1.0; times are taken out.
func TestTrajectory(t *testing.T) {
	prefix := "/ng-rollout/3-1"
	a := &arena{answers: map[string][]string{
		prefix + "/seed_session": {"{}"}, prefix + "/verify": {`{"response":{},"reward":1,"resolved":true}`}, prefix + "/good": {"fine"}, prefix + "/bad": {"500"},
		prefix + "/v1/responses": {answer("", reasoning, call("1", "good", `{}`), call("2", "bad", `{}`), call("3", "good", `{`)), answer("", message)},
	}}
	got := a.runs(t, Settings{Peers: Peers{Observability: true}}, `{"_ng_task_index":3,"_ng_rollout_index":1,"responses_create_params":{"input":"q"}}`)
	o, err := responses.ParseObject([]byte(got))
	if err != nil {
		t.Fatal(err)
	}
	trajectory, ok := o.Sub("ng_trajectory")
	if !ok || o.Has("_ng_trajectory") {
		t.Fatalf("there is none in %s", got)
	}
	for _, body := range a.bodies(prefix + "/verify") {
		if response, _ := body.Sub("response"); response.Has("_ng_trajectory") {
			t.Error("it went to /verify")
		}
	}
	turns, _ := trajectory.Array("turns")
	tools, _ := trajectory.Array("tool_calls")
	var lines []string
	for _, v := range turns {
		turn, _ := responses.View(v)
		if at, ok := turn.Float("timestamp"); !ok || at <= 0 {
			t.Errorf("a turn is without its time: %s", v)
		}
		turn.Delete("timestamp")
		lines = append(lines, string(turn.AppendTo(nil)))
	}
	for _, v := range tools {
		tool, _ := responses.View(v)
		from, _ := tool.Float("started_at")
		to, _ := tool.Float("completed_at")
		took, ok := tool.Float("duration_ms")
		if !ok || took < 0 || from <= 0 || to < from {
			t.Errorf("a call is without its times: %s", v)
		}
		for _, name := range []string{"started_at", "completed_at", "duration_ms"} {
			tool.Delete(name)
		}
		lines = append(lines, string(tool.AppendTo(nil)))
	}
	trajectory.Delete("turns")
	trajectory.Delete("tool_calls")
	lines = append(lines, string(trajectory.AppendTo(nil)))

	ref := `{"model_call_id":null,"model_ref":{"type":"responses_api_models","name":"policy"},"response_id":"r"}`
	calls := call("1", "good", `{}`) + `,` + call("2", "bad", `{}`) + `,` + call("3", "good", `{`)
	invalid := `{\"error\":\"Invalid tool call arguments: '{'\"}`
	outputs := `{"type":"function_call_output","call_id":"1","output":"fine"},{"type":"function_call_output","call_id":"2","output":"boom-46"},` +
		`{"type":"function_call_output","call_id":"3","output":"` + invalid + `"}`
	asked := `{"role":"user","content":"q"}`
	turn := func(number, question, answer, reasoning, resolved, steps string) string {
		return `{"invocation_id":"root","task_id":"3","rollout_id":"3-1","turn_no":` + number + `,"question":[` + question + `],"answer":[` + answer +
			`],"reasoning_content":` + reasoning + `,"resolved":` + resolved + `,"step_count":` + steps + `,"model_calls":[` + ref + `]}`
	}
	tool := func(id, name, status, failure, output string) string {
		return `{"kind":"tool_call","invocation_id":"root","tool_call_id":"` + id + `","sandbox_id":null,"tool_name":"` + name +
			`","timing_source":"executor","status":"` + status + `","error_type":` + failure + `,"output":"` + output + `"}`
	}
	all := asked + `,` + reasoning + `,` + calls + `,` + outputs
	want := []string{
		turn("1", asked, calls, "["+reasoning+"]", "null", "3"),
		turn("2", all, message, "null", "true", "3"),
		tool("1", "good", "completed", "null", "fine"), tool("2", "bad", "failed", `"http_500"`, "boom-46"), tool("3", "good", "failed", `"invalid_arguments"`, invalid),
		`{"schema_version":"1.0","task_id":"3","rollout_id":"3-1","invocations":[{"kind":"agent_invocation","invocation_id":"root","parent_invocation_id":null,` +
			`"spawned_by_tool_call_id":null,"status":"completed","duration_ms":null,"error_type":null,"model_calls":[` + ref + `,` + ref + `],"conversation":[` +
			all + `,` + message + `]}],"model_calls":[],"gaps":[]}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// What an agent could not see is said in the trajectory.
func TestTrajectoryGaps(t *testing.T) {
	one := 1
	prefix := "/ng-rollout/3-1"
	a := &arena{answers: map[string][]string{
		prefix + "/seed_session": {"{}"}, prefix + "/verify": {`{"response":{},"reward":1}`}, prefix + "/t": {"{}"},
		prefix + "/v1/responses": {strings.Replace(answer("", call("1", "t", `{}`)), `"id":"r"`, `"id":""`, 1)},
	}}
	got := a.runs(t, Settings{Peers: Peers{Observability: true}, MaxSteps: &one},
		`{"problem_id":"p","_ng_task_index":3,"_ng_rollout_index":1,"responses_create_params":{"input":"q"}}`)
	for _, want := range []string{`"task_id":"p"`, `"status":"incomplete"`, `{"code":"model_call_reference_unavailable","invocation_id":"root","detail":null}`,
		`{"code":"resolution_unavailable","invocation_id":"root","detail":null}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
