package resources_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

type cityInput struct {
	City string `json:"city"`
}

type taskRow struct {
	Want int `json:"want"`
}

type extras struct {
	Near    bool     `json:"near"`
	Missing []string `json:"missing"`
}

func instance() *config.Instance {
	return &config.Instance{Name: "env", Type: config.TypeResources}
}

// newServer is a server with a tool of every outcome and a verification that returns what the row wants.
func newServer(t *testing.T) *wire.Server {
	t.Helper()
	s := resources.New(instance(), slog.New(slog.DiscardHandler))
	resources.Tool(s, "weather", func(_ context.Context, _ resources.Call, in cityInput) (map[string]string, error) {
		return map[string]string{"city": in.City}, nil
	})
	resources.Tool(s, "boom", func(context.Context, resources.Call, struct{}) (any, error) {
		return nil, errors.New("boom-42")
	})
	resources.Tool(s, "teapot", func(context.Context, resources.Call, struct{}) (any, error) {
		return nil, &wire.HTTPError{Status: 418, Detail: "short and stout"}
	})
	resources.Tool(s, "text", func(context.Context, resources.Call, []int) (*wire.Reply, error) {
		return &wire.Reply{ContentType: "text/plain", Body: []byte("plain")}, nil
	})
	resources.Tool(s, "full", func(context.Context, resources.Call, struct{}) (any, error) {
		return nil, fmt.Errorf("no: %w", resources.ErrSessionsFull)
	})
	resources.Verify(s, func(_ context.Context, v resources.Verification[taskRow]) (float64, extras, error) {
		if v.Row.Want == 99 {
			return math.NaN(), extras{}, nil
		}
		return float64(v.Row.Want) / 2, extras{Near: len(v.Calls()) == 1}, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func post(t *testing.T, h http.Handler, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	return w
}

func TestRoutes(t *testing.T) {
	server := newServer(t)
	tests := map[string]struct {
		path, body string
		status     int
		want       string // the whole body, or with a * at its end its beginning
	}{
		"tool":                     {"/weather", `{"city":"sf"}`, 200, `{"city":"sf"}`},
		"tool_behind_prefix":       {"/ng-rollout/0-1/weather", `{"city":"sf"}`, 200, `{"city":"sf"}`},
		"missing_argument":         {"/weather", `{}`, 422, `{"detail":[{"type":"missing","loc":["body","city"],"msg":"Field required","input":{}}]}`},
		"mistyped_argument":        {"/weather", `{"city":7}`, 422, `{"detail":[{"type":"string_type","loc":["body","city"],"msg":"Input should be a valid string","input":7}]}`},
		"arguments_no_object":      {"/weather", `"sf"`, 422, `{"detail":[{"type":"model_attributes_type",*`},
		"unknown_tool":             {"/wether", `{}`, 404, `{"detail":"Not Found"}`},
		"tool_error":               {"/boom", `{}`, 500, `"env cannot serve POST /boom: boom-42"`},
		"tool_status":              {"/teapot", `{}`, 418, `{"detail":"short and stout"}`},
		"tool_text":                {"/text", `[1]`, 200, `plain`},
		"sessions_full":            {"/full", `{}`, 503, `{"detail":"no: too many sessions in use"}`},
		"seed_takes_any_object":    {"/seed_session", `{"a":{"b":1}}`, 200, `{}`},
		"seed_takes_no_list":       {"/seed_session", `[]`, 422, `{"detail":[*`},
		"aggregate":                {"/aggregate_metrics", `{"verify_responses":[{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1.0},{"_ng_task_index":1,"_ng_rollout_index":0,"reward":0.0}]}`, 200, `{"group_level_metrics":*`},
		"aggregate_nothing":        {"/aggregate_metrics", `{"verify_responses":[]}`, 200, `{"group_level_metrics":[],"agent_metrics":{},"key_metrics":{}}`},
		"aggregate_without_rows":   {"/aggregate_metrics", `{}`, 422, `{"detail":[{"type":"missing","loc":["body","verify_responses"],*`},
		"aggregate_with_wrong_row": {"/aggregate_metrics", `{"verify_responses":[{},3]}`, 422, `{"detail":[{"type":"value_error","loc":["body","verify_responses",1],*`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := post(t, server, test.path, test.body)
			want, isPrefix := strings.CutSuffix(test.want, "*")
			got := w.Body.String()
			if w.Code != test.status || isPrefix && !strings.HasPrefix(got, want) || !isPrefix && got != want {
				t.Errorf("got %d %s\nwant %d %s", w.Code, got, test.status, test.want)
			}
			if c := w.Header().Get("Set-Cookie"); !strings.HasPrefix(c, "Gym___env=") {
				t.Errorf("the session is not on the reply: Set-Cookie is %q", c)
			}
		})
	}
	t.Run("wrong_method", func(t *testing.T) {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("GET", "/weather", nil))
		if w.Code != 405 {
			t.Errorf("got %d", w.Code)
		}
	})
}

func TestAggregateMeans(t *testing.T) {
	w := post(t, newServer(t), "/aggregate_metrics",
		`{"verify_responses":[{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1.0,"near":true},{"_ng_task_index":1,"_ng_rollout_index":0,"reward":0.5,"near":false}]}`)
	var report struct {
		Agent map[string]float64 `json:"agent_metrics"`
		Key   map[string]float64 `json:"key_metrics"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if report.Agent["mean/reward"] != 0.75 || report.Agent["mean/near"] != 0.5 || report.Key["mean/reward"] != 0.75 {
		t.Errorf("got %s", w.Body)
	}
}

func TestReverifyMode(t *testing.T) {
	for _, mode := range []resources.ReverifyMode{"", resources.ReverifyStateless, resources.ReverifyUnsupported} {
		s := resources.New(instance(), nil)
		if mode != "" {
			s.Reverify(mode)
		} else {
			mode = resources.ReverifyUnknown
		}
		resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (r float64, m struct{}, err error) { return })
		server, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("GET", "/reverify_mode", nil))
		if want := `"` + string(mode) + `"`; w.Code != 200 || w.Body.String() != want {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
		}
	}
}

const (
	askedJSON    = `{"input":"q","temperature":null,"parallel_tool_calls":true}`
	answeredJSON = `{"id":"r","created_at":1,"model":"m","object":"response","output":[{"type":"function_call","call_id":"c","name":"t","arguments":"{}","n":9007199254740993}],"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"x":{"y":1e3}}`
)

func TestVerify(t *testing.T) {
	server := newServer(t)
	tests := map[string]struct {
		body   string
		status int
		want   []string // parts of the body
	}{
		"echo_and_reward": {
			`{"responses_create_params":` + askedJSON + `,"want":2,"note":"row's own","response":` + answeredJSON + `}`, 200,
			[]string{`{"responses_create_params":` + askedJSON + `,"response":` + answeredJSON + `,"reward":1,"near":true,"missing":[]}`},
		},
		"fraction": {
			`{"responses_create_params":` + askedJSON + `,"want":1,"response":` + answeredJSON + `}`, 200,
			[]string{`"reward":0.5,`},
		},
		"everything_missing": {`{}`, 422, []string{
			`"loc":["body","responses_create_params"]`, `"loc":["body","response"]`, `"loc":["body","want"]`,
		}},
		"unknown_param": {
			`{"responses_create_params":{"input":"q","stop":"x"},"want":1,"response":` + answeredJSON + `}`, 422,
			[]string{`"loc":["body","responses_create_params","stop"]`},
		},
		"response_of_no_form": {
			`{"responses_create_params":` + askedJSON + `,"want":1,"response":{"output":[{}]}}`, 422,
			[]string{`"loc":["body","response","id"]`, `"loc":["body","response","output",0,"type"]`},
		},
		"response_of_no_kind": {
			`{"responses_create_params":3,"want":1,"response":3}`, 422,
			[]string{`"loc":["body","response"]`, `"loc":["body","responses_create_params"]`},
		},
		"not_json": {`{`, 422, []string{`"json_invalid"`}},
		"reward_not_finite": {
			`{"responses_create_params":` + askedJSON + `,"want":99,"response":` + answeredJSON + `}`, 500,
			[]string{"cannot answer with reward NaN"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := post(t, server, "/verify", test.body)
			if w.Code != test.status {
				t.Errorf("got status %d, want %d: %s", w.Code, test.status, w.Body)
			}
			for _, part := range test.want {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("got %s\nwant in it %s", w.Body, part)
				}
			}
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	s := resources.New(&config.Instance{Name: "no name"}, nil)
	nothing := func(context.Context, resources.Call, struct{}) (any, error) { return nil, nil }
	for _, name := range []string{"verify", "mcp", "", "a b", "a/b", strings.Repeat("x", 65), "ok", "ok"} {
		resources.Tool(s, name, nothing)
	}
	resources.Tool(s, "channel", func(context.Context, resources.Call, chan int) (any, error) { return nil, nil })
	_, err := s.Build()
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for _, want := range []string{
		`"no name"`, `tool "verify"`, `tool "mcp"`, `tool ""`, `tool "a b"`, `tool "a/b"`, "1 to 64", `"POST /ok" is there twice`,
		"tool channel", "it has no Verify",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error: %v", want, err)
		}
	}
	t.Run("second_result", func(t *testing.T) {
		s := resources.New(instance(), nil)
		resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (r float64, m int, err error) { return })
		resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (r float64, m struct {
			Reward int `json:"reward"`
		}, err error) {
			return
		})
		_, err := s.Build()
		if err == nil || !strings.Contains(err.Error(), "returns a int") || !strings.Contains(err.Error(), `member "reward"`) {
			t.Errorf("got %v", err)
		}
	})
}

// Example is an environment that says hello and rewards whoever was polite.
func Example() {
	s := resources.New(&config.Instance{Name: "hello"}, nil)
	resources.Tool(s, "greet", func(_ context.Context, _ resources.Call, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "hello " + in.Name, nil
	})
	resources.Verify(s, func(_ context.Context, v resources.Verification[struct{}]) (float64, struct{}, error) {
		return resources.Reward(strings.Contains(v.Response.Text(), "please")), struct{}{}, nil
	})
	server, err := s.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/greet", strings.NewReader(`{"name":"Ada"}`)))
	fmt.Println(w.Code, w.Body)

	var answer responses.Response
	for name, value := range map[string]string{"id": `"r"`, "created_at": "1", "model": `"m"`, "object": `"response"`,
		"parallel_tool_calls": "true", "tool_choice": `"auto"`, "tools": "[]"} {
		answer.Set(name, []byte(value))
	}
	answer.SetOutput([]responses.Item{responses.AssistantMessage("please")})
	var body responses.Object
	body.Set("responses_create_params", []byte(`{"input":"hi"}`))
	body.Set("response", answer.AppendTo(nil))
	w = httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/verify", strings.NewReader(string(body.AppendTo(nil)))))
	reply, err := responses.ParseObject(w.Body.Bytes())
	reward, _ := reply.Float("reward")
	fmt.Println(w.Code, reward, err)
	// Output:
	// 200 "hello Ada"
	// 200 1 <nil>
}
