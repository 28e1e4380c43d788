//go:build !lens_off

package wire

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/lenstest"
)

const (
	toCounter = "nemo.gym.http.destination.server.name=counter"
	queued    = "nemo.gym.http.connection_pool.queue_constraint=per_host,nemo.gym.http.connection_pool.queue_outcome="
)

// TestPoolMetrics: without a span, a call that waited for a connection and got it, one that gave up, and how many connections
// there were.
func TestPoolMetrics(t *testing.T) {
	m := lenstest.Metrics(t)
	s, began, release, _ := blocked(t, ServerOptions{})
	s.Handle("POST /quick", func(context.Context, *Request) (*Reply, error) { return nil, nil })
	c := newClient(t, ClientOptions{MaxConnsPerHost: 1}, "counter", start(t, s))
	first := begin(context.Background(), c, Call{Server: "counter", Path: "/wait"})
	receive(t, began, "the first call")
	asked := make(chan struct{}, 2)
	waiting := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GetConn: func(string) { asked <- struct{}{} }})
	ctx, leave := context.WithCancel(waiting)
	gone := begin(ctx, c, Call{Server: "counter", Path: "/never"})
	second := begin(waiting, c, Call{Server: "counter", Path: "/quick"})
	receive(t, asked, "a call that asks for a connection")
	receive(t, asked, "the other one")
	since := time.Now()
	<-time.After(200 * poolNoise) // what they wait
	held := time.Since(since).Seconds() * 1e3
	leave()
	receive(t, gone, "the end of the call that left")
	close(release)
	receive(t, first, "the first answer")
	receive(t, second, "the second answer")
	for _, outcome := range []string{"ok", "abandoned"} {
		p := m.Point("gym.http.connection_pool.queue_duration_ms", queued+outcome+","+toCounter)
		if p.Count == 0 || p.Value < held { // a busy machine may keep others waiting, too
			t.Errorf("%s: %v, want one that waited at least %v ms; there is %v", outcome, p, held, m.Points("gym.http.connection_pool.queue_duration_ms"))
		}
	}
	if p := m.Points("gym.http.connection_pool.connect_total"); len(p) != 1 || p[0].Attributes != toCounter || p[0].Value < 1 {
		t.Errorf("connections: %v", p)
	}
}

// TestPoolMetrics_external: without a bound no call waits, and a server that is none of the run is external.
func TestPoolMetrics_external(t *testing.T) {
	m := lenstest.Metrics(t)
	url := serveRaw(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	c := newClient(t, ClientOptions{})
	for range 3 {
		if _, err := c.Do(context.Background(), Call{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	if p := m.Points("gym.http.connection_pool.queue_duration_ms"); p != nil {
		t.Errorf("somebody waited: %v", p)
	}
	if p := m.Points("gym.http.connection_pool.connect_total"); len(p) != 1 || p[0].Attributes != "nemo.gym.http.destination.server.name=external" {
		t.Errorf("connections: %v", p)
	}
}

// TestRequestMetrics: requests that a server works on, and how it answered them, whatever the span groups; its health is no
// request.
func TestRequestMetrics(t *testing.T) {
	m := lenstest.Metrics(t)
	s, began, release, _ := blocked(t, ServerOptions{})
	s.Handle("POST /panic", func(context.Context, *Request) (*Reply, error) { panic("no") })
	url, stop := startStoppable(t, s)
	c := newClient(t, ClientOptions{}, "counter", url)
	inFlight := func() float64 { return m.Point("gym.server.requests.in_flight", "nemo.gym.server.name=counter").Value }
	call := begin(context.Background(), c, Call{Server: "counter", Path: "/wait"})
	receive(t, began, "the call")
	if n := inFlight(); n != 1 {
		t.Errorf("%v requests in flight, want 1", n)
	}
	close(release)
	receive(t, call, "the answer")
	for _, path := range []string{"/panic", "/nowhere"} {
		_, _ = c.Do(context.Background(), Call{Server: "counter", Path: path})
	}
	if _, err := c.Do(context.Background(), Call{Server: "counter", Path: "/healthz", Method: "GET"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(context.Background(), Call{Server: "counter", Path: "/nowhere", Method: "BREW"}); err != nil {
		t.Error(err)
	}
	c.Close()
	if err := stop(); err != nil { // an answer is there before its request has ended
		t.Error(err)
	}
	var got []string
	for _, p := range m.Points("http.server.request.duration") {
		got = append(got, p.Attributes)
	}
	want := []string{
		"error.type=500,http.request.method=POST,http.response.status_code=500,http.route=/panic,url.scheme=http",
		"http.request.method=POST,http.response.status_code=200,http.route=/wait,url.scheme=http",
		"http.request.method=POST,http.response.status_code=404,url.scheme=http",
		"http.request.method=_OTHER,http.response.status_code=404,url.scheme=http",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || inFlight() != 0 {
		t.Errorf("%v in flight, requests\n%s", inFlight(), strings.Join(got, "\n"))
	}
}
