package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

// blocked returns a server whose /wait tells when it began and returns when its context ends or release is closed.
func blocked(t *testing.T, o ServerOptions) (s *Server, began chan struct{}, release chan struct{}, ended chan error) {
	s = newServer(t, o)
	began, release, ended = make(chan struct{}, 8), make(chan struct{}), make(chan error, 8)
	s.Handle("POST /wait", func(ctx context.Context, _ *Request) (*Reply, error) {
		began <- struct{}{}
		select {
		case <-ctx.Done():
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		case <-release:
			ended <- nil
			return JSON("done")
		}
	})
	return s, began, release, ended
}

type answer struct {
	res *Result
	err error
}

// begin makes a call in the background.
func begin(ctx context.Context, c *Client, call Call) <-chan answer {
	ch := make(chan answer, 1)
	go func() {
		res, err := c.Do(ctx, call)
		ch <- answer{res, err}
	}()
	return ch
}

// refuses waits until nothing accepts connections at a server's URL any more.
func refuses(t *testing.T, url string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		conn, err := net.Dial("tcp", url[len("http://"):])
		if err != nil {
			return
		}
		conn.Close()
	}
	t.Fatal("the server still accepts connections")
}

func TestStopLetsRequestsFinish(t *testing.T) {
	s, began, release, _ := blocked(t, ServerOptions{Grace: patience})
	url, stop := startStoppable(t, s)
	c := newClient(t, ClientOptions{}, "counter", url)
	call := begin(context.Background(), c, Call{Server: "counter", Path: "/wait"})
	receive(t, began, "the call")
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	refuses(t, url)
	select {
	case err := <-stopped:
		t.Fatalf("the server stopped with a request running: %v", err)
	default:
	}
	close(release)
	if a := receive(t, call, "the answer"); a.err != nil || string(a.res.Body) != `"done"` {
		t.Errorf("got %v, %v", a.res, a.err)
	}
	if err := receive(t, stopped, "the stop"); err != nil {
		t.Error(err)
	}
}

func TestStopCancelsAfterTheGrace(t *testing.T) {
	s, began, _, ended := blocked(t, ServerOptions{Grace: -1})
	url, stop := startStoppable(t, s)
	c := newClient(t, ClientOptions{}, "counter", url)
	call := begin(context.Background(), c, Call{Server: "counter", Path: "/wait"})
	receive(t, began, "the call")
	if err := stop(); err != nil {
		t.Error(err)
	}
	if cause := receive(t, ended, "the end of the handler"); !errors.Is(cause, errStopping) {
		t.Errorf("the handler was cancelled by %v", cause)
	}
	const want = `"counter cannot serve POST /wait: the server is stopping: context canceled"`
	if a := receive(t, call, "the answer"); a.err != nil || a.res.Status != 500 || string(a.res.Body) != want {
		t.Errorf("got %+v, %v", a.res, a.err)
	}
}

func TestStopReportsHandlersThatRunOn(t *testing.T) {
	s := newServer(t, ServerOptions{Grace: -1})
	began, release := make(chan struct{}), make(chan struct{})
	s.Handle("POST /stubborn", func(context.Context, *Request) (*Reply, error) {
		close(began)
		<-release
		return nil, nil
	})
	url, stop := startStoppable(t, s)
	c := newClient(t, ClientOptions{}, "counter", url)
	call := begin(context.Background(), c, Call{Server: "counter", Path: "/stubborn"})
	receive(t, began, "the call")
	if err := stop(); err == nil {
		t.Error("no error although a handler runs on")
	}
	close(release)
	receive(t, call, "the answer")
}

// A client keeps connections in reserve that have carried nothing yet. They do not use up the grace.
func TestStopClosesUnusedConnections(t *testing.T) {
	here, there := net.Pipe()
	late, lateThere := net.Pipe()
	used, usedThere := net.Pipe()
	defer usedThere.Close()
	f := &freshConns{open: map[net.Conn]struct{}{}}
	f.track(here, http.StateNew)
	f.track(used, http.StateNew)
	f.track(used, http.StateActive)
	f.close()
	f.track(late, http.StateNew)
	for _, conn := range []net.Conn{there, lateThere} {
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("a connection that carried nothing is open: %v", err)
		}
	}
	go used.Write([]byte("x"))
	if _, err := usedThere.Read(make([]byte, 1)); err != nil {
		t.Errorf("a connection in use was closed: %v", err)
	}
}

func TestServeReportsItsListener(t *testing.T) {
	ln := listen(t)
	ln.Close()
	if err := newServer(t, ServerOptions{Name: "counter"}).Serve(context.Background(), ln); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestServeAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := newServer(t, ServerOptions{}).Serve(ctx, listen(t)); err != nil {
		t.Error(err)
	}
}

// Handlers see the values of Serve's context and none of its spans: a request without a trace begins one.
func TestServeDetaches(t *testing.T) {
	record(t, "job")
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "value"))
	ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, ServerOptions{})
	s.Handle("POST /look", func(ctx context.Context, _ *Request) (*Reply, error) {
		return JSON(fmt.Sprintf("%v %v", ctx.Value(key{}), lens.RefFrom(ctx).Valid()))
	})
	ln, done := listen(t), make(chan error, 1)
	go func() { done <- s.Serve(lens.WithParent(ctx, ref), ln) }()
	c := newClient(t, ClientOptions{}, "counter", "http://"+ln.Addr().String())
	if res := do(t, c, Call{Server: "counter", Path: "/look"}); string(res.Body) != `"value false"` {
		t.Errorf("the handler sees %s", res.Body)
	}
	cancel()
	if err := receive(t, done, "the stop"); err != nil {
		t.Error(err)
	}
}

// GO-05: when the driver leaves /run, the agent's call to the model ends, and so does the model's work.
func TestClientLeaves(t *testing.T) {
	all := record(t, "all")
	model, began, _, modelEnded := blocked(t, ServerOptions{Name: "model"})
	toModel := newClient(t, ClientOptions{}, "model", start(t, model))
	agent := newServer(t, ServerOptions{Name: "agent"})
	agentEnded := make(chan error, 1)
	agent.Handle("POST /run", func(ctx context.Context, _ *Request) (*Reply, error) {
		_, err := toModel.Do(ctx, Call{Server: "model", Path: "/wait", Body: []byte("{}")})
		agentEnded <- err
		return nil, err
	})
	driver := newClient(t, ClientOptions{}, "agent", start(t, agent))

	ctx, leave := context.WithCancel(context.Background())
	call := begin(ctx, driver, Call{Server: "agent", Path: "/run", Body: []byte("{}")})
	receive(t, began, "the model's work")
	leave()
	if a := receive(t, call, "the end of the call"); !errors.Is(a.err, context.Canceled) {
		t.Errorf("the driver got %v", a.err)
	}
	if err := receive(t, agentEnded, "the end of the agent's call"); !errors.Is(err, context.Canceled) {
		t.Errorf("the agent got %v", err)
	}
	receive(t, modelEnded, "the end of the model's work")

	got := all.wait(t, 4)
	for _, name := range []string{"POST /run", "POST /wait"} {
		s := one(t, got, name)
		if s.Status == lenstest.Error || s.Attrs["http.response.status_code"] != int64(499) {
			t.Errorf("%s ended with %v and %v, want it cancelled", name, s.Status, s.Attrs)
		}
	}
}

// A client that leaves in the middle of its body is no error of the server's.
func TestClientLeavesInTheBody(t *testing.T) {
	all := record(t, "all")
	s := newServer(t, ServerOptions{})
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	url := start(t, s)
	conn, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
	conn.Close()
	got := all.wait(t, 1)
	if n := got[0].Attrs["http.response.status_code"]; n != int64(499) {
		t.Errorf("status %d, want 499", n)
	}
}

func TestServerRefusesNonsense(t *testing.T) {
	s := newServer(t, ServerOptions{})
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	conn, err := net.Dial("tcp", start(t, s)[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	res := readAll(conn)
	if want := "HTTP/1.1 400 "; len(res) < len(want) || res[:len(want)] != want {
		t.Errorf("got %s", res)
	}
}

// stalled opens a connection to url whose request stops in the middle of its body.
func stalled(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 200000000\r\n\r\n{")
	return conn
}

// A client that is silent in the middle of its body is taken for gone after a while.
func TestSilentClientInTheBody(t *testing.T) {
	all := record(t, "all")
	s := newServer(t, ServerOptions{})
	s.bodyIdle = time.Millisecond
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	readAll(stalled(t, start(t, s))) // ends
	if n := all.wait(t, 1)[0].Attrs["http.response.status_code"]; n != int64(499) {
		t.Errorf("status %d, want 499", n)
	}
}

// deadlines is a ResponseWriter that notes the deadlines it is given.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// A handler may take its time: the deadline is gone once the body is there, and with a short body there is none.
func TestDeadlineEndsWithTheBody(t *testing.T) {
	for size, want := range map[int]bool{0: false, shortBody: false, shortBody + 1: true, 3 * firstRead: true} {
		var d deadlines
		body := strings.Repeat("x", size)
		got, err := readRequest(t.Context(), &d, httptest.NewRequest("POST", "/", strings.NewReader(body)), 1<<20, time.Minute)
		if err != nil || string(got) != body {
			t.Errorf("got %d bytes, want %d; %v", len(got), size, err)
		}
		if n := len(d.set); want && (n < 2 || d.set[0].IsZero() || !d.set[n-1].IsZero()) || !want && n > 0 {
			t.Errorf("%d bytes: the deadlines are %v", size, d.set)
		}
	}
}

// Nor does such a client hold up the stop, nor is it blamed for what the server did.
func TestStopDoesNotWaitForBodies(t *testing.T) {
	all := record(t, "all")
	s := newServer(t, ServerOptions{Grace: -1})
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	url, stop := startStoppable(t, s)
	conn := stalled(t, url)
	all.begun(t, 1)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if res := readAll(conn); !strings.HasPrefix(res, "HTTP/1.1 500 ") || !strings.Contains(res, "the server is stopping") {
		t.Errorf("got %s", res)
	}
	if n := all.wait(t, 1)[0].Attrs["http.response.status_code"]; n != int64(500) {
		t.Errorf("status %d on the span, want 500", n)
	}
}
