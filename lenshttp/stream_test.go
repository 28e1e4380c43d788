//go:build !lens_off

package lenshttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/lenstest"
)

// edges gives a client whose requests go through both edges to the handler.
func edges(t *testing.T, g groups, h http.HandlerFunc) (*http.Client, *httptest.Server) {
	t.Helper()
	s := server(t, lenshttp.Handler(g.server, h))
	return client(t, func(base http.RoundTripper) http.RoundTripper { return lenshttp.Transport(g.client, base) }), s
}

// TestEventsAreNotBuffered: the client has each event before the server sends the next one.
func TestEventsAreNotBuffered(t *testing.T) {
	g := record(t, "all")
	next := make(chan bool)
	c, s := edges(t, g, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; <-next; i++ {
			fmt.Fprintf(w, "data: %d\n", i)
			w.(http.Flusher).Flush()
		}
	})
	got := make(chan *http.Response, 1)
	go func() {
		resp, err := c.Get(s.URL)
		if err != nil {
			t.Error(err)
		}
		got <- resp
	}()
	next <- true
	resp := <-got
	if resp == nil {
		t.FailNow()
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for i := range 3 {
		if i > 0 {
			next <- true
		}
		if line, err := lines.ReadString('\n'); err != nil || line != fmt.Sprintf("data: %d\n", i) {
			t.Errorf("%q, %v", line, err)
		}
	}
	if open := g.Open(); len(open) != 1 || open[0].Kind != lens.Server {
		t.Errorf("while the body is on its way, open is what is not in\n%s", g.Tree())
	}
	close(next)
	if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	g.Wait(t, 2)
	g.AssertTree(t, `
		GET (client) http.response.status_code=200
		  GET (server) http.response.status_code=200
	`, "http.response.status_code")
}

// TestFullDuplex: both bodies are on their way at the same time, over HTTP/1, which http.ResponseController makes possible.
func TestFullDuplex(t *testing.T) {
	g := record(t, "all")
	c, s := edges(t, g, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.EnableFullDuplex(), control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusOK)
		if err := control.Flush(); err != nil {
			t.Error(err)
		}
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			fmt.Fprintln(w, "echo", lines.Text())
			if err := control.Flush(); err != nil {
				t.Error(err)
			}
		}
	})
	body, say := io.Pipe()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL, body)
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for _, word := range []string{"one", "two"} {
		fmt.Fprintln(say, word)
		if line, err := lines.ReadString('\n'); err != nil || line != "echo "+word+"\n" {
			t.Errorf("%q, %v", line, err)
		}
	}
	if err := say.Close(); err != nil {
		t.Error(err)
	}
	if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	g.Wait(t, 2)
}

// upgrade answers as a websocket's server does, and echoes lines from then on.
func upgrade(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" {
			t.Errorf("the request has the headers %v", r.Header)
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		for err = rw.Flush(); err == nil; err = rw.Flush() {
			line, err := rw.ReadString('\n')
			if err != nil {
				return
			}
			fmt.Fprint(rw, "echo ", line)
		}
	}
}

// TestUpgrade: a websocket through both edges, by itself and with a proxy in between that has them too. A server that takes the
// connection writes its status past the edge.
func TestUpgrade(t *testing.T) {
	for name, test := range map[string]struct {
		proxy bool
		want  string
	}{
		"direct": {false, `
			GET (client) http.response.status_code=101
			  GET (server)
		`},
		"through a proxy": {true, `
			GET (client) http.response.status_code=101
			  GET (server)
			    GET (client) http.response.status_code=101
			      GET (server)
		`},
	} {
		t.Run(name, func(t *testing.T) {
			g := record(t, "all")
			c, s := edges(t, g, upgrade(t))
			target := s.URL
			if test.proxy {
				to, err := url.Parse(s.URL)
				if err != nil {
					t.Fatal(err)
				}
				proxy := httputil.NewSingleHostReverseProxy(to)
				proxy.Transport = c.Transport
				target = server(t, lenshttp.Handler(g.server, proxy)).URL
			}
			req, _ := http.NewRequestWithContext(t.Context(), "GET", target, nil)
			req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			socket, ok := resp.Body.(io.ReadWriteCloser)
			if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
				t.Fatalf("%s with a %T", resp.Status, resp.Body)
			}
			fmt.Fprintln(socket, "hello")
			if line, err := bufio.NewReader(socket).ReadString('\n'); err != nil || line != "echo hello\n" {
				t.Errorf("%q, %v", line, err)
			}
			if err := socket.Close(); err != nil {
				t.Error(err)
			}
			g.Wait(t, strings.Count(test.want, "GET"))
			g.AssertTree(t, test.want, "http.response.status_code")
		})
	}
}

// takes has the optional methods that save copies, and says what it was given.
type takes struct {
	*httptest.ResponseRecorder
	from io.Reader
	text string
}

func (t *takes) ReadFrom(r io.Reader) (int64, error) {
	t.from = r
	return 0, nil
}

func (t *takes) WriteString(s string) (int, error) {
	t.text = s
	return len(s), nil
}

// TestSendfile: a file gets to the original writer as a file, which net/http hands to the kernel, and a string as a string.
func TestSendfile(t *testing.T) {
	g := record(t, "server")
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &takes{ResponseRecorder: httptest.NewRecorder()}
	lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "text")
		http.ServeFile(w, r, path)
	})).ServeHTTP(w, request("GET", "/"))
	limited, ok := w.from.(*io.LimitedReader)
	if !ok {
		t.Fatalf("the original reads from a %T", w.from)
	}
	if _, ok := limited.R.(*os.File); !ok || w.text != "text" {
		t.Errorf("it reads from a %T, and was given the text %q", limited.R, w.text)
	}
	g.one(t).AssertAttrs(t, map[string]any{"http.response.status_code": 200})
}

// TestRequestCanceled: the client goes; what the handler then makes of it stands beside the mark.
func TestRequestCanceled(t *testing.T) {
	for name, status := range map[string]int{"the handler has not looked": 200, "the handler gives up": 503} {
		t.Run(name, func(t *testing.T) {
			g := record(t, "all")
			here := make(chan bool)
			c, s := edges(t, g, func(w http.ResponseWriter, r *http.Request) {
				close(here)
				<-r.Context().Done()
				w.WriteHeader(status)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-here
				cancel()
			}()
			req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/x?secret=1", nil)
			if _, err := c.Do(req); err == nil {
				t.Error("there is an answer")
			}
			for _, span := range g.Wait(t, 2) {
				span.AssertAttrs(t, map[string]any{"lens.canceled": "canceled"})
				if span.Kind == lens.Client {
					span.AssertAttrs(t, map[string]any{"error.type": "canceled", "http.response.status_code": nil})
					continue
				}
				want := map[bool]lenstest.Status{true: lenstest.Error}[status >= 500]
				span.AssertAttrs(t, map[string]any{"http.response.status_code": status})
				if span.Status != want {
					t.Errorf("the server's status is %v, want %v", span.Status, want)
				}
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	g := record(t, "all")
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	lenshttp.Handler(g.server, http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), request("GET", "/").WithContext(ctx))
	rt := lenshttp.Transport(g.client, roundTripper(func(r *http.Request) (*http.Response, error) { return nil, errors.New("too late") }))
	if _, err := rt.RoundTrip(request("GET", "http://x/").WithContext(ctx)); err == nil {
		t.Error("there is an answer")
	}
	for _, s := range g.Wait(t, 2) {
		s.AssertAttrs(t, map[string]any{"lens.canceled": "deadline_exceeded"})
	}
}
