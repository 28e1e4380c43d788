package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// arena is an environment and a model without a network: each route gives its answers in order, and the last one again.
type arena struct {
	answers map[string][]string // by path; "lost" is no answer, a number a status
	calls   []wire.Call
	called  func(ctx context.Context, path string) // before each answer; may be nil
	taken   map[string]int
}

func (a *arena) Do(ctx context.Context, call wire.Call) (*wire.Result, error) {
	a.calls = append(a.calls, call)
	if a.called != nil {
		a.called(ctx, call.Path)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if a.taken == nil {
		a.taken = map[string]int{}
	}
	list := a.answers[call.Path]
	text := list[min(a.taken[call.Path], len(list)-1)]
	a.taken[call.Path]++
	if text == "lost" {
		return nil, errors.New("EOF")
	}
	res := &wire.Result{Status: 200, Body: []byte(text)}
	if _, err := fmt.Sscanf(text, "%d", &res.Status); err == nil {
		res.Body = []byte("boom-46")
	}
	res.Cookies = wire.Cookies{fmt.Sprintf("Gym___%s=%d", call.Server, len(a.calls))}
	if call.Path == "/reset" {
		res.Cookies = append(res.Cookies, "route=r")
	}
	return res, nil
}

// paths are the calls in order.
func (a *arena) paths() string {
	var out []string
	for _, c := range a.calls {
		out = append(out, strings.TrimPrefix(c.Path, "/"))
	}
	return strings.Join(out, " ")
}

func (a *arena) bodies(path string) (out []responses.Object) {
	for _, c := range a.calls {
		if c.Path == path {
			o, _ := responses.ParseObject(c.Body)
			out = append(out, o)
		}
	}
	return out
}

// serve has a gymnasium agent take one row through the arena.
func (a *arena) serve(ctx context.Context, t *testing.T, s GymnasiumSettings, row string, cookies wire.Cookies) (responses.Object, error) {
	t.Helper()
	s.Resources, s.Model = Ref{Name: "env"}, Ref{Name: "policy"}
	g, err := NewGymnasium("player", s, a)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := g.serveRun(ctx, &wire.Request{Body: []byte(row), Cookies: cookies})
	if err != nil {
		return responses.Object{}, err
	}
	o, err := responses.ParseObject(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return o, nil
}

const (
	closing = `{"observation":null,"info":{"supports_explicit_close":true,"supports_step_idempotency":true}}`
	goOn    = `{"observation":"next","reward":0.25,"terminated":false,"truncated":false,"info":{}}`
	over    = `{"observation":"not read","reward":0.5,"terminated":true,"truncated":false,"info":{"result":"win","big":12345678901234567890}}`
	usage   = `,"usage":{"input_tokens":10,"output_tokens":2,"total_tokens":12}`
)

func TestGymnasium(t *testing.T) {
	a := &arena{answers: map[string][]string{
		"/reset":        {`{"observation":"Your hand.","info":{}}`},
		"/v1/responses": {answer(usage, call("1", "look", `{}`)), answer(usage, message)},
		"/step": {`{"observation":"next","reward":0.25,"info":{"tool_outputs":[{"call_id":"1","output":"seen"},{"call_id":"2","output":[{"type":"input_text","text":"a"}]}]}}`,
			over},
	}}
	got, err := a.serve(t.Context(), t, GymnasiumSettings{}, `{"responses_create_params":{"input":"q"},"secret":7}`,
		wire.Cookies{"auth=x", "Gym___env=old", "Gym___policy=no", "Gym___player=no"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "reset v1/responses step v1/responses step"; a.paths() != want {
		t.Errorf("the calls are %s, want %s", a.paths(), want)
	}

	outputs := `{"type":"function_call_output","call_id":"1","output":"seen"},{"type":"function_call_output","call_id":"2","output":[{"type":"input_text","text":"a"}]}`
	asked := `{"role":"user","content":"q"},{"role":"user","content":"Your hand.","type":"message"}`
	then := call("1", "look", `{}`) + `,` + outputs + `,{"role":"user","content":"next","type":"message"}`
	var bodies []string
	for _, c := range a.calls {
		if c.Server == "policy" {
			bodies = append(bodies, string(c.Body))
		}
	}
	if diff := cmp.Diff([]string{`{"input":[` + asked + `]}`, `{"input":[` + asked + `,` + then + `]}`}, bodies); diff != "" {
		t.Error(diff)
	}

	steps := a.bodies("/step")
	for i, item := range []string{call("1", "look", `{}`), message} {
		response, _ := steps[i].Get("response")
		if string(response) != answer(usage, item) || steps[i].Has("_ng_step_request_id") {
			t.Errorf("step %d has %s", i, steps[i].AppendTo(nil))
		}
		if n, _ := steps[i].Int("secret"); n != 7 {
			t.Errorf("step %d does not have the row", i)
		}
		params, _ := steps[i].Sub("responses_create_params")
		if input, _ := params.String("input"); input != "q" || params.Len() != 23 {
			t.Errorf("step %d has the params %s", i, params.AppendTo(nil))
		}
	}

	var cookies []wire.Cookies
	for _, c := range a.calls {
		cookies = append(cookies, c.Cookies)
	}
	if diff := cmp.Diff([]wire.Cookies{
		{"auth=x", "Gym___env=old"}, nil, {"auth=x", "Gym___env=1", "route=r"}, {"Gym___policy=2"}, {"auth=x", "Gym___env=3", "route=r"},
	}, cookies); diff != "" {
		t.Errorf("the cookies of the calls: %s", diff)
	}

	params, _ := got.Sub("responses_create_params")
	if input, _ := params.Get("input"); string(input) != `[`+asked+`]` || params.Len() != 23 {
		t.Errorf("the result has the params %s", params.AppendTo(nil))
	}
	got.Delete("responses_create_params")
	want := `{"response":` + answer(`,"usage":{"input_tokens":20,"output_tokens":4,"total_tokens":24}`, then, message) +
		`,"reward":0.75,"terminated":true,"truncated":false,"info":{"result":"win","big":12345678901234567890}}`
	if text := string(got.AppendTo(nil)); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestGymnasiumEnds(t *testing.T) {
	three := 3
	for name, test := range map[string]struct {
		steps     []string
		max       *int
		turns     int
		truncated bool
		reward    float64
		last      string // role of the last item of the output
	}{
		"by the environment":       {[]string{goOn, over}, nil, 2, false, 0.75, "assistant"},
		"cut by the environment":   {[]string{goOn, `{"truncated":true}`}, nil, 2, true, 0.25, "assistant"},
		"after max_steps":          {[]string{goOn}, &three, 3, true, 0.75, "user"},
		"after the default":        {[]string{goOn}, nil, DefaultMaxSteps, true, 2.5, "user"},
		"at once, with no members": {[]string{`{"terminated":true}`}, nil, 1, false, 0, "assistant"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &arena{answers: map[string][]string{"/reset": {`{}`}, "/v1/responses": {answer("", message)}, "/step": test.steps}}
			got, err := a.serve(t.Context(), t, GymnasiumSettings{MaxSteps: test.max}, `{"responses_create_params":{"input":[]}}`, nil)
			if err != nil {
				t.Fatal(err)
			}
			reward, _ := got.Float("reward")
			truncated, _ := got.Bool("truncated")
			if reward != test.reward || truncated != test.truncated || a.taken["/v1/responses"] != test.turns || a.taken["/step"] != test.turns {
				t.Errorf("got %s", a.paths())
				t.Errorf("reward %v, truncated %v", reward, truncated)
			}
			response, _ := got.Sub("response")
			items, err := responses.Response{Object: response}.Output()
			if err != nil {
				t.Fatal(err)
			}
			if role := items[len(items)-1].Role(); role != test.last {
				t.Errorf("the last item is of %s, want %s", role, test.last)
			}
		})
	}
}

// An environment that wants to know hears of the end, whatever the end is (GO-05).
func TestGymnasiumCloses(t *testing.T) {
	const row = `{"responses_create_params":{"input":"q"}}`
	for name, test := range map[string]struct {
		reset, model, step string
		calls              string
		says               string // of the error; "" is none
	}{
		"after the last step":      {closing, answer("", message), over, "reset v1/responses step close", ""},
		"not when it did not ask":  {`{"info":{"supports_explicit_close":"yes"}}`, answer("", message), over, "reset v1/responses step", ""},
		"after an error of model":  {closing, "500", over, "reset v1/responses close", "cannot ask the model"},
		"after an error of step":   {closing, answer("", message), "409", "reset v1/responses step close", "cannot take step 1"},
		"after a step that is odd": {closing, answer("", message), `{"reward":"x"}`, "reset v1/responses step close", "reward is"},
		"after a reset that is odd": {`{"observation":7,"info":{"supports_explicit_close":true}}`, answer("", message), over, "reset close",
			"observation is 7: it must be a string or null"},
		"not after a reset that failed": {"500", "", "", "reset", "cannot begin the episode"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &arena{answers: map[string][]string{"/reset": {test.reset}, "/v1/responses": {test.model}, "/step": {test.step}, "/close": {"{}"}}}
			_, err := a.serve(t.Context(), t, GymnasiumSettings{}, row, nil)
			if a.paths() != test.calls {
				t.Errorf("the calls are %s, want %s", a.paths(), test.calls)
			}
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q in it", err, test.says)
			}
		})
	}
	t.Run("after the caller left", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &arena{answers: map[string][]string{"/reset": {closing}, "/v1/responses": {answer("", message)}, "/close": {"{}"}}}
		a.called = func(ctx context.Context, path string) {
			switch path {
			case "/v1/responses":
				cancel()
			case "/close":
				if _, bounded := ctx.Deadline(); ctx.Err() != nil || !bounded {
					t.Errorf("the call is made with %v, bounded: %v", ctx.Err(), bounded)
				}
			}
		}
		if _, err := a.serve(ctx, t, GymnasiumSettings{}, row, nil); !errors.Is(err, context.Canceled) || a.paths() != "reset v1/responses close" {
			t.Errorf("got %v, calls %s", err, a.paths())
		}
	})
	for name, test := range map[string]struct{ close, kind string }{"refused": {"500", "http_500"}, "lost": {"lost", "no_answer"}} {
		t.Run("in vain, "+name, func(t *testing.T) {
			a := &arena{answers: map[string][]string{"/reset": {closing}, "/v1/responses": {answer("", message)}, "/step": {over}, "/close": {test.close}}}
			got, err := a.serve(t.Context(), t, GymnasiumSettings{}, row, nil)
			if err != nil {
				t.Fatal(err)
			}
			info, _ := got.Sub("info")
			warning, _ := info.Sub("cleanup_warning")
			operation, _ := warning.String("operation")
			kind, _ := warning.String("error_type")
			text, _ := warning.String("message")
			if result, _ := info.String("result"); result != "win" || operation != "close" || kind != test.kind || !strings.Contains(text, "cannot close the environment") {
				t.Errorf("info is %s", info.AppendTo(nil))
			}
			a = &arena{answers: map[string][]string{"/reset": {closing}, "/v1/responses": {"503"}, "/close": {test.close}}}
			_, err = a.serve(t.Context(), t, GymnasiumSettings{}, row, nil)
			if err == nil || !strings.Contains(err.Error(), "cannot ask the model") || !strings.Contains(err.Error(), "cannot close the environment") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A step whose answer was lost is sent again to environments that take it once, and to no other (GY-09).
func TestGymnasiumStepsAgain(t *testing.T) {
	for name, test := range map[string]struct {
		reset string
		steps []string
		sent  int
		good  bool
	}{
		"lost once":            {closing, []string{"lost", over}, 2, true},
		"lost for good":        {closing, []string{"lost"}, stepTries, false},
		"refused":              {closing, []string{"500", over}, 1, false},
		"not taken once":       {`{}`, []string{"lost", over}, 1, false},
		"another id each step": {closing, []string{goOn, over}, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := &arena{answers: map[string][]string{"/reset": {test.reset}, "/v1/responses": {answer("", message)}, "/step": test.steps, "/close": {"{}"}}}
			_, err := a.serve(t.Context(), t, GymnasiumSettings{}, `{"responses_create_params":{"input":"q"}}`, nil)
			if sent := a.taken["/step"]; sent != test.sent || (err == nil) != test.good {
				t.Errorf("%d steps were sent, want %d; %v", sent, test.sent, err)
			}
			var ids []string
			for _, body := range a.bodies("/step") {
				id, _ := body.String("_ng_step_request_id")
				ids = append(ids, id)
			}
			slices.Sort(ids)
			different := len(slices.Compact(ids))
			if want := 1 + a.taken["/v1/responses"] - 1; different != want || test.reset == closing && len(ids[0]) != 32 {
				t.Errorf("%d ids for %d steps: %q", different, want, ids)
			}
		})
	}
}

func TestReadStepRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"observation":[]}`:                               "observation is []: it must be a string or null",
		`{"reward":null}`:                                  "reward is null: it must be a number",
		`{"terminated":1,"truncated":"no"}`:                "truncated is \"no\": it must be true or false",
		`{"info":[]}`:                                      "info is []: it must be an object",
		`{"info":{"tool_outputs":{}}}`:                     "info.tool_outputs is {}: it must be a list",
		`{"info":{"tool_outputs":[{"call_id":"1"}]}}`:      "info.tool_outputs[0] is",
		`{"info":{"tool_outputs":[{"output":"1"}]}}`:       "info.tool_outputs[0] is",
		`{"info":{"tool_outputs":[7]}}`:                    "info.tool_outputs[0] is 7",
		`{"reward":"` + strings.Repeat("long", 100) + `"}`: "of 402 bytes",
	} {
		o, err := responses.ParseObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readStep(o); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%s: got %v, want %q in it", text, err, want)
		}
	}
	o, _ := responses.ParseObject([]byte(`{"observation":null,"info":null}`))
	if s, err := readStep(o); err != nil || s.over() || len(s.items) != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
}
