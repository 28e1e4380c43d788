package model_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// script answers calls one after the other, the last answer for ever.
type script struct {
	mu      sync.Mutex
	calls   []wire.Call
	answers []func(ctx context.Context) (*wire.Result, error)
}

func (s *script) Do(ctx context.Context, c wire.Call) (*wire.Result, error) {
	s.mu.Lock()
	s.calls = append(s.calls, c)
	next := s.answers[min(len(s.calls), len(s.answers))-1]
	s.mu.Unlock()
	return next(ctx)
}

type step = func(context.Context) (*wire.Result, error)

func status(code int, header ...string) step {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return func(context.Context) (*wire.Result, error) {
		return &wire.Result{Status: code, Header: h, Body: []byte("busy")}, nil
	}
}

func good(context.Context) (*wire.Result, error) {
	return &wire.Result{Status: 200, Body: []byte(answered)}, nil
}

func reset(context.Context) (*wire.Result, error) { return nil, errors.New("connection reset by peer") }

func hang(ctx context.Context) (*wire.Result, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestAskAgain(t *testing.T) {
	tests := map[string]struct {
		settings model.EndpointSettings
		answers  []step
		tries    int
		status   int           // of the error; 0: it is answered
		from, to time.Duration // how long it takes
	}{
		"at_once":               {answers: []step{good}, tries: 1},
		"refused_for_a_while":   {answers: []step{status(429), status(500), status(502), status(503), status(504), status(520), status(529), good}, tries: 8, from: 30 * time.Second, to: 62 * time.Second},
		"connection_lost":       {answers: []step{reset, good}, tries: 2, from: 250 * time.Millisecond, to: 500 * time.Millisecond},
		"told_how_long":         {answers: []step{status(429, "Retry-After", "7"), good}, tries: 2, from: 7 * time.Second, to: 8750 * time.Millisecond},
		"told_milliseconds":     {answers: []step{status(429, "Retry-After-Ms", "40", "Retry-After", "9"), good}, tries: 2, from: 40 * time.Millisecond, to: 50 * time.Millisecond},
		"told_a_date":           {answers: []step{status(503, "Retry-After", time.Date(2000, 1, 1, 0, 1, 0, 0, time.UTC).Format(http.TimeFormat)), good}, tries: 2, from: time.Minute, to: 75 * time.Second},
		"told_nonsense":         {answers: []step{status(503, "Retry-After", "-NaN"), good}, tries: 2, from: 250 * time.Millisecond, to: 500 * time.Millisecond},
		"told_too_long":         {answers: []step{status(429, "Retry-After", "7200"), good}, tries: 1, status: 429},
		"the_request_is_bad":    {answers: []step{status(400), good}, tries: 1, status: 400},
		"the_key_is_bad":        {answers: []step{status(401), good}, tries: 1, status: 401},
		"redirected":            {answers: []step{status(302), good}, tries: 1, status: 502},
		"never_ready":           {answers: []step{status(503)}, tries: 9, status: 503, from: 30 * time.Second, to: 94 * time.Second},
		"never_there":           {settings: model.EndpointSettings{MaxRetries: new(1)}, answers: []step{reset}, tries: 2, status: 502, from: 250 * time.Millisecond, to: 500 * time.Millisecond},
		"no_retries":            {settings: model.EndpointSettings{MaxRetries: new(0)}, answers: []step{status(429), good}, tries: 1, status: 429},
		"own_waits":             {settings: model.EndpointSettings{RetryMin: new(10.0), RetryMax: new(10.0)}, answers: []step{status(500), status(500), good}, tries: 3, from: 10 * time.Second, to: 20 * time.Second},
		"time_is_up":            {settings: model.EndpointSettings{CallTimeout: new(5.0)}, answers: []step{hang}, tries: 1, status: 504, from: 5 * time.Second, to: 5 * time.Second},
		"time_is_up_by_default": {answers: []step{hang}, tries: 1, status: 504, from: time.Hour, to: time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				m := mustOpenAI(t, test.settings, s)
				began := time.Now()
				_, err := m.Respond(t.Context(), request(t))
				took := time.Since(began)
				if len(s.calls) != test.tries || took < test.from || took > test.to {
					t.Errorf("asked %d times in %v, want %d times in %v to %v", len(s.calls), took, test.tries, test.from, test.to)
				}
				if test.status == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				failed, ok := errors.AsType[*model.EndpointError](err)
				if !ok || failed.Status != test.status || failed.Tries != test.tries {
					t.Errorf("got %#v, want status %d after %d tries", err, test.status, test.tries)
				}
				if test.status == 504 && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v is not the deadline's", err)
				}
			})
		})
	}
}

func mustOpenAI(t *testing.T, s model.EndpointSettings, c model.Caller) *model.OpenAI {
	t.Helper()
	m, err := model.NewOpenAI(model.OpenAISettings{EndpointSettings: s, BaseURL: "http://h/v1", Model: "m"}, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAskAgain_try_timeout(t *testing.T) {
	s := &script{answers: []step{good}}
	respondOnce(t, mustOpenAI(t, model.EndpointSettings{TryTimeout: new(2.5)}, s))
	if s.calls[0].Timeout != 2500*time.Millisecond {
		t.Errorf("a try may take %v", s.calls[0].Timeout)
	}
}

func TestAskAgain_caller_leaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []step{status(503)}}
		m := mustOpenAI(t, model.EndpointSettings{}, s)
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		began := time.Now()
		_, err := m.Respond(ctx, request(t))
		if _, ok := errors.AsType[*model.EndpointError](err); ok || !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

func TestEndpointSettings(t *testing.T) {
	_, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "http://h", Model: "m", EndpointSettings: model.EndpointSettings{
		MaxRetries: new(-1), RetryMin: new(60.0), TryTimeout: new(-1.0), CallTimeout: new(1e12)}}, nil)
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for _, want := range []string{"max_retries is -1", "try_timeout_seconds is -1", "call_timeout_seconds is 1e+12"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	_, err = model.NewOpenAI(model.OpenAISettings{BaseURL: "http://h", Model: "m", EndpointSettings: model.EndpointSettings{RetryMin: new(5.0), RetryMax: new(1.0)}}, nil)
	if err == nil || !strings.Contains(err.Error(), "retry_min_seconds is 5, above retry_max_seconds, which is 1") {
		t.Errorf("got %v", err)
	}
}

// TestAskAgain_broken_connections breaks real connections in the ways that networks do.
func TestAskAgain_broken_connections(t *testing.T) {
	breaks := map[string]func(t *testing.T, conn net.Conn){
		"reset": func(t *testing.T, c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"half_a_body": func(t *testing.T, c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"id\":")
		},
		"silence": func(t *testing.T, c net.Conn) { <-t.Context().Done() },
	}
	for name, breakIt := range breaks {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 1 {
					fmt.Fprint(w, answered)
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				go func() { breakIt(t, conn); conn.Close() }()
			}))
			t.Cleanup(up.Close)
			w := ask(newOpenAI(t, up.URL, `,"try_timeout_seconds":0.2,"retry_min_seconds":0.01`), `{"input":"q"}`)
			// A slow machine may let an answer run into the timeout too; that it comes in the end is the point.
			if w.Code != 200 || w.Body.String() != answered || asked.Load() < 2 {
				t.Errorf("got %d %s after %d tries", w.Code, w.Body, asked.Load())
			}
		})
	}
}

func TestStickyBaseURL(t *testing.T) {
	var s script
	s.answers = []step{func(context.Context) (*wire.Result, error) {
		return &wire.Result{Status: 200, Body: []byte(completed)}, nil
	}}
	bases := model.URLs{"http://a/v1", "http://b/v1", "http://c/v1"}
	m, err := model.NewVLLM(model.VLLMSettings{BaseURL: bases, Model: "m"}, &s)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 32 {
		session := fmt.Sprint("session ", i/2)
		r := request(t)
		r.Wire = &wire.Request{Session: session}
		respond(t, m, r)
		sum := sha256.Sum256([]byte(session))
		want := bases[binary.BigEndian.Uint64(sum[:8])%3] + "/chat/completions"
		if got := s.calls[i].URL; got != want {
			t.Errorf("session %q went to %s, want %s", session, got, want)
		}
		seen[want] = true
	}
	if len(seen) != 3 {
		t.Errorf("only %d of 3 base URLs were asked", len(seen))
	}

	t.Run("goes_on_when_one_is_gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			lost := &script{answers: []step{reset, status(503), s.answers[0]}}
			m, err := model.NewVLLM(model.VLLMSettings{BaseURL: bases, Model: "m"}, lost)
			if err != nil {
				t.Fatal(err)
			}
			respond(t, m, request(t))
			var hosts []string
			for _, c := range lost.calls {
				u, _ := url.Parse(c.URL)
				hosts = append(hosts, u.Host)
			}
			if len(hosts) != 3 || hosts[0] == hosts[1] || hosts[1] != hosts[2] {
				t.Errorf("asked %v: a lost connection moves to the next, a refusal does not", hosts)
			}
		})
	})
}

func respond(t *testing.T, m model.Responder, r *model.Request) responses.Response {
	t.Helper()
	reply, err := m.Respond(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := responses.ParseResponse(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
