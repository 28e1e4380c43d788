package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/internal/backoff"
	"github.com/lensgo/lens/semconv"
)

func TestClientIsTheFirstToLetAnIdleConnectionGo(t *testing.T) {
	if clientIdle >= serverIdle || clientIdle >= readHeader {
		t.Errorf("the client keeps connections for %v, the server used ones for %v and unused ones for %v",
			clientIdle, serverIdle, readHeader)
	}
	tr := NewClient(ClientOptions{}).transport
	if tr.IdleConnTimeout != clientIdle || tr.Protocols.HTTP2() || tr.Protocols.UnencryptedHTTP2() {
		t.Errorf("the transport keeps connections for %v and speaks %v", tr.IdleConnTimeout, tr.Protocols)
	}
}

// GO-01: POSTs over kept-alive connections, with pauses from well before the client lets go to well after the server would: none
// of them meets a closed connection, because the client always lets go first. Time is not the clock's, so that pauses end on the very moment.
func TestPostsOverIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, ServerOptions{})
		s.Handle("POST /add", func(context.Context, *Request) (*Reply, error) { return nil, nil })
		ln := newPipes()
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, ln) }()
		c := newClient(t, ClientOptions{}, "counter", "http://counter.test")
		c.transport.DialContext = ln.dial

		const callers, rounds = 10, 100 // a thousand calls, as the case has them
		var calls sync.WaitGroup
		for i := range callers {
			calls.Go(func() {
				for round := range rounds {
					if _, err := c.Do(t.Context(), Call{Server: "counter", Path: "/add", Body: []byte("{}")}); err != nil {
						t.Errorf("call %d of caller %d: %v", round, i, err)
						return
					}
					time.Sleep(serverIdle / 8 * time.Duration((i+round)%callers+1))
				}
			})
		}
		calls.Wait()
		if n := ln.dropped.Load(); n > 0 {
			t.Errorf("the server was the first to close %d connections", n)
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// GY-09: work that was done and not answered is not done again. The transport would replay some of these by itself.
func TestPostIsNeverReplayed(t *testing.T) {
	for _, tt := range []struct {
		name string
		call Call
	}{
		{"body", Call{Body: []byte(`{"a":1}`)}},
		{"no body", Call{}},
		{"idempotency key", Call{Body: []byte(`{}`), Header: http.Header{"Idempotency-Key": {"k"}}}},
		{"idempotency key, no body", Call{Header: http.Header{"X-Idempotency-Key": {"k"}}}},
		{"put", Call{Method: "PUT", Body: []byte(`{}`)}},
		{"delete", Call{Method: "DELETE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var done atomic.Int32
			s := newServer(t, ServerOptions{Name: "tools"})
			s.Handle("POST /warm", func(context.Context, *Request) (*Reply, error) { return nil, nil })
			for _, method := range []string{"POST", "PUT", "DELETE"} {
				s.Handle(method+" /work", func(_ context.Context, r *Request) (*Reply, error) {
					if tt.call.Header != nil && r.Header.Get("Idempotency-Key")+r.Header.Get("X-Idempotency-Key") != "k" {
						t.Error("the key did not arrive")
					}
					done.Add(1)
					panic(http.ErrAbortHandler) // closes the connection
				})
			}
			c := newClient(t, ClientOptions{}, "tools", start(t, s))
			do(t, c, Call{Server: "tools", Path: "/warm"}) // so that the connection has been used before
			call := tt.call
			call.Server, call.Path = "tools", "/work"
			res, err := c.Do(context.Background(), call)
			if err == nil {
				t.Fatalf("got %d %s", res.Status, res.Body)
			}
			if !strings.Contains(err.Error(), "/work on tools") {
				t.Errorf("the error does not say where: %v", err)
			}
			if n := done.Load(); n != 1 {
				t.Errorf("the work was done %d times", n)
			}
		})
	}
}

// deadConn takes nothing any more once it has answered, like a connection that the server closed while it lay idle.
type deadConn struct {
	net.Conn
	answered atomic.Bool
}

func (c *deadConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.answered.Store(n > 0 || c.answered.Load())
	return n, err
}

func (c *deadConn) Write(b []byte) (int, error) {
	if c.answered.Load() {
		return 0, syscall.EPIPE
	}
	return c.Conn.Write(b)
}

// A POST of which not one byte was written goes out over another connection, whole.
func TestPostMeetsADeadConnection(t *testing.T) {
	var asked atomic.Int32
	s := newServer(t, ServerOptions{})
	s.Handle("POST /add", func(_ context.Context, r *Request) (*Reply, error) {
		asked.Add(1)
		return &Reply{Status: 200, Body: r.Body}, nil
	})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	dial, dials := c.transport.DialContext, atomic.Int32{}
	c.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		dials.Add(1)
		return &deadConn{Conn: conn}, err
	}
	for range 3 {
		for _, body := range []string{"whole", ""} {
			if res := do(t, c, Call{Server: "counter", Path: "/add", Body: []byte(body)}); res.Status != 200 || string(res.Body) != body {
				t.Errorf("got %d %q, want %q", res.Status, res.Body, body)
			}
		}
	}
	if asked.Load() != 6 || dials.Load() != 6 {
		t.Errorf("6 calls took %d dials and %d requests", dials.Load(), asked.Load())
	}
}

func TestGetIsSentAgain(t *testing.T) {
	var asked atomic.Int32
	s := newServer(t, ServerOptions{})
	s.Handle("GET /state", func(context.Context, *Request) (*Reply, error) {
		if asked.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
		return JSON("state")
	})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	if res := do(t, c, Call{Server: "counter", Method: "GET", Path: "/state"}); string(res.Body) != `"state"` || asked.Load() != 3 {
		t.Errorf("got %s after %d requests", res.Body, asked.Load())
	}
}

// failDials makes the first n dials of c fail as a refused connection does.
func failDials(c *Client, n int32) {
	dial := c.transport.DialContext
	c.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if atomic.AddInt32(&n, -1) >= 0 {
			return nil, &dialError{&net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}}
		}
		return dial(ctx, network, addr)
	}
}

func TestRefusedIsTriedAgain(t *testing.T) {
	s := newServer(t, ServerOptions{})
	s.Handle("POST /add", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	failDials(c, 3)
	if res := do(t, c, Call{Server: "counter", Path: "/add", Body: []byte("whole")}); string(res.Body) != "whole" {
		t.Errorf("got %s", res.Body)
	}
}

func TestRefusedForGood(t *testing.T) {
	ln := listen(t)
	ln.Close()
	c := newClient(t, ClientOptions{}, "counter", "http://"+ln.Addr().String())
	c.resend = resend{backoff.Doubling{First: time.Microsecond, Most: time.Millisecond}, 5 * time.Millisecond}
	_, err := c.Do(context.Background(), Call{Server: "counter", Path: "/add", Body: []byte("{}")})
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"cannot call POST /add on counter", "connection refused", "tried "} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
}

func TestResend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, n := time.Now(), 1
		for defaultResend.wait(t.Context(), n, begun) {
			n++
		}
		if took := time.Since(begun); took > defaultResend.budget || took < defaultResend.budget/2 {
			t.Errorf("gave up after %v and %d attempts, with a budget of %v", took, n, defaultResend.budget)
		}
		if n < 6 || n > 20 {
			t.Errorf("%d attempts", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		cancel()
		if defaultResend.wait(ctx, 5, begun) || time.Since(begun) != 0 {
			t.Error("waits although the caller is gone")
		}
	})
}

// GY-11: a server that accepts and never answers.
func TestTimeout(t *testing.T) {
	ln := listen(t)
	defer ln.Close()
	url := "http://" + ln.Addr().String()
	for name, tt := range map[string]struct {
		client, call time.Duration
		want         string
	}{
		"of the call":                {0, 20 * time.Millisecond, "no whole answer within 20ms"},
		"of the client":              {20 * time.Millisecond, 0, "no whole answer within 20ms"},
		"of the call, before client": {time.Hour, 20 * time.Millisecond, "no whole answer within 20ms"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, ClientOptions{Timeout: tt.client}, "mute", url)
			_, err := c.Do(context.Background(), Call{Server: "mute", Path: "/run", Timeout: tt.call})
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("of the context", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := newClient(t, ClientOptions{}, "mute", url).Do(ctx, Call{Server: "mute", Path: "/run"})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("between attempts", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // a busy machine may not get to the first attempt in so short a time
			c := newClient(t, ClientOptions{}, "mute", url)
			failDials(c, 1<<30)
			c.resend = resend{backoff.Doubling{First: time.Millisecond, Most: time.Millisecond}, patience}
			_, err := c.Do(t.Context(), Call{Server: "mute", Path: "/run", Timeout: 20 * time.Millisecond})
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "connection refused") {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("in the body", func(t *testing.T) { synctest.Test(t, timeoutInTheBody) })
}

// timeoutInTheBody has a call end between the two halves of its answer. In a bubble, because a call on a busy machine may end before the first.
func timeoutInTheBody(t *testing.T) {
	hungUp := false
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		hungUp = true
	})}
	ln := newPipes()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	c := newClient(t, ClientOptions{})
	c.transport.DialContext = ln.dial
	_, err := c.Do(t.Context(), Call{URL: "http://mute.test/run", Timeout: 20 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	synctest.Wait()
	if !hungUp {
		t.Error("the connection did not end")
	}
	srv.Close()
	<-served
}

func TestAnswerIsBounded(t *testing.T) {
	s := newServer(t, ServerOptions{})
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	chunked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
		http.NewResponseController(w).Flush()
	}))
	defer chunked.Close()
	c := newClient(t, ClientOptions{MaxBody: 8}, "counter", start(t, s), "chunked", chunked.URL)
	for _, server := range []string{"counter", "chunked"} {
		if res := do(t, c, Call{Server: server, Path: "/echo", Body: []byte("12345678")}); string(res.Body) != "12345678" {
			t.Errorf("%s: got %s", server, res.Body)
		}
		_, err := c.Do(context.Background(), Call{Server: server, Path: "/echo", Body: []byte("123456789")})
		if err == nil || !strings.Contains(err.Error(), "8 bytes") || !strings.Contains(err.Error(), server) {
			t.Errorf("%s: got %v", server, err)
		}
	}
}

// LL-27: whatever a tool answers is an answer.
func TestAnyStatusIsAnAnswer(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 3<<20)
	s := newServer(t, ServerOptions{Name: "tools"})
	for path, r := range map[string]Reply{
		"/boom":  {Status: 500, ContentType: "text/plain", Body: []byte("boom")},
		"/gone":  {Status: 404, Body: []byte(`{"detail":"Not Found"}`)},
		"/wrong": {Status: 422, Body: []byte(`{"detail":[]}`)},
		"/moved": {Status: 302, Body: []byte("elsewhere")},
		"/empty": {Status: 200},
		"/big":   {Body: big},
	} {
		s.Handle("POST "+path, func(context.Context, *Request) (*Reply, error) { return &r, nil })
	}
	c := newClient(t, ClientOptions{}, "tools", start(t, s))
	for _, tt := range []struct {
		path   string
		status int
		body   []byte
		err    string
	}{
		{"/boom", 500, []byte("boom"), "tools answered 500 to POST /boom: boom"},
		{"/gone", 404, []byte(`{"detail":"Not Found"}`), `tools answered 404 to POST /gone: {"detail":"Not Found"}`},
		{"/wrong", 422, []byte(`{"detail":[]}`), `tools answered 422 to POST /wrong: {"detail":[]}`},
		{"/moved", 302, []byte("elsewhere"), "tools answered 302 to POST /moved: elsewhere"},
		{"/empty", 200, nil, ""},
		{"/big", 200, big, ""},
	} {
		res := do(t, c, Call{Server: "tools", Path: tt.path, Body: []byte("{}")})
		if res.Status != tt.status || !bytes.Equal(res.Body, tt.body) {
			t.Errorf("%s: got %d and %d bytes", tt.path, res.Status, len(res.Body))
		}
		err := res.Err()
		if (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: Err() = %v, want %s", tt.path, err, tt.err)
		}
		var status *StatusError
		if err != nil && (!errors.As(err, &status) || status.Server != "tools" || status.Status != tt.status) {
			t.Errorf("%s: %#v", tt.path, err)
		}
	}
}

func TestCallsThatCannotBeMade(t *testing.T) {
	c := newClient(t, ClientOptions{}, "a", "http://127.0.0.1:1", "b", "ftp://nowhere", "c", "127.0.0.1:80")
	for _, tt := range []struct {
		call Call
		want []string
	}{
		{Call{Server: "x", Path: "/run"}, []string{`no server "x"`, "a, b, c", "/run"}},
		{Call{}, []string{`no server ""`}},
		{Call{Server: "b", Path: "/run"}, []string{`"ftp://nowhere"`, "http://host:port"}},
		{Call{Server: "c", Path: "/run"}, []string{`"127.0.0.1:80"`}},
		{Call{Server: "a", Path: "run"}, []string{`"run"`}},
		{Call{Server: "a", URL: "http://u:secret@x/y?key=secret"}, []string{`"a"`, `"http://x/y"`}},
		{Call{URL: "ht tp://u:secret@x/y?key=secret"}, []string{`x/y`}},
		{Call{URL: "/just/a/path?key=secret"}, []string{`"/just/a/path"`}},
	} {
		_, err := c.Do(context.Background(), tt.call)
		if err == nil {
			t.Errorf("%+v: no error", tt.call)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%+v: the error lacks %q: %v", tt.call, part, err)
			}
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: the error tells a secret: %v", tt.call, err)
		}
	}
}

// serveRaw serves a handler of net/http until the test ends.
func serveRaw(t *testing.T, h http.HandlerFunc) (url string) {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// headers answers each request with what it was asked with.
func headers(t *testing.T) (url string, got func() *http.Request) {
	seen := make(chan *http.Request, 1)
	url = serveRaw(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	return url, func() *http.Request { return receive(t, seen, "the request") }
}

func TestRequestHeaders(t *testing.T) {
	url, got := headers(t)
	c := newClient(t, ClientOptions{}, "counter", url+"/base/")
	own := http.Header{"Authorization": {"Bearer k"}, "x-lower": {"1"}}
	before := own.Clone()
	do(t, c, Call{Server: "counter", Path: "/a b?c", Body: []byte("{}"), Cookies: Cookies{quoted, "a=1"}, Header: own})
	r := got()
	if r.Method != "POST" || r.URL.Path != "/base/a b?c" || r.URL.RawQuery != "" || r.ContentLength != 2 {
		t.Errorf("got %s %s, %d bytes", r.Method, r.URL, r.ContentLength)
	}
	for name, want := range map[string]string{
		"Content-Type":    "application/json",
		"Cookie":          quoted + "; a=1",
		"Authorization":   "Bearer k",
		"X-Lower":         "1",
		"Accept-Encoding": "",
		"Traceparent":     "",
		"Baggage":         "",
	} {
		if r.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, r.Header.Get(name), want)
		}
	}
	if !maps.EqualFunc(own, before, slices.Equal) {
		t.Errorf("the call's header became %v", own)
	}

	do(t, c, Call{URL: "http://user:pass@" + url[len("http://"):] + "/v1?key=1", Method: "GET"})
	r = got()
	if user, pass, ok := r.BasicAuth(); !ok || user != "user" || pass != "pass" || r.URL.RawQuery != "key=1" {
		t.Errorf("got %s with %s", r.URL, r.Header)
	}
	if r.Header.Get("Content-Type") != "" {
		t.Errorf("a request without a body has the type %q", r.Header.Get("Content-Type"))
	}
}

// The mark stays in the run. Other baggage goes wherever the call goes.
func TestMarkStaysInside(t *testing.T) {
	url, got := headers(t)
	c := newClient(t, ClientOptions{}, "model", url)
	bag := func(pairs ...string) context.Context {
		ctx := context.Background()
		for i := 0; i < len(pairs); i += 2 {
			var err error
			if ctx, err = lens.WithBaggage(ctx, pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return ctx
	}
	for _, tt := range []struct {
		name            string
		ctx             context.Context
		inside, outside []string
	}{
		{"mark", bag(semconv.GymRolloutID, "7-2"), []string{"nemo.gym.rollout.id=7-2"}, nil},
		{"mark and more", bag("a", "1", semconv.GymRolloutID, "7-2", "b", "2"),
			[]string{"a=1", "b=2", "nemo.gym.rollout.id=7-2"}, []string{"a=1", "b=2"}},
		{"none", bag("a", "1"), []string{"a=1"}, []string{"a=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, call := range []Call{{Server: "model", Path: "/"}, {URL: url + "/v1"}} {
				want := tt.inside
				if call.URL != "" {
					want = tt.outside
				}
				if _, err := c.Do(tt.ctx, call); err != nil {
					t.Fatal(err)
				}
				var members []string
				for _, line := range got().Header["Baggage"] {
					members = append(members, strings.Split(line, ",")...)
				}
				slices.Sort(members)
				if !slices.Equal(members, want) {
					t.Errorf("%+v: baggage %q, want %q", call, members, want)
				}
			}
		})
	}
}

// A body that is not in memory arrives as one that is, also when the first connection is refused.
func TestStream(t *testing.T) {
	s := newServer(t, ServerOptions{})
	var length []string
	s.Handle("POST /add", func(_ context.Context, r *Request) (*Reply, error) {
		length = append(length, r.Header.Get("Content-Length"), r.Header.Get("Content-Type"))
		return &Reply{Body: r.Body}, nil
	})
	local := NewLocal(t.Context(), "counter")
	local.Add(s)
	defer local.Stop() //nolint:errcheck // nothing runs on
	text := `{"rows":[` + strings.Repeat("1,", 100<<10) + `1]}`
	opened := 0
	stream := &Stream{Length: int64(len(text)), Open: func() io.Reader {
		opened++
		return strings.NewReader(text)
	}}
	sockets := httptest.NewServer(s)
	defer sockets.Close()
	dial := newClient(t, ClientOptions{}, "counter", sockets.URL)
	inner, refused := dial.transport.DialContext, false
	dial.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !refused {
			refused = true
			return nil, &dialError{&net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}}
		}
		return inner(ctx, network, addr)
	}
	dial.servers["counter"] = target{base: dial.servers["counter"].base, transport: dial.transport}
	for name, c := range map[string]*Client{"sockets": dial, "in this process": NewClient(ClientOptions{Local: local})} {
		res, err := c.Do(t.Context(), Call{Server: "counter", Path: "/add", Stream: stream})
		if err != nil || res.Status != http.StatusOK || string(res.Body) != text {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
	if opened != 3 {
		t.Errorf("it was opened %d times, want 3", opened)
	}
	if want := []string{strconv.Itoa(len(text)), "application/json"}; !slices.Equal(length, slices.Concat(want, want)) {
		t.Errorf("headers are %v", length)
	}
}

func TestNoProxyInsideTheRun(t *testing.T) {
	tr := newTransport(map[string]string{"10.0.0.1:80": "inside"}, 0, clientIdle)
	inside, _ := http.NewRequest("POST", "http://10.0.0.1:80/run", nil)
	if u, err := tr.Proxy(inside); u != nil || err != nil {
		t.Errorf("a call inside the run goes by %v, %v", u, err)
	}
}

func TestCloseKeepsTheClient(t *testing.T) {
	s := newServer(t, ServerOptions{})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	for range 2 {
		do(t, c, Call{Server: "counter", Method: "GET", Path: "/"})
		c.Close()
	}
}
