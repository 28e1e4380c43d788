//go:build !lens_off

package lenshttp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/lenstest"
)

func request(method, target string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Traceparent", traceparent)
	r.Header.Set("User-Agent", "tester/1")
	return r
}

func TestHandlerSpan(t *testing.T) {
	g := record(t, "server")
	mux := http.NewServeMux()
	mux.HandleFunc("POST /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		if lens.RefFrom(r.Context()).Remote {
			t.Error("the handler's context has no span of this process")
		}
		w.WriteHeader(http.StatusCreated)
	})
	lenshttp.Handler(g.server, mux).ServeHTTP(httptest.NewRecorder(), request("POST", "http://example.com:8080/items/7?secret=1"))

	s := g.one(t)
	if s.Name != "POST /items/{id}" || s.Kind != lens.Server || s.Status != lenstest.Unset {
		t.Errorf("it is %q, %v, %v", s.Name, s.Kind, s.Status)
	}
	if !s.Parent.Remote || s.Ref.String()[3:35] != traceID {
		t.Errorf("the parent is %v", s.Parent)
	}
	s.AssertAttrs(t, map[string]any{
		"http.request.method":          "POST",
		"http.request.method_original": nil,
		"http.route":                   "/items/{id}",
		"http.response.status_code":    201,
		"url.path":                     "/items/7",
		"url.scheme":                   "http",
		"server.address":               "example.com",
		"server.port":                  8080,
		"client.address":               "192.0.2.1",
		"network.protocol.version":     "1.1",
		"user_agent.original":          "tester/1",
		"error.type":                   nil,
	})
	for key, v := range s.Attrs {
		if strings.Contains(fmt.Sprint(v), "secret") {
			t.Errorf("the query is in %s", key)
		}
	}
}

func TestHandlerNames(t *testing.T) {
	tests := []struct {
		name, pattern, method, path string
		want, route                 string
	}{
		{"method and path", "GET /a/{b}", "GET", "/a/1", "GET /a/{b}", "/a/{b}"},
		{"path", "/a/", "PUT", "/a/b", "PUT /a/", "/a/"},
		{"host", "example.com/a", "GET", "/a", "GET /a", "/a"},
		{"method and host", "GET example.com/", "GET", "/b", "GET /", "/"},
		{"no route", "/a", "GET", "/b", "GET", ""},
		{"a method of a later day", "QUERY /a", "QUERY", "/a", "QUERY /a", "/a"},
		{"a method that nobody knows", "/a", "BREW", "/a", "HTTP /a", "/a"},
		{"no route and no method", "/a", "BREW", "/b", "HTTP", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := record(t, "server")
			mux := http.NewServeMux()
			mux.HandleFunc(test.pattern, func(http.ResponseWriter, *http.Request) {})
			lenshttp.Handler(g.server, mux).ServeHTTP(httptest.NewRecorder(), request(test.method, "http://example.com"+test.path))
			s := g.one(t)
			if s.Name != test.want {
				t.Errorf("the name is %q, want %q", s.Name, test.want)
			}
			want := map[string]any{"http.route": nil, "http.request.method": test.method}
			if test.route != "" {
				want["http.route"] = test.route
			}
			if test.method == "BREW" {
				want["http.request.method"], want["http.request.method_original"] = "_OTHER", "BREW"
			}
			s.AssertAttrs(t, want)
		})
	}
}

func TestHandlerInsideMux(t *testing.T) {
	g := record(t, "server")
	mux := http.NewServeMux()
	mux.Handle("GET /inside/{x}", lenshttp.Handler(g.server, http.NotFoundHandler()))
	mux.ServeHTTP(httptest.NewRecorder(), request("GET", "/inside/1"))
	if s := g.one(t); s.Name != "GET /inside/{x}" {
		t.Errorf("the name is %q", s.Name)
	}
}

func TestHandlerStatus(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		status  int
		code    lenstest.Status
	}{
		{"nothing written", func(http.ResponseWriter, *http.Request) {}, 200, lenstest.Unset},
		{"body only", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }, 200, lenstest.Unset},
		{"404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 404, lenstest.Unset},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 500, lenstest.Error},
		{"the first counts", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			w.WriteHeader(200)
		}, 503, lenstest.Error},
		{"informational first", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(500)
		}, 500, lenstest.Error},
		{"flushed", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			w.WriteHeader(500)
		}, 200, lenstest.Unset},
		{"copied", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, struct{ io.Reader }{strings.NewReader("x")}) // with no WriteTo it goes through ReadFrom
			w.WriteHeader(500)
		}, 200, lenstest.Unset},
		{"bytes", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("x"))
			w.WriteHeader(500)
		}, 200, lenstest.Unset},
		{"a string", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "x")
			w.WriteHeader(500)
		}, 200, lenstest.Unset},
		{"switching protocols", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(101)
			w.WriteHeader(500)
		}, 101, lenstest.Unset},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := record(t, "server")
			lenshttp.Handler(g.server, test.handler).ServeHTTP(httptest.NewRecorder(), request("GET", "/"))
			s := g.one(t)
			if s.Status != test.code {
				t.Errorf("the status is %v", s.Status)
			}
			want := map[string]any{"http.response.status_code": test.status, "error.type": nil}
			if test.code == lenstest.Error {
				want["error.type"] = strconv.Itoa(test.status)
			}
			s.AssertAttrs(t, want)
		})
	}
}

func TestHandlerPanics(t *testing.T) {
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		value  any
		write  bool
		kind   string
		status any
	}{
		"error":           {boom, false, "*errors.errorString", nil},
		"abort":           {http.ErrAbortHandler, false, "*errors.errorString", nil},
		"after an answer": {"text", true, "string", 202},
	} {
		t.Run(name, func(t *testing.T) {
			g := record(t, "server")
			h := lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if test.write {
					w.WriteHeader(202)
				}
				panic(test.value)
			}))
			func() {
				defer func() {
					if p := recover(); p != test.value {
						t.Errorf("the panic that comes out is %v", p)
					}
				}()
				h.ServeHTTP(httptest.NewRecorder(), request("GET", "/"))
			}()
			s := g.one(t)
			if s.Status != lenstest.Error {
				t.Errorf("the status is %v", s.Status)
			}
			s.AssertAttrs(t, map[string]any{"http.response.status_code": test.status, "error.type": test.kind})
			if len(s.Events) != 1 {
				t.Fatalf("%d events", len(s.Events))
			}
			if stack, _ := s.Events[0].Attrs["exception.stacktrace"].(string); !strings.Contains(stack, "TestHandlerPanics") {
				t.Errorf("the stack lacks the frame that panicked: %s", stack)
			}
		})
	}
}

// TestHandlerOfNothing: a nil handler is what it is to net/http.
func TestHandlerOfNothing(t *testing.T) {
	g := record(t, "server")
	w := httptest.NewRecorder()
	lenshttp.Handler(g.server, nil).ServeHTTP(w, request("GET", "/nobody"))
	if w.Code != http.StatusNotFound {
		t.Errorf("it answers %d", w.Code)
	}
}

func TestHandlerGoexit(t *testing.T) {
	g := record(t, "server")
	h := lenshttp.Handler(g.server, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() }))
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), request("GET", "/"))
	}()
	<-done
	s := g.one(t)
	s.AssertAttrs(t, map[string]any{"http.response.status_code": nil, "error.type": nil})
	if s.Status != lenstest.Unset {
		t.Errorf("the status is %v", s.Status)
	}
}

func TestHandlerOff(t *testing.T) {
	g := record(t, "http_client")
	for name, group := range map[string]*lens.Group{"off": g.server, "nil": nil} {
		called := false
		h := lenshttp.Handler(group, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			called = true
			if got := lens.RefFrom(r.Context()).String(); got != traceparent {
				t.Errorf("%s: the handler sees the parent %q", name, got)
			}
			if lens.Baggage(r.Context(), "k") != "v" {
				t.Errorf("%s: the baggage is gone", name)
			}
			if _, ok := w.(*httptest.ResponseRecorder); !ok {
				t.Errorf("%s: the response is wrapped", name)
			}
		}))
		r := request("GET", "/")
		r.Header.Set("Baggage", "k=v")
		if h.ServeHTTP(httptest.NewRecorder(), r); !called {
			t.Errorf("%s: not called", name)
		}
		if lens.RefFrom(r.Context()).Valid() {
			t.Errorf("%s: the caller's request changed", name)
		}
	}
	if len(g.Spans()) != 0 {
		t.Error("there are spans")
	}
}

// TestHandlerBaggageAlone is TC-11.
func TestHandlerBaggageAlone(t *testing.T) {
	g := record(t, "server")
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Baggage", "foo=bar")
	lenshttp.Handler(g.server, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if lens.Baggage(r.Context(), "foo") != "bar" {
			t.Error("the baggage is gone")
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
	if s := g.one(t); !s.Ref.Valid() || s.Parent.Valid() {
		t.Errorf("%v under %v", s.Ref, s.Parent)
	}
}

func TestHandlerReservation(t *testing.T) {
	const reserved = "lens=r"
	for spec, want := range map[string]string{"": reserved, "server": ""} {
		g := record(t, spec)
		r := request("GET", "/")
		r.Header.Set("Tracestate", reserved)
		lenshttp.Handler(g.server, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			out := http.Header{}
			lenshttp.Inject(r.Context(), out)
			if out.Get("Tracestate") != want {
				t.Errorf("spec %q: the tracestate %q goes on", spec, out.Get("Tracestate"))
			}
			if want != "" && out.Get("Traceparent") != traceparent {
				t.Errorf("spec %q: the traceparent %q goes on", spec, out.Get("Traceparent"))
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}

func TestHandlerMiddlewareHidesPattern(t *testing.T) {
	g := record(t, "server")
	mux := http.NewServeMux()
	mux.HandleFunc("/a/", func(http.ResponseWriter, *http.Request) {})
	copying := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	})
	lenshttp.Handler(g.server, copying).ServeHTTP(httptest.NewRecorder(), request("GET", "/a/1"))
	if s := g.one(t); s.Name != "GET" {
		t.Errorf("the name is %q", s.Name)
	}
}

// TestHandlerLeavesPattern: a middleware around the handler finds the pattern on the request that it has, as it does around
// a mux, whatever the group says and whatever came in the headers.
func TestHandlerLeavesPattern(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, spec := range []string{"server", ""} {
		for _, sent := range []string{traceparent, ""} {
			g := record(t, spec)
			r := request("GET", "/items/7")
			r.Header.Del("Traceparent")
			if sent != "" {
				r.Header.Set("Traceparent", sent)
			}
			func() {
				defer func() { _ = recover() }()
				lenshttp.Handler(g.server, mux).ServeHTTP(httptest.NewRecorder(), r)
			}()
			if r.Pattern != "GET /items/{id}" {
				t.Errorf("spec %q, parent %q: the pattern is %q", spec, sent, r.Pattern)
			}
		}
	}
}

// TestHandlerAroundHandler: the mux is inside of both, and both name its route.
func TestHandlerAroundHandler(t *testing.T) {
	g := record(t, "server")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(http.ResponseWriter, *http.Request) {})
	inner := lenshttp.Handler(g.server, mux)
	lenshttp.Handler(g.server, inner).ServeHTTP(httptest.NewRecorder(), request("GET", "/items/7"))
	g.AssertTree(t, `
		GET /items/{id} (server)
		GET /items/{id} (server)
	`)
}

func TestSetRoute(t *testing.T) {
	for pattern, want := range map[string]string{
		"/items/{id}":                 "GET /items/{id}",
		"POST example.com/items/{id}": "GET /items/{id}",
		"":                            "GET /raw/",
		"no path":                     "GET /raw/",
	} {
		g := record(t, "server")
		mux := http.NewServeMux()
		mux.HandleFunc("/raw/", func(_ http.ResponseWriter, r *http.Request) {
			lenshttp.SetRoute(context.WithoutCancel(r.Context()), pattern)
		})
		lenshttp.Handler(g.server, mux).ServeHTTP(httptest.NewRecorder(), request("GET", "/raw/7"))
		s := g.one(t)
		if s.Name != want || "GET "+fmt.Sprint(s.Attrs["http.route"]) != want {
			t.Errorf("%q gives %q, with the route %v", pattern, s.Name, s.Attrs["http.route"])
		}
	}
	lenshttp.SetRoute(t.Context(), "/nobody/asks")
}

// TestSetRouteInnermost: with one Handler inside of another, each has its own route.
func TestSetRouteInnermost(t *testing.T) {
	g := record(t, "server")
	inner := lenshttp.Handler(g.server, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lenshttp.SetRoute(r.Context(), "/inner")
	}))
	outer := lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		lenshttp.SetRoute(r.Context(), "/outer")
	}))
	outer.ServeHTTP(httptest.NewRecorder(), request("GET", "/"))
	g.AssertTree(t, `
		GET /outer (server)
		GET /inner (server)
	`) // both have the parent that the headers name
}

func TestServerAddresses(t *testing.T) {
	tests := []struct {
		host, remote     string
		tls              bool
		address, client  any
		port             any
		scheme, protocol string
	}{
		{"example.com", "10.0.0.1:5", false, "example.com", "10.0.0.1", 80, "http", "1.1"},
		{"example.com", "10.0.0.1:5", true, "example.com", "10.0.0.1", 443, "https", "1.1"},
		{"[::1]:81", "[fe80::1]:5", false, "::1", "fe80::1", 81, "http", "1.1"},
		{"[::1]", "", false, "::1", nil, 80, "http", "1.1"},
		{"", "@", false, nil, "@", nil, "http", "1.1"},
		{"example.com:http", "", false, "example.com", nil, 80, "http", "1.1"},
		{"u:secret@example.com:81", "", false, "example.com", nil, 81, "http", "1.1"},
	}
	for _, test := range tests {
		g := record(t, "server")
		r := request("GET", "/")
		r.Host, r.RemoteAddr = test.host, test.remote
		if test.tls {
			r.TLS = &tls.ConnectionState{}
		}
		_, span := lenshttp.StartServer(t.Context(), g.server, "GET", r)
		span.End()
		g.one(t).AssertAttrs(t, map[string]any{
			"server.address": test.address, "server.port": test.port, "client.address": test.client,
			"url.scheme": test.scheme, "network.protocol.version": test.protocol,
		})
	}
}

// plain has none of the optional methods.
type plain struct{ header http.Header }

func (p plain) Header() http.Header         { return p.header }
func (p plain) Write(b []byte) (int, error) { return len(b), nil }
func (p plain) WriteHeader(int)             {}

var errPushed = errors.New("pushed")

type pushing struct{ *httptest.ResponseRecorder }

func (pushing) Push(string, *http.PushOptions) error { return errPushed }

type pushOnly struct{ plain }

func (pushOnly) Push(string, *http.PushOptions) error { return errPushed }

type flushes struct{}

func (flushes) Flush() {}

type hijacks struct{}

func (hijacks) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

func TestResponseKeepsInterfaces(t *testing.T) {
	bare := plain{http.Header{}}
	for name, test := range map[string]struct {
		w                   http.ResponseWriter
		flush, hijack, push bool
	}{
		"plain":    {bare, false, false, false},
		"recorder": {httptest.NewRecorder(), true, false, false},
		"HTTP/2":   {pushing{httptest.NewRecorder()}, true, false, true},
		"timeout":  {pushOnly{bare}, false, false, true}, // as http.TimeoutHandler gives it
		"HTTP/1": {struct {
			plain
			flushes
			hijacks
		}{plain: bare}, true, true, false},
		"hijack only": {struct {
			plain
			hijacks
		}{plain: bare}, false, true, false},
		"hijack and push": {struct {
			pushOnly
			hijacks
		}{pushOnly: pushOnly{bare}}, false, true, true},
		"everything": {struct {
			pushOnly
			flushes
			hijacks
		}{pushOnly: pushOnly{bare}}, true, true, true},
	} {
		g := record(t, "server")
		lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, flush := w.(http.Flusher)
			_, hijack := w.(http.Hijacker)
			p, push := w.(http.Pusher)
			if flush != test.flush || hijack != test.hijack || push != test.push {
				t.Errorf("%s: flush %v, hijack %v, push %v", name, flush, hijack, push)
			}
			if push && p.Push("/x", nil) != errPushed {
				t.Errorf("%s: Push is not the original's", name)
			}
			control := http.NewResponseController(w)
			if err := control.Flush(); (err == nil) != test.flush {
				t.Errorf("%s: the controller's Flush says %v", name, err)
			}
			if _, _, err := control.Hijack(); (err == nil) != test.hijack {
				t.Errorf("%s: the controller's Hijack says %v", name, err)
			}
		})).ServeHTTP(test.w, request("GET", "/"))
	}
}

func TestHijack(t *testing.T) {
	g := record(t, "server")
	finished := make(chan struct{})
	s := server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(finished)
		lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
			if _, err := w.Write(nil); !errors.Is(err, http.ErrHijacked) { // too late: it sends nothing
				t.Errorf("writing beside the connection says %v", err)
			}
		})).ServeHTTP(w, r)
	}))
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || line != "HTTP/1.1 299 Mine\r\n" {
		t.Errorf("%q, %v", line, err)
	}
	<-finished
	g.one(t).AssertAttrs(t, map[string]any{"http.response.status_code": nil})
}

// TestFailedHijack: the connection is still net/http's, which answers 200 when the handler says nothing more.
func TestFailedHijack(t *testing.T) {
	g := record(t, "server")
	lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, _, err := w.(http.Hijacker).Hijack(); err == nil {
			t.Error("hijacked")
		}
	})).ServeHTTP(hijackFails{httptest.NewRecorder()}, request("GET", "/"))
	g.one(t).AssertAttrs(t, map[string]any{"http.response.status_code": 200})
}

type hijackFails struct{ *httptest.ResponseRecorder }

func (hijackFails) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrHijacked }

// odd is a context of a type that cannot be compared.
type odd struct {
	context.Context
	list []int
}

func TestHandlerOddContext(t *testing.T) {
	g := record(t, "")
	called := false
	lenshttp.Handler(g.server, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		called = true
		if _, ok := r.Context().(odd); !ok {
			t.Errorf("the context is a %T", r.Context())
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(odd{t.Context(), nil}))
	if !called {
		t.Error("not called")
	}
}

func TestRecordServerOff(t *testing.T) {
	lenshttp.RecordServer(lens.Span{}, "/x", 500)
	lenshttp.RecordClient(lens.Span{}, 500)
}

func TestHandlerAllocations(t *testing.T) {
	g := record(t, "")
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	h := lenshttp.Handler(g.server, next)
	w := httptest.NewRecorder()
	bare := httptest.NewRequest("GET", "/", nil)
	bare.Header.Set("Accept", "x")
	if n := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, bare) }); n != 0 {
		t.Errorf("off and without headers: %v allocations", n)
	}
	full := request("GET", "/")
	extract := testing.AllocsPerRun(100, func() { lenshttp.Extract(full.Context(), full.Header) })
	if n := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, full) }); n > extract+1 {
		t.Errorf("off with headers: %v allocations, extraction needs %v and the request one more", n, extract)
	}
}

func BenchmarkHandler(b *testing.B) {
	for name, spec := range map[string]string{"Off": "", "On": "server"} {
		g := record(b, spec)
		mux := http.NewServeMux()
		mux.HandleFunc("POST /verify", func(http.ResponseWriter, *http.Request) {})
		h := lenshttp.Handler(g.server, mux)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w, r := httptest.NewRecorder(), request("POST", "/verify")
			for b.Loop() {
				h.ServeHTTP(w, r)
				g.Reset()
			}
		})
	}
}
