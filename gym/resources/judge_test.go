package resources_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// judgeCaller answers the calls of a judge.
type judgeCaller func(ctx context.Context, call wire.Call) (*wire.Result, error)

func (f judgeCaller) Do(ctx context.Context, call wire.Call) (*wire.Result, error) {
	return f(ctx, call)
}

// says is a judge's answer with one message.
func says(text string) *wire.Result {
	return &wire.Result{Status: 200, Body: []byte(`{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":false,` +
		`"tool_choice":"auto","tools":[],"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}]}`)}
}

// good reads "good" and "bad".
func good(answer responses.Response) (bool, error) {
	switch text := answer.Text(); text {
	case "good", "bad":
		return text == "good", nil
	default:
		return false, fmt.Errorf("%q is neither good nor bad", text)
	}
}

func question(t *testing.T) responses.CreateParams {
	t.Helper()
	p, err := responses.ParseCreateParams([]byte(`{"input":"is it good?"}`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// judged is a server whose rollouts are scored by one question to a judge.
func judged(t *testing.T, caller resources.Caller, o resources.JudgeOptions) *wire.Server {
	t.Helper()
	judges := resources.NewJudges(caller, o, good)
	s := resources.New(instance(), nil)
	resources.Verify(s, func(ctx context.Context, _ resources.Verification[struct{}]) (float64, struct{}, error) {
		verdict, err := judges.Judge(ctx, "judge_model", question(t))
		if err != nil {
			return 0, struct{}{}, fmt.Errorf("cannot score: %w", err)
		}
		return resources.Reward(verdict.Value), struct{}{}, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

const rollout = `{"responses_create_params":{"input":"q"},"big":12345678901234567890,"response":{"id":"r","created_at":1,"model":"m","object":"response",` +
	`"parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[]}}`

func TestJudge(t *testing.T) {
	failed := `,"reward":0,"_ng_failure_class":"judge_failed","_ng_failure_judge_error":"`
	tests := map[string]struct {
		answer *wire.Result
		err    error
		want   string
	}{
		"yes":         {says("good"), nil, `"reward":1}`},
		"no":          {says("bad"), nil, `"reward":0}`},
		"status":      {&wire.Result{Status: 500, Body: []byte(`"boom-42"`)}, nil, failed + "StatusError: "},
		"unreachable": {nil, errors.New("connection refused"), failed + `ConnectionError: connection refused"}`},
		"too_late":    {nil, fmt.Errorf("judge_model: %w", context.DeadlineExceeded), failed + "TimeoutError: judge_model: "},
		"no_response": {&wire.Result{Status: 200, Body: []byte(`{"id":1}`)}, nil, failed + "ResponseError: cannot read the answer of judge_model: "},
		"no_verdict":  {says("hm"), nil, failed + `VerdictError: cannot read the verdict of judge_model: \"hm\" is neither good nor bad"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := judged(t, judgeCaller(func(_ context.Context, call wire.Call) (*wire.Result, error) {
				if call.Server != "judge_model" || call.Path != "/v1/responses" || string(call.Body) != `{"input":"is it good?"}` || call.Timeout != time.Minute {
					t.Errorf("the call is %+v", call)
				}
				return test.answer, test.err
			}), resources.JudgeOptions{Timeout: time.Minute})
			w := post(t, server, "/verify", rollout)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant 200 with %s", w.Code, w.Body, test.want)
			}
			if strings.Contains(test.want, "judge_failed") && !strings.HasPrefix(w.Body.String(), strings.TrimSuffix(rollout, "}")) {
				t.Errorf("the request is not echoed: %s", w.Body)
			}
		})
	}
}

// TestJudgeErrorByTheEnvironment has the environment itself say that its judge is of no use.
func TestJudgeErrorByTheEnvironment(t *testing.T) {
	s := resources.New(instance(), nil)
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, &resources.JudgeError{Kind: "EmptyPanel", Err: errors.New("nobody came")}
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	if w := post(t, server, "/verify", rollout); w.Code != 200 || !strings.Contains(w.Body.String(), `"_ng_failure_judge_error":"EmptyPanel: nobody came"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// TestJudgeOfACapturedRollout has the judge's call captured with the rollout's own.
func TestJudgeOfACapturedRollout(t *testing.T) {
	server := judged(t, judgeCaller(func(_ context.Context, call wire.Call) (*wire.Result, error) {
		if call.Path != "/ng-rollout/3-1/v1/responses" {
			t.Errorf("the path is %s", call.Path)
		}
		return says("good"), nil
	}), resources.JudgeOptions{})
	if w := post(t, server, "/ng-rollout/3-1/verify", rollout); w.Code != 200 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// TestVerifyEndsWithItsCaller is case GO-05 where it concerns resources servers: when the caller of /verify leaves, so does
// the call of the judge, and nobody calls that a failed judge. The next one gets the place.
func TestVerifyEndsWithItsCaller(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan error, 1)
	calls := 0
	server := judged(t, judgeCaller(func(ctx context.Context, _ wire.Call) (*wire.Result, error) {
		if calls++; calls > 1 {
			return says("good"), nil
		}
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}), resources.JudgeOptions{MaxConcurrent: 1})

	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/verify", strings.NewReader(rollout)))
		answered <- w
	}()
	<-began
	waiting, stopWaiting := context.WithCancel(t.Context())
	stopWaiting()
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequestWithContext(waiting, "POST", "/verify", strings.NewReader(rollout)))
	if w.Code != 499 || calls != 1 {
		t.Errorf("a caller that left while it waited for its turn got %d, after %d calls", w.Code, calls)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the judge's call ended with %v", err)
	}
	if w := <-answered; w.Code != 499 || strings.Contains(w.Body.String(), "judge_failed") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := post(t, server, "/verify", rollout); !strings.Contains(w.Body.String(), `"reward":1}`) {
		t.Errorf("the next one got %d %s", w.Code, w.Body)
	}
}
