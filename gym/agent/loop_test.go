package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// script is a run without a network: the model gives its answers in order, tools answer by name.
type script struct {
	answers []string                                // of the model; the last one is repeated
	tools   map[string]*wire.Result                 // by path; others answer 404
	fail    map[string]error                        // by path: no answer comes
	calls   []wire.Call                             // what was called
	cookies func(server string, n int) wire.Cookies // what the n-th call sets
	turns   int
}

func (s *script) Do(_ context.Context, call wire.Call) (*wire.Result, error) {
	s.calls = append(s.calls, call)
	if err := s.fail[call.Path]; err != nil {
		return nil, err
	}
	res := &wire.Result{Status: 404, Body: []byte(`{"detail":"Not Found"}`)}
	if call.Server == "policy" {
		answer := s.answers[min(s.turns, len(s.answers)-1)]
		s.turns++
		res = &wire.Result{Status: 200, Body: []byte(answer)}
	} else if r := s.tools[call.Path]; r != nil {
		copied := *r
		res = &copied
	}
	if s.cookies != nil {
		res.Cookies = s.cookies(call.Server, len(s.calls))
	}
	return res, nil
}

// of returns the bodies of the calls to path.
func (s *script) of(path string) []string {
	var out []string
	for _, c := range s.calls {
		if c.Path == path {
			out = append(out, string(c.Body))
		}
	}
	return out
}

func answer(members string, items ...string) string {
	return `{"id":"r","created_at":1,"model":"m","object":"response","output":[` + strings.Join(items, ",") +
		`],"parallel_tool_calls":true,"tool_choice":"auto","tools":[]` + members + `}`
}

const (
	message   = `{"id":"m1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}`
	reasoning = `{"type":"reasoning","id":"rs","summary":[],"future":12345678901234567890}`
)

func call(id, name, arguments string) string {
	return string(responses.FunctionCall("f"+id, id, name, arguments).AppendTo(nil))
}

func newAgent(t *testing.T, c Caller, maxSteps int) *Agent {
	t.Helper()
	s := Settings{Peers: Peers{Resources: Ref{Name: "tools"}, Model: Ref{Name: "policy"}}}
	if maxSteps > 0 {
		s.MaxSteps = &maxSteps
	}
	a, err := New("simple", s, c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// answers is the loop for a request that names no rollout.
func (a *Agent) answers(ctx context.Context, params responses.CreateParams, cookies wire.Cookies) (*trajectory, error) {
	t := a.begin(ctx, "", cookies)
	return t, a.respond(ctx, params, t)
}

func params(t *testing.T, body string) responses.CreateParams {
	t.Helper()
	p, err := responses.ParseCreateParams(jsontext.Value(body))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ok(body string) *wire.Result { return &wire.Result{Status: 200, Body: []byte(body)} }

func TestLoop(t *testing.T) {
	weather := map[string]*wire.Result{"/weather": ok(`{"cold":true}`)}
	tests := map[string]struct {
		answers  []string
		maxSteps int
		turns    int
		tools    []string // bodies of calls to /weather
		output   []string // types of the new items
	}{
		"answer_at_once": {[]string{answer("", message)}, 0, 1, nil, []string{"message"}},
		"tool_then_answer": {[]string{answer("", call("1", "weather", `{}`)), answer("", message)}, 0, 2,
			[]string{`{}`}, []string{"function_call", "function_call_output", "message"}},
		"a_message_beside_a_call_does_not_end": {[]string{answer("", message, call("1", "weather", `{}`)), answer("", message)}, 0, 2,
			[]string{`{}`}, []string{"message", "function_call", "function_call_output", "message"}},
		"calls_in_order": {[]string{answer("", call("1", "weather", `1`), call("2", "weather", `[2]`)), answer("", message)}, 0, 2,
			[]string{`1`, `[2]`}, []string{"function_call", "function_call", "function_call_output", "function_call_output", "message"}},
		"incomplete_ends_and_calls_nothing": {[]string{answer(`,"incomplete_details":{"reason":"max_output_tokens"}`, reasoning, call("1", "weather", `{}`))}, 0, 1,
			nil, []string{"reasoning", "function_call"}},
		"null_incomplete_details": {[]string{answer(`,"incomplete_details":null`, call("1", "weather", `{}`)), answer("", message)}, 0, 2,
			[]string{`{}`}, []string{"function_call", "function_call_output", "message"}},
		"reasoning_alone_asks_again": {[]string{answer("", reasoning), answer(""), answer("", reasoning, message)}, 0, 3,
			nil, []string{"reasoning", "reasoning", "message"}},
		"a_message_of_somebody_else_asks_again": {[]string{answer("", `{"type":"message","role":"user","content":"x"}`), answer("", message)}, 0, 2,
			nil, []string{"message", "message"}},
		"max_steps_is_looked_at_after_the_tools": {[]string{answer("", call("1", "weather", `{}`))}, 1, 1,
			[]string{`{}`}, []string{"function_call", "function_call_output"}},
		"max_steps_counts_model_calls": {[]string{answer("", call("1", "weather", `{}`), call("2", "weather", `{}`))}, 2, 2,
			[]string{`{}`, `{}`, `{}`, `{}`}, []string{"function_call", "function_call", "function_call_output", "function_call_output",
				"function_call", "function_call", "function_call_output", "function_call_output"}},
		"max_steps_above_what_it_takes": {[]string{answer("", message)}, 9, 1, nil, []string{"message"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &script{answers: test.answers, tools: weather}
			got, err := newAgent(t, s, test.maxSteps).answers(t.Context(), params(t, `{"input":"q"}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.turns != test.turns || s.turns != test.turns {
				t.Errorf("got %d turns, %d model calls, want %d", got.turns, s.turns, test.turns)
			}
			if diff := cmp.Diff(test.tools, s.of("/weather")); diff != "" {
				t.Error(diff)
			}
			items, err := got.response.Output()
			if err != nil {
				t.Fatal(err)
			}
			var types []string
			for _, item := range items {
				types = append(types, item.Type())
			}
			if diff := cmp.Diff(test.output, types); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLoopSends looks at the bytes that the model gets: what was set, as it was set, and the items so far.
func TestLoopSends(t *testing.T) {
	first := call("1", "weather", `{ "n":1 }`)
	s := &script{answers: []string{answer("", reasoning, first), answer("", message)}, tools: map[string]*wire.Result{"/weather": ok("hello \"you\"")}}
	unknown := `{"type":"compaction","id":"c","encrypted_content":"AA","ids":[12345678901234567890,1e3]}`
	got, err := newAgent(t, s, 0).answers(t.Context(),
		params(t, `{"temperature":null,"input":[{"role":"user","content":"q"},`+unknown+`],"metadata":{"a":"b"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := `{"temperature":null,"input":[{"role":"user","content":"q"},` + unknown
	output := `{"type":"function_call_output","call_id":"1","output":"hello \"you\""}`
	want := []string{
		begin + `],"metadata":{"a":"b"}}`,
		begin + `,` + reasoning + `,` + first + `,` + output + `],"metadata":{"a":"b"}}`,
	}
	if diff := cmp.Diff(want, s.of("/v1/responses")); diff != "" {
		t.Error(diff)
	}
	if want := answer("", reasoning, first, output, message); string(got.response.AppendTo(nil)) != want {
		t.Errorf("got  %s\nwant %s", got.response.AppendTo(nil), want)
	}

	t.Run("text_becomes_a_user_message", func(t *testing.T) {
		s := &script{answers: []string{answer("", message)}}
		if _, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{`{"input":[{"role":"user","content":"q"}]}`}, s.of("/v1/responses")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("empty_input", func(t *testing.T) {
		s := &script{answers: []string{answer("", reasoning), answer("", message)}}
		if _, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":[]}`), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{`{"input":[]}`, `{"input":[` + reasoning + `]}`}, s.of("/v1/responses")); diff != "" {
			t.Error(diff)
		}
	})
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMalformedArguments is case LL-01.
func TestMalformedArguments(t *testing.T) {
	s := &script{answers: []string{read(t, "llm-malformed-tool-args.response.json"), answer("", message)}}
	got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.of("/my_tool")); n != 0 {
		t.Errorf("the tool was called %d times", n)
	}
	items, _ := got.response.Output()
	if len(items) != 3 {
		t.Fatalf("got %d items, want 3", len(items))
	}
	output, _ := items[1].String("output")
	if want := `{"error":"Invalid tool call arguments: '{not json'"}`; items[1].CallID() != "call_1" || output != want {
		t.Errorf("got %s for %s, want %s", output, items[1].CallID(), want)
	}
	for _, arguments := range []string{"", " ", "{} {}", "it's\n\"so\"", `{"a":1,"a":2}`, "NaN"} {
		o, err := responses.ParseObject([]byte(invalidArguments(arguments)))
		if text, ok := o.String("error"); err != nil || !ok || !strings.HasPrefix(text, "Invalid tool call arguments: '") {
			t.Errorf("%q: %v, %q", arguments, err, text)
		}
		s := &script{answers: []string{answer("", call("1", "t", arguments)), answer("", message)}}
		if _, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil); err != nil || len(s.of("/t")) != 0 {
			t.Errorf("%q: %v, the tool was called with %q", arguments, err, s.of("/t"))
		}
	}
}

// TestArgumentsKeepTheirBytes is case LL-21.
func TestArgumentsKeepTheirBytes(t *testing.T) {
	s := &script{answers: []string{read(t, "llm-bigint-args.response.json"), answer("", message)}, tools: map[string]*wire.Result{"/t": ok("{}")}}
	got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":9223372036854775807,"x":1.0,"y":1e3}`
	if diff := cmp.Diff([]string{want}, s.of("/t")); diff != "" {
		t.Error(diff)
	}
	items, _ := got.response.Output()
	if items[0].Arguments() != want {
		t.Errorf("stored are %s", items[0].Arguments())
	}
}

// TestToolErrorsAreAnswers is case LL-27.
func TestToolErrorsAreAnswers(t *testing.T) {
	large := strings.Repeat("x", 3<<20)
	tests := map[string]struct {
		result *wire.Result
		want   string
	}{
		"500":       {&wire.Result{Status: 500, Body: []byte("boom")}, "boom"},
		"404":       {nil, `{"detail":"Not Found"}`},
		"422":       {&wire.Result{Status: 422, Body: []byte(`{"detail":[{"type":"missing"}]}`)}, `{"detail":[{"type":"missing"}]}`},
		"empty_200": {&wire.Result{Status: 200}, ""},
		"large":     {&wire.Result{Status: 200, Body: []byte(large)}, large},
		"no_utf8":   {&wire.Result{Status: 200, Body: []byte("a\xffb")}, "a\uFFFDb"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &script{answers: []string{answer("", call("1", "t", `{}`)), answer("", message)}, tools: map[string]*wire.Result{"/t": test.result}}
			got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			items, _ := got.response.Output()
			output, _ := items[1].String("output")
			if output != test.want || got.turns != 2 {
				t.Errorf("the output has %d bytes, want %d; %d turns", len(output), len(test.want), got.turns)
			}
		})
	}
}

// TestRoutesAreNoTools keeps the model from what only the agent may call.
func TestRoutesAreNoTools(t *testing.T) {
	for _, name := range []string{"verify", "seed_session", "close_session", "aggregate_metrics", "reverify_mode", "mcp",
		"ng-rollout/1-0/verify", "ng-rollout/1-0/training-token-capture/verify", "/verify", "verify/", "./verify", "x/../verify"} {
		s := &script{answers: []string{answer("", call("1", name, `{}`)), answer("", message)}, tools: map[string]*wire.Result{"/" + name: ok("{}")}}
		got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		items, _ := got.response.Output()
		if output, _ := items[1].String("output"); output != `{"detail":"Not Found"}` || len(s.of("/"+name)) != 0 {
			t.Errorf("%s: the output is %s, %d calls", name, output, len(s.of("/"+name)))
		}
	}
}

// TestUsage is case LL-07: counts add up, a turn without usage changes nothing.
func TestUsage(t *testing.T) {
	usage := func(in, out, total int) string {
		return fmt.Sprintf(`,"usage":{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, in, out, total)
	}
	s := &script{answers: []string{answer(usage(1, 2, 3), reasoning), answer(`,"usage":null`, reasoning), answer(usage(100, 200, 300), message)}}
	got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := got.response.Usage()
	if err != nil || u.InputTokens() != 101 || u.OutputTokens() != 202 || u.TotalTokens() != 303 {
		t.Errorf("got %v, %v", u, err)
	}
	t.Run("the_last_turn_has_none", func(t *testing.T) {
		s := &script{answers: []string{answer(usage(1, 2, 3), reasoning), answer(`,"usage":null`, message)}}
		got, err := newAgent(t, s, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := got.response.Usage(); err != nil || u.TotalTokens() != 3 {
			t.Errorf("got %v, %v", u, err)
		}
	})
}

func TestLoopFails(t *testing.T) {
	refused := errors.New("connection refused")
	tests := map[string]struct {
		script *script
		want   string
	}{
		"no_answer_of_the_model": {&script{fail: map[string]error{"/v1/responses": refused}}, "cannot ask the model: connection refused"},
		"answer_is_no_json":      {&script{answers: []string{"<html>"}}, `cannot read the answer of model server "policy"`},
		"answer_is_no_response":  {&script{answers: []string{"{}"}}, "Field required"},
		"usage_is_no_usage":      {&script{answers: []string{answer(`,"usage":{"input_tokens":"x"}`, message)}}, "input_tokens"},
		"no_answer_of_a_tool": {&script{answers: []string{answer("", call("1", "t", `{}`))}, fail: map[string]error{"/t": refused}},
			`cannot call tool "t": connection refused`},
		"model_gave_up": {&script{answers: []string{answer(`,"status":"failed","error":{"code":"server_error","message":"boom-42"}`)}},
			`model server "policy" gave up: status failed, code "server_error", message "boom-42"`},
		"silent_for_ever": {&script{answers: []string{answer("", reasoning)}}, `model server "policy" answered 100 times in a row`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newAgent(t, test.script, 0).answers(t.Context(), params(t, `{"input":"q"}`), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s in it", err, test.want)
			}
			if test.script.turns > DefaultMaxSilent {
				t.Errorf("the model was asked %d times", test.script.turns)
			}
		})
	}
}

// TestCookies follows the two sessions through a loop: each goes only to its own server, and the newest wins.
func TestCookies(t *testing.T) {
	s := &script{answers: []string{answer("", call("1", "t", `{}`), call("2", "t", `{}`)), answer("", message)}}
	s.cookies = func(server string, n int) wire.Cookies {
		if n == 3 {
			return nil // a reply without cookies leaves what there was
		}
		return wire.Cookies{fmt.Sprintf("Gym___%s=%d", server, n)}
	}
	a := newAgent(t, s, 0)
	inbound := wire.Cookies{`Gym___simple="own"`, "Server___tools=0==", "Gym___policy=old", "balancer=x"}
	got, err := a.answers(t.Context(), params(t, `{"input":"q"}`), a.resourcesCookies(inbound))
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, c := range s.calls {
		sent = append(sent, c.Server+": "+strings.Join(c.Cookies, "; "))
	}
	want := []string{"policy: ", "tools: Server___tools=0==; balancer=x", "tools: Gym___tools=2", "policy: Gym___policy=1"}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(wire.Cookies{"Gym___tools=2"}, got.resources); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(wire.Cookies{"Gym___policy=4"}, got.model); diff != "" {
		t.Error(diff)
	}
}

func TestCookieOwner(t *testing.T) {
	a, err := New("b", Settings{Peers: Peers{Resources: Ref{Name: "a___b"}, Model: Ref{Name: "c"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for cookie, want := range map[string]string{"Gym___a___b": "a___b", "Gym___b": "b", "X___c": "c", "c": "a___b", "": "a___b"} {
		if got := a.owner(cookie); got != want {
			t.Errorf("%q belongs to %q, want %q", cookie, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	zero := 0
	bad := Peers{CallTimeout: -1}
	_, simple := New("x", Settings{Peers: bad, MaxSteps: &zero, MaxSilent: &zero, SkipVerificationReward: math.Inf(1)}, nil)
	_, gymnasium := NewGymnasium("x", GymnasiumSettings{Peers: bad, MaxSteps: &zero, SkipVerification: true}, nil)
	both := []string{`agent "x"`, "resources_server.name", "model_server.name", "call_timeout_seconds is -1", "max_steps is 0"}
	for _, c := range []struct {
		err  error
		says []string
	}{
		{simple, append([]string{"max_silent_steps is 0", "skip_verification_reward is +Inf"}, both...)},
		{gymnasium, append([]string{"skip_verification is true"}, both...)},
	} {
		for _, want := range c.says {
			if c.err == nil || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%q is not in the error: %v", want, c.err)
			}
		}
	}
}

// TestMaxSilent bounds a model that never says anything, at the default and where the setting has it.
func TestMaxSilent(t *testing.T) {
	three := 3
	for name, set := range map[string]*int{"default": nil, "set": &three} {
		s := &script{answers: []string{answer("", reasoning)}}
		a, err := New("simple", Settings{Peers: Peers{Resources: Ref{Name: "tools"}, Model: Ref{Name: "policy"}}, MaxSilent: set}, s)
		if err != nil {
			t.Fatal(err)
		}
		want := DefaultMaxSilent
		if set != nil {
			want = *set
		}
		if _, err := a.answers(t.Context(), params(t, `{"input":"q"}`), nil); err == nil || s.turns != want || !strings.Contains(err.Error(), "max_silent_steps") {
			t.Errorf("%s: %d model calls, want %d; %v", name, s.turns, want, err)
		}
	}
}

func TestRolloutID(t *testing.T) {
	tests := map[string]struct {
		row, want string
		bad       bool
	}{
		"none":         {`{}`, "", false},
		"indexes":      {`{"_ng_task_index":7,"_ng_rollout_index":2}`, "7-2", false},
		"retry":        {`{"_ng_task_index":7,"_ng_rollout_index":2,"_ng_attempt_index":1}`, "7-2-a1", false},
		"first_try":    {`{"_ng_task_index":7,"_ng_rollout_index":2,"_ng_attempt_index":0}`, "7-2", false},
		"one_index":    {`{"_ng_task_index":7}`, "", false},
		"explicit":     {`{"_ng_rollout_id":"x.y_z-1","_ng_task_index":7,"_ng_rollout_index":2}`, "x.y_z-1", false},
		"explicit_try": {`{"_ng_rollout_id":"x","_ng_attempt_index":3}`, "x-a3", false},
		"null":         {`{"_ng_rollout_id":null,"_ng_task_index":0,"_ng_rollout_index":0}`, "0-0", false},
		"malformed":    {`{"_ng_rollout_id":"../x"}`, "", true},
		"empty":        {`{"_ng_rollout_id":""}`, "", true},
		"no_text":      {`{"_ng_rollout_id":3}`, "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := responses.ParseObject([]byte(test.row))
			if err != nil {
				t.Fatal(err)
			}
			got, bad := rolloutID(o)
			if got != test.want || (len(bad) > 0) != test.bad {
				t.Errorf("got %q, %v", got, bad)
			}
		})
	}
}

func BenchmarkLoop(b *testing.B) {
	s := &script{tools: map[string]*wire.Result{"/weather": ok(`{"cold":true}`)}}
	for range 10 {
		s.answers = append(s.answers, answer("", reasoning, call("1", "weather", `{"city":"sf"}`)))
	}
	s.answers = append(s.answers, answer("", message))
	a, err := New("simple", Settings{Peers: Peers{Resources: Ref{Name: "tools"}, Model: Ref{Name: "policy"}}}, s)
	if err != nil {
		b.Fatal(err)
	}
	p, err := responses.ParseCreateParams([]byte(`{"input":"q"}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.turns, s.calls = 0, s.calls[:0]
		if err := a.loop(context.Background(), p, &trajectory{}); err != nil {
			b.Fatal(err)
		}
	}
}
