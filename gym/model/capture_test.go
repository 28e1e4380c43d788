package model_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/wire"
)

// watcher looks, when the server answers, at the file that must be there by then.
type watcher struct {
	*httptest.ResponseRecorder
	file  string
	found bool
}

func (w *watcher) WriteHeader(status int) {
	b, err := os.ReadFile(w.file)
	w.found = err == nil && strings.HasSuffix(string(b), "}\n")
	w.ResponseRecorder.WriteHeader(status)
}

func TestServerCaptures(t *testing.T) {
	folder := filepath.ToSlash(t.TempDir())
	g, err := config.Decode([]byte(`{"observability_enabled":true,"model_call_capture_dir":"` + folder + `","policy":{"responses_api_models":{"openai_model":{"entrypoint":"app.py"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	respond := func(context.Context, *model.Request) (*wire.Reply, error) {
		return &wire.Reply{Body: []byte(said)}, nil
	}
	s, err := model.NewServer(g.Instance("policy"), model.ResponderFunc(func(ctx context.Context, r *model.Request) (*wire.Reply, error) { return respond(ctx, r) }), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	calls := func(id string) []capture.ModelCall {
		r, err := capture.Read(folder, id)
		if err != nil {
			t.Fatal(err)
		}
		return r.Calls
	}
	const chatBody = `{"model":"mine","messages":[{"role":"user","content":"q"}],"stream":true}`
	for i, request := range [][3]string{{"/v1/responses", `{"input":"q"}`, "responses"}, {"/v1/chat/completions", chatBody, "chat"}, {"/v1/messages", chatBody, "messages"}} {
		w := &watcher{ResponseRecorder: httptest.NewRecorder(), file: filepath.Join(folder, "3-1.capture.jsonl")}
		s.ServeHTTP(w, httptest.NewRequest("POST", "/ng-rollout/3-1"+request[0], strings.NewReader(request[1])))
		post(s, request[0], request[1]) // of no rollout
		if !w.found || len(calls("3-1")) != i+1 {
			t.Fatalf("%s was answered before it was captured: %d %s", request[0], w.Code, w.Body)
		}
		c := calls("3-1")[i]
		if *c.Dialect != request[2] || *c.Status != 200 || c.Error != nil || string(c.Request) != request[1] || *c.TokensIn != 3 || len(c.ToolCalls) != 1 || (c.FirstByte != nil) != (i > 0) {
			t.Errorf("captured %+v", c)
		}
	}

	left, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i, failure := range []struct {
		err      error
		status   int64 // 0: none
		category string
	}{
		{&model.EndpointError{Status: 429, Err: &wire.StatusError{Status: 429}}, 429, capture.RateLimit},
		{&model.EndpointError{Status: 504, Err: context.DeadlineExceeded}, 504, capture.Timeout},
		{&wire.HTTPError{Status: 404, Detail: "x"}, 404, capture.NotFound},
		{errors.New("boom"), 500, capture.Exception},
		{context.Canceled, 0, capture.Cancelled},
	} {
		respond = func(context.Context, *model.Request) (*wire.Reply, error) {
			if failure.status == 0 {
				cancel()
			}
			return nil, failure.err
		}
		r := httptest.NewRequest("POST", "/ng-rollout/3-2/v1/responses", strings.NewReader(`{"input":"q"}`))
		s.ServeHTTP(httptest.NewRecorder(), r.WithContext(left))
		got := calls("3-2")
		if len(got) != i+1 {
			t.Fatalf("%d calls are captured, want %d", len(got), i+1)
		}
		c := got[i]
		if *c.Error != failure.category || c.Status != nil && *c.Status != failure.status || c.Status == nil && failure.status != 0 || c.ResponseRaw == nil {
			t.Errorf("%v was captured as %s, status %v", failure.err, *c.Error, c.Status)
		}
	}
	if got := calls("rollout"); len(got) != 0 {
		t.Errorf("calls of no rollout were captured: %+v", got)
	}
}

// TestManyAtOnce holds as many calls under way as a big run has.
func TestManyAtOnce(t *testing.T) {
	const many = 16_000
	var arrived atomic.Int64
	all := make(chan struct{})
	m, err := model.NewVLLM(model.VLLMSettings{BaseURL: model.URLs{"http://h/v1"}, Model: "m"}, callerFunc(func(ctx context.Context, c wire.Call) (*wire.Result, error) {
		if arrived.Add(1) == many {
			close(all)
		}
		select {
		case <-all:
			return &wire.Result{Status: http.StatusOK, Body: []byte(completed)}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range many {
		group.Go(func() {
			if _, err := m.Respond(t.Context(), request(t)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
