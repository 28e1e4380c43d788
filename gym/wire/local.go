package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lensgo/lens"
)

// Local is servers of this process, which the calls of a [Client] reach without a socket: see [ClientOptions].Local. What
// lies between a call and its handler is the same as over HTTP: headers, cookies, trace context, sessions, spans,
// cancellation. A handler runs on a goroutine of its own, so a call returns at its deadline whatever the handler does.
//
// It is safe for concurrent use. Servers are added after the clients were made that they call with.
type Local struct {
	names  []string
	base   context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	servers  map[string]*Server
	stopping bool
	running  int
	idle     chan struct{} // closed when stopping and nothing runs
}

// NewLocal returns a Local for servers of these names, which are to be added. Handlers see the values of ctx, but not its
// cancellation, and no span of it.
func NewLocal(ctx context.Context, names ...string) *Local {
	base, cancel := context.WithCancelCause(lens.Detach(context.WithoutCancel(ctx)))
	return &Local{names: names, base: base, cancel: cancel, servers: map[string]*Server{}, idle: make(chan struct{})}
}

// Add puts a server there, under its name.
func (l *Local) Add(s *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.servers[s.name] = s
}

// errLocalStopped is what a call meets after Stop, as it would meet a closed port.
var errLocalStopped = errors.New("the server has stopped")

// begin finds a server and counts a request of it.
func (l *Local) begin(name string) (*Server, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.servers[name]
	switch {
	case s == nil:
		return nil, fmt.Errorf("the server %q has not started", name)
	case l.stopping:
		return nil, errLocalStopped
	}
	l.running++
	return s, nil
}

func (l *Local) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running--; l.running == 0 && l.stopping {
		close(l.idle)
	}
}

// Stop takes no more calls, gives running requests the longest grace of the servers to finish, then cancels them. The error
// says that some ran on although they were cancelled. Stop again waits again.
func (l *Local) Stop() error {
	l.mu.Lock()
	if !l.stopping {
		l.stopping = true
		if l.running == 0 {
			close(l.idle)
		}
	}
	grace := time.Duration(0)
	for _, s := range l.servers {
		grace = max(grace, s.grace)
	}
	l.mu.Unlock()
	if l.waitIdle(grace) {
		l.cancel(nil)
		return nil
	}
	l.cancel(errStopping)
	if l.waitIdle(lastWait) {
		return nil
	}
	return fmt.Errorf("cannot stop the servers of this process cleanly: requests ran on for %v after they were cancelled", lastWait)
}

func (l *Local) waitIdle(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.idle:
		return true
	case <-t.C:
	}
	select { // both may be there, and being idle counts
	case <-l.idle:
		return true
	default:
		return false
	}
}

// roundTrip hands a request to its server, in the place of a transport.
func (l *Local) roundTrip(name string, r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s, err := l.begin(name)
	if err != nil {
		return nil, &dialError{err}
	}
	// The handler's context: the values of the process, the end of whichever comes first, the caller or the servers.
	handling, cancel := context.WithCancelCause(l.base)
	stop := context.AfterFunc(ctx, func() { cancel(context.Canceled) }) // as a connection that is closed would say it
	answers := make(chan *localAnswer, 1)
	go func() {
		defer l.end()
		defer cancel(nil)
		defer stop()
		answers <- s.answerLocal(received(handling, r))
	}()
	select {
	case a := <-answers:
		return a.response(r)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// received is a request as the server would read it from a connection.
func received(ctx context.Context, r *http.Request) *http.Request {
	in := *r
	in.Header = make(http.Header, len(r.Header))
	for k, v := range r.Header {
		in.Header[http.CanonicalHeaderKey(k)] = slices.Clone(v)
	}
	url := *r.URL // the server sees what stands in a request line
	url.Scheme, url.Host, url.User = "", "", nil
	in.URL, in.GetBody = &url, nil
	in.RequestURI = url.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if in.Header["User-Agent"] == nil {
		in.Header["User-Agent"] = []string{"Go-http-client/1.1"}
	}
	if r.ContentLength > 0 || r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch {
		in.Header["Content-Length"] = []string{strconv.FormatInt(r.ContentLength, 10)}
	}
	return in.WithContext(ctx)
}

// localAnswer is what a handler wrote. It is one handler's until that has returned.
type localAnswer struct {
	header http.Header
	status int
	body   []byte
	lost   bool // the handler gave up the connection
}

// answerLocal serves one request.
func (s *Server) answerLocal(r *http.Request) (a *localAnswer) {
	a = &localAnswer{header: http.Header{}}
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				panic(v)
			}
			a.lost = true
		}
	}()
	s.ServeHTTP(a, r)
	return a
}

func (a *localAnswer) Header() http.Header { return a.header }

func (a *localAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *localAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.body = append(a.body, p...)
	return len(p), nil
}

// response is the answer as the caller reads it.
func (a *localAnswer) response(r *http.Request) (*http.Response, error) {
	if a.lost {
		return nil, io.EOF
	}
	a.WriteHeader(http.StatusOK)
	body := a.body
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}
