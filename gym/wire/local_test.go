package wire

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/lenstest"
)

// newLocal returns a client for servers in this process.
func newLocal(t testing.TB, servers ...*Server) (*Client, *Local) {
	t.Helper()
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.Name()
	}
	l := NewLocal(context.Background(), names...)
	for _, s := range servers {
		l.Add(s)
	}
	t.Cleanup(func() {
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	return newClient(t, ClientOptions{Local: l}), l
}

// mixed is a server with all kinds of answers.
func mixed(t testing.TB) *Server {
	s := newServer(t, ServerOptions{Name: "counter", MaxBody: 64})
	s.Handle("POST /seen", func(_ context.Context, r *Request) (*Reply, error) {
		return JSON(map[string]any{"method": r.Method, "path": r.Path, "header": r.Header, "body": string(r.Body), "cookies": r.Cookies})
	})
	s.Handle("POST /cookies", func(context.Context, *Request) (*Reply, error) {
		return &Reply{Status: 201, ContentType: "text/plain", Body: []byte("hi"), Cookies: Cookies{`a="q=1"`}}, nil
	})
	s.Handle("POST /fails", func(context.Context, *Request) (*Reply, error) { return nil, errors.New("boom-42") })
	s.Handle("POST /panics", func(context.Context, *Request) (*Reply, error) { panic("oh no") })
	s.Handle("GET /only", func(context.Context, *Request) (*Reply, error) { return JSON("got") })
	return s
}

// A call in the process gives what the same call gives over HTTP.
func TestLocalIsTheSame(t *testing.T) {
	s := mixed(t)
	far := newClient(t, ClientOptions{}, "counter", start(t, s))
	near, _ := newLocal(t, s)
	session := Cookies{"Gym___counter=abc"}
	for name, call := range map[string]Call{
		"seen": {Path: "/seen", Body: []byte(`{"a":1}`), Cookies: append(session, `x="y=z"; odd`),
			Header: http.Header{"idempotency-key": {"7"}, "X-Two": {"a", "b"}}},
		"no body":     {Path: "/seen", Cookies: session},
		"prefix":      {Path: "/ng-rollout/3-1/seen", Cookies: session},
		"odd path":    {Path: "/a b/ü?%", Cookies: session},
		"cookies":     {Path: "/cookies", Cookies: session},
		"fails":       {Path: "/fails", Cookies: session},
		"panics":      {Path: "/panics", Cookies: session},
		"not found":   {Path: "/nothing", Cookies: session},
		"not allowed": {Path: "/only", Cookies: session},
		"head":        {Path: "/only", Method: "HEAD", Cookies: session},
		"health":      {Path: "/", Method: "GET", Cookies: session},
		"too large":   {Path: "/seen", Body: []byte(strings.Repeat("x", 65)), Cookies: session},
	} {
		t.Run(name, func(t *testing.T) {
			call.Server = "counter"
			want, got := do(t, far, call), do(t, near, call)
			for _, h := range []http.Header{want.Header, got.Header} {
				maps.DeleteFunc(h, func(k string, _ []string) bool { return k == "Date" || k == "Connection" })
			}
			if diff := cmp.Diff(view(t, want), view(t, got)); diff != "" {
				t.Errorf("over HTTP (-), in the process (+):\n%s", diff)
			}
		})
	}
}

// view is an answer for a comparison.
func view(t *testing.T, r *Result) map[string]any {
	var body any = string(r.Body)
	if decoded := map[string]any{}; json.Unmarshal(r.Body, &decoded) == nil {
		body = decoded
	}
	return map[string]any{"status": r.Status, "header": r.Header, "body": body, "cookies": r.Cookies}
}

// Spans are the same but for addresses.
func TestLocalSpans(t *testing.T) {
	trees := map[string][]string{}
	for _, where := range []string{"far", "near"} {
		t.Run(where, func(t *testing.T) {
			all := record(t, "all")
			model, agent := mixed(t), newServer(t, ServerOptions{Name: "agent"})
			inner, driver := (*Client)(nil), (*Client)(nil)
			if where == "near" {
				inner, _ = newLocal(t, model)
				driver, _ = newLocal(t, agent)
			} else {
				inner = newClient(t, ClientOptions{}, "counter", start(t, model))
			}
			agent.Handle("POST /run", func(ctx context.Context, r *Request) (*Reply, error) {
				for _, path := range []string{"/cookies", "/fails", "/nothing"} {
					if _, err := inner.Do(ctx, Call{Server: "counter", Path: path}); err != nil {
						return nil, err
					}
				}
				return nil, nil
			})
			if where == "far" {
				driver = newClient(t, ClientOptions{}, "agent", start(t, agent))
			}
			do(t, driver, Call{Server: "agent", Path: "/run", Body: []byte("{}")})
			trees[where] = spanLines(all.wait(t, 8))
		})
	}
	if diff := cmp.Diff(trees["far"], trees["near"]); diff != "" {
		t.Errorf("over HTTP (-), in the process (+):\n%s", diff)
	}
}

// spanLines writes each span with its parent's name and its attributes, without addresses.
func spanLines(spans []lenstest.Span) []string {
	byID := map[[8]byte]string{}
	for _, s := range spans {
		byID[s.Ref.SpanID] = s.Name
	}
	var lines []string
	for _, s := range spans {
		attrs := maps.Clone(s.Attrs)
		for _, address := range []string{"server.address", "server.port", "url.full"} {
			delete(attrs, address)
		}
		text, _ := json.Marshal(attrs, json.Deterministic(true))
		lines = append(lines, byID[s.Parent.SpanID]+" > "+s.Name+" "+string(text))
	}
	slices.Sort(lines)
	return lines
}

// A call ends when its context does, whatever the handler does, and the handler hears of it.
func TestLocalDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a busy machine may not get to the handler in so short a time
		s := newServer(t, ServerOptions{Name: "mute"})
		ended := make(chan error, 1)
		s.Handle("POST /run", func(ctx context.Context, _ *Request) (*Reply, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		})
		c, _ := newLocal(t, s)
		_, err := c.Do(t.Context(), Call{Server: "mute", Path: "/run", Timeout: 10 * time.Millisecond})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call gave %v", err)
		}
		if cause := receive(t, ended, "the end of the handler"); !errors.Is(cause, context.Canceled) {
			t.Errorf("the handler ended by %v", cause)
		}
	})
}

// A handler that gives up its connection leaves the caller without an answer, and nothing is sent twice.
func TestLocalAbort(t *testing.T) {
	s := newServer(t, ServerOptions{Name: "counter"})
	calls := 0
	s.Handle("POST /run", func(context.Context, *Request) (*Reply, error) {
		calls++
		panic(http.ErrAbortHandler)
	})
	c, _ := newLocal(t, s)
	_, err := c.Do(t.Context(), Call{Server: "counter", Path: "/run"})
	if err == nil || !strings.Contains(err.Error(), "the connection ended before an answer came") || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// Stop waits for what runs, cancels what runs on, and takes no more.
func TestLocalStop(t *testing.T) {
	for name, grace := range map[string]time.Duration{"waits": time.Hour, "cancels": -1} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerOptions{Name: "slow", Grace: grace})
			began, finish := make(chan struct{}), make(chan struct{})
			s.Handle("POST /run", func(ctx context.Context, _ *Request) (*Reply, error) {
				close(began)
				select {
				case <-finish:
					return JSON("done")
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			c, l := newLocal(t, s)
			answers := make(chan *Result, 1)
			go func() {
				res, _ := c.Do(context.Background(), Call{Server: "slow", Path: "/run"})
				answers <- res
			}()
			receive(t, began, "the call")
			stopped := make(chan error, 1)
			go func() { stopped <- l.Stop() }()
			if name == "waits" {
				close(finish)
			}
			if err := receive(t, stopped, "the stop"); err != nil {
				t.Error(err)
			}
			want := map[string]int{"waits": http.StatusOK, "cancels": http.StatusInternalServerError}[name]
			if res := receive(t, answers, "the answer"); res == nil || res.Status != want {
				t.Errorf("the answer is %+v, want status %d", res, want)
			}
			c.resend.budget = 0
			if _, err := c.Do(t.Context(), Call{Server: "slow", Path: "/run"}); !errors.Is(err, errLocalStopped) {
				t.Errorf("after the stop: %v", err)
			}
		})
	}
}

func TestMaxConns(t *testing.T) {
	c := NewClient(ClientOptions{Servers: map[string]string{"a": "http://a.test", "b": "http://b.test"}, MaxConns: map[string]int{"b": 3}, MaxConnsPerHost: 7})
	if a, b := c.servers["a"].transport.MaxConnsPerHost, c.servers["b"].transport.MaxConnsPerHost; a != 7 || b != 3 {
		t.Errorf("bounds are %d and %d, want 7 and 3", a, b)
	}
}

func BenchmarkLocal(b *testing.B) {
	s := newServer(b, ServerOptions{Name: "counter"})
	s.Handle("POST /verify", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	near, _ := newLocal(b, s)
	far := newClient(b, ClientOptions{}, "counter", start(b, s))
	for name, c := range map[string]*Client{"near": near, "far": far} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do(b, c, Call{Server: "counter", Path: "/verify", Body: []byte(`{"reward":1}`)})
			}
		})
	}
}
