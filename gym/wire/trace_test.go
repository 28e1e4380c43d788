package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
)

// hop is the smallest run: a driver asks the agent, the agent asks the model.
type hop struct {
	driver *Client
	seen   chan http.Header // by the model
}

func newHop(t *testing.T) *hop {
	h := &hop{seen: make(chan http.Header, 8)}
	model := newServer(t, ServerOptions{Name: "model"})
	model.Handle("GET /v1/models", func(_ context.Context, r *Request) (*Reply, error) {
		h.seen <- r.Header
		return JSON("answer")
	})
	url := start(t, model)
	inner := newClient(t, ClientOptions{}, "model", url)
	agent := newServer(t, ServerOptions{Name: "agent"})
	agent.Handle("POST /run", func(ctx context.Context, r *Request) (*Reply, error) {
		call := Call{Method: "GET", Server: "model", Path: "/v1/models"}
		if string(r.Body) == "outside" {
			call = Call{Method: "GET", URL: strings.Replace(url, "http://", "http://user:hunter2@", 1) + "/v1/models?api_key=hunter3"}
		}
		res, err := inner.Do(ctx, call)
		if err != nil {
			return nil, err
		}
		return &Reply{Body: res.Body}, res.Err()
	})
	h.driver = newClient(t, ClientOptions{}, "agent", start(t, agent))
	return h
}

// P1 to P5 of the upstream tests.
func TestPropagation(t *testing.T) {
	all := record(t, "all")
	h := newHop(t)
	do(t, h.driver, Call{Server: "agent", Path: "/run", Body: []byte("outside"), Quiet: true})

	got := all.wait(t, 3)
	run, get, models := one(t, got, "POST /run"), one(t, got, "HTTP GET"), one(t, got, "GET /v1/models")
	if run.Kind != lens.Server || get.Kind != lens.Client || models.Kind != lens.Server {
		t.Errorf("P1: kinds %v", names(got))
	}
	for _, s := range got {
		if s.Ref.TraceID != run.Ref.TraceID {
			t.Errorf("P1: %s is in another trace", s.Name)
		}
	}
	if run.Parent.Valid() {
		t.Errorf("the root has the parent %v", run.Parent)
	}
	if get.Parent.SpanID != run.Ref.SpanID || models.Parent.SpanID != get.Ref.SpanID {
		t.Error("P2: the spans do not hang below each other")
	}
	if !models.Parent.Remote || models.Ref.SpanID == get.Ref.SpanID {
		t.Error("P3: the context did not come by the wire")
	}
	if get.Attrs["http.request.method"] != "GET" || get.Attrs["http.response.status_code"] != int64(200) {
		t.Errorf("P4: %v", get.Attrs)
	}
	if u, _ := get.Attrs["url.full"].(string); !strings.HasPrefix(u, "http://127.0.0.1:") || !strings.HasSuffix(u, "/v1/models") {
		t.Errorf("P5: url.full is %s", u)
	}
	for _, s := range got {
		if text := fmt.Sprint(s.Attrs); strings.Contains(text, "hunter") {
			t.Errorf("P5: %s tells a secret: %s", s.Name, text)
		}
	}
	if run.Attrs["http.route"] != "/run" || models.Attrs["http.route"] != "/v1/models" {
		t.Errorf("routes: %v, %v", run.Attrs, models.Attrs)
	}
}

// P6, and more: with the groups off the context of the caller still goes all the way.
func TestContextFlowsThroughGroupsThatAreOff(t *testing.T) {
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ref, err := lens.ParseRef("00-"+id+"-"+parent+"-01", "vendor=1")
	if err != nil {
		t.Fatal(err)
	}
	all := record(t, "job")
	h := newHop(t)
	ctx, err := lens.WithBaggage(lens.WithParent(context.Background(), ref), semconv.GymRolloutID, "7-2")
	if err != nil {
		t.Fatal(err)
	}
	for _, quiet := range []bool{false, true} {
		if _, err := h.driver.Do(ctx, Call{Server: "agent", Path: "/run", Quiet: quiet}); err != nil {
			t.Fatal(err)
		}
		seen := receive(t, h.seen, "the call of the model")
		if got, want := seen.Get("traceparent"), "00-"+id+"-"+parent+"-01"; got != want {
			t.Errorf("the model got the traceparent %q, want %q", got, want)
		}
		if seen.Get("tracestate") != "vendor=1" || seen.Get("baggage") != "nemo.gym.rollout.id=7-2" {
			t.Errorf("the model got %v", seen)
		}
	}
	if got := all.Open(); len(got)+len(all.Spans()) != 0 {
		t.Errorf("P6: spans were started: %v", got)
	}
}

// The driver's reservation: with rollout off, a trace id without a parent. The first span that takes it drops the mark.
func TestReservation(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	ref, err := lens.ParseRef("00-"+id+"-b7ad6b7169203331-03", "lens=r")
	if err != nil {
		t.Fatal(err)
	}
	all := record(t, "server")
	h := newHop(t)
	if _, err := h.driver.Do(lens.WithParent(context.Background(), ref), Call{Server: "agent", Path: "/run"}); err != nil {
		t.Fatal(err)
	}
	got := all.wait(t, 2)
	run, models := one(t, got, "POST /run"), one(t, got, "GET /v1/models")
	if fmt.Sprintf("%x", run.Ref.TraceID) != id || run.Parent.Valid() {
		t.Errorf("the agent's span is %v below %v, want a root in %s", run.Ref, run.Parent, id)
	}
	if models.Parent.SpanID != run.Ref.SpanID {
		t.Error("the model's span does not hang below the agent's")
	}
	if seen := receive(t, h.seen, "the call of the model"); seen.Get("tracestate") != "" {
		t.Errorf("the reservation went on as %q", seen.Get("tracestate"))
	}
}

// TC-11: baggage without a traceparent.
func TestBaggageAlone(t *testing.T) {
	all := record(t, "all")
	s := newServer(t, ServerOptions{})
	s.Handle("POST /look", func(ctx context.Context, _ *Request) (*Reply, error) { return JSON(lens.Baggage(ctx, "foo")) })
	url := start(t, s)
	got := do(t, newClient(t, ClientOptions{}), Call{URL: url + "/look", Quiet: true, Header: http.Header{"Baggage": {"foo=bar"}}})
	if string(got.Body) != `"bar"` {
		t.Errorf("the handler reads %s", got.Body)
	}
	span := all.wait(t, 1)[0]
	if !span.Ref.Valid() || span.Parent.Valid() {
		t.Errorf("the span is %v below %v", span.Ref, span.Parent)
	}
}

// TC-15: retries stay inside one CLIENT span; each attempt that reached the server has a SERVER span below it.
func TestRetriesInOneSpan(t *testing.T) {
	for _, tt := range []struct {
		name           string
		warm           bool // the first attempt goes over a connection that was used before: the transport replays by itself
		refused        int32
		lost           int
		servers, again int
	}{
		{"none", false, 0, 0, 1, 0},
		{"refused", false, 2, 0, 1, 2},
		{"lost", false, 0, 1, 2, 1},
		{"lost on a used connection", true, 0, 1, 2, 1},
		{"refused and lost", false, 1, 2, 3, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := record(t, "all")
			lost := tt.lost
			s := newServer(t, ServerOptions{})
			s.Handle("GET /state", func(context.Context, *Request) (*Reply, error) {
				if lost--; lost >= 0 {
					panic(http.ErrAbortHandler)
				}
				return nil, nil
			})
			c := newClient(t, ClientOptions{}, "counter", start(t, s))
			if tt.warm {
				do(t, c, Call{Server: "counter", Method: "GET", Path: "/", Quiet: true})
			}
			failDials(c, tt.refused)
			do(t, c, Call{Server: "counter", Method: "GET", Path: "/state"})
			got := all.wait(t, 1+tt.servers)
			client, servers := one(t, got, "HTTP GET"), named(got, "GET /state")
			if n := client.Attrs["http.request.resend_count"]; tt.again == 0 && n != nil || tt.again > 0 && n != int64(tt.again) {
				t.Errorf("resend_count is %v, want %d", n, tt.again)
			}
			if len(servers) != tt.servers {
				t.Errorf("%d SERVER spans, want %d", len(servers), tt.servers)
			}
			for _, s := range servers {
				if s.Parent.SpanID != client.Ref.SpanID {
					t.Error("a SERVER span does not hang below the CLIENT span")
				}
			}
			if client.Status == lenstest.Error {
				t.Errorf("the CLIENT span has the status %v", client.Status)
			}
		})
	}
}

func TestStatusRules(t *testing.T) {
	secret := strings.Repeat("s3cret ", 1000)
	all := record(t, "all")
	s := newServer(t, ServerOptions{Name: "counter"})
	for path, err := range map[string]error{
		"/chosen":   &HTTPError{Status: 404, Detail: secret},
		"/chosen5":  &HTTPError{Status: 503, Detail: secret},
		"/inner":    fmt.Errorf("cannot verify: %w", &StatusError{Server: "judge", Path: "/verify", Status: 500, Body: []byte(secret)}),
		"/plain":    errors.New("boom-42"),
		"/replyerr": nil,
	} {
		s.Handle("POST "+path, func(context.Context, *Request) (*Reply, error) { return &Reply{Status: 500, Body: []byte(secret)}, err })
	}
	s.Handle("POST /long", func(context.Context, *Request) (*Reply, error) { return nil, errors.New(strings.Repeat("é", 1000)) })
	s.Handle("POST /panic", func(context.Context, *Request) (*Reply, error) { panic(strings.Repeat("é", 1000)) })
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	for i, tt := range []struct {
		path, span string
		status     int64
		code       lenstest.Status
		text       string // of the status
	}{
		{"/chosen", "POST /chosen", 404, lenstest.Unset, ""},
		{"/nowhere", "POST", 404, lenstest.Unset, ""},
		{"/chosen5", "POST /chosen5", 503, lenstest.Error, "the answer is 503"},
		{"/inner", "POST /inner", 500, lenstest.Error, "cannot verify: judge answered 500 to POST /verify"},
		{"/plain", "POST /plain", 500, lenstest.Error, "boom-42"},
		{"/replyerr", "POST /replyerr", 500, lenstest.Error, ""},
		{"/long", "POST /long", 500, lenstest.Error, strings.Repeat("é", 509) + " [cut]"},
		{"/panic", "POST /panic", 500, lenstest.Error, strings.Repeat("é", 509) + " [cut]"},
	} {
		if res := do(t, c, Call{Server: "counter", Path: tt.path}); res.Status != int(tt.status) {
			t.Errorf("%s: got %d", tt.path, res.Status)
		}
		got := all.wait(t, 2*(i+1))[2*i:]
		server, client := one(t, got, tt.span), one(t, got, "HTTP POST")
		if server.Status != tt.code || server.Message != tt.text {
			t.Errorf("%s: SERVER status %v %q, want %v %q", tt.path, server.Status, server.Message, tt.code, tt.text)
		}
		if client.Status != lenstest.Unset || client.Attrs["http.response.status_code"] != tt.status {
			t.Errorf("%s: CLIENT status %v, %v; want none for an answer", tt.path, client.Status, client.Attrs)
		}
		if n := server.Attrs["http.response.status_code"]; n != tt.status {
			t.Errorf("%s: status_code %d, want %d", tt.path, n, tt.status)
		}
		if text := everything(server) + everything(client); strings.Contains(text, "s3cret") {
			t.Errorf("%s: a body stands on a span: %.300s", tt.path, text)
		}
	}
}

// everything is all text of a span but stack traces, which hold source positions only.
func everything(s lenstest.Span) string {
	var b strings.Builder
	fmt.Fprint(&b, s.Name, s.Message, s.Attrs)
	for _, e := range s.Events {
		for key, value := range e.Attrs {
			if key != semconv.ExceptionStacktrace {
				fmt.Fprint(&b, value)
			}
		}
	}
	return b.String()
}

func TestClientSpanOfNoAnswer(t *testing.T) {
	all := record(t, "all")
	ln := listen(t)
	defer ln.Close()
	c := newClient(t, ClientOptions{}, "mute", "http://"+ln.Addr().String())
	if _, err := c.Do(context.Background(), Call{Server: "mute", Path: "/run", Timeout: 10 * time.Millisecond}); err == nil {
		t.Fatal("no error")
	}
	span := all.wait(t, 1)[0]
	if span.Name != "HTTP POST" || span.Status != lenstest.Error || !strings.Contains(span.Message, "10ms") {
		t.Errorf("%s has the status %v %q", span.Name, span.Status, span.Message)
	}
	if span.Attrs["http.response.status_code"] != nil || span.Attrs["http.request.method"] != "POST" {
		t.Errorf("attributes %v", span.Attrs)
	}
	if len(span.Events) != 1 || span.Events[0].Name != "exception" {
		t.Errorf("events %v", span.Events)
	}
}

// The CLIENT span ends at the headers: the body takes the time that it takes.
func TestClientSpanEndsAtTheHeaders(t *testing.T) {
	all := record(t, "all")
	release := make(chan struct{})
	url := serveRaw(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "begun")
		http.NewResponseController(w).Flush()
		<-release
	})
	c := newClient(t, ClientOptions{})
	call := begin(context.Background(), c, Call{URL: url})
	all.wait(t, 1)
	select {
	case <-call:
		t.Error("the call ended before its body")
	default:
	}
	close(release)
	if a := receive(t, call, "the answer"); a.err != nil || string(a.res.Body) != "begun" {
		t.Errorf("got %+v, %v", a.res, a.err)
	}
}

func TestPoolWait(t *testing.T) {
	all := record(t, "all")
	s, began, release, _ := blocked(t, ServerOptions{})
	s.Handle("POST /quick", func(context.Context, *Request) (*Reply, error) { return nil, nil })
	c := newClient(t, ClientOptions{MaxConnsPerHost: 1}, "counter", start(t, s))
	since := time.Now()
	first := begin(context.Background(), c, Call{Server: "counter", Path: "/wait"})
	receive(t, began, "the first call")
	least := max(200*poolNoise, 2*time.Since(since)) // the call that holds the connection was quicker to get it
	asked := make(chan struct{}, 2)
	waiting := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GetConn: func(string) { asked <- struct{}{} }})
	ctx, leave := context.WithCancel(waiting)
	gone := begin(ctx, c, Call{Server: "counter", Path: "/never"})
	second := begin(waiting, c, Call{Server: "counter", Path: "/quick"})
	receive(t, asked, "a call that asks for a connection")
	receive(t, asked, "the other one")
	since = time.Now()
	<-time.After(least) // what they wait
	held := time.Since(since)
	leave()
	receive(t, gone, "the end of the call that left")
	close(release)
	receive(t, first, "the first answer")
	receive(t, second, "the second answer")
	for _, span := range named(all.wait(t, 5), "HTTP POST") {
		u, _ := span.Attrs["url.full"].(string)
		waited, _ := span.Attrs[semconv.GymWaitPool].(float64)
		if waits := waited >= held.Seconds()*1e3; waits == strings.HasSuffix(u, "/wait") {
			t.Errorf("%s waited %v ms for a connection, which was held for %v", u, waited, held)
		}
	}
}

func TestNoPoolWaitWithoutABound(t *testing.T) {
	all := record(t, "all")
	s, began, release, _ := blocked(t, ServerOptions{})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	var calls []<-chan answer
	for range 4 {
		calls = append(calls, begin(context.Background(), c, Call{Server: "counter", Path: "/wait"}))
		receive(t, began, "the call")
	}
	close(release)
	for _, call := range calls {
		receive(t, call, "the answer")
	}
	for _, span := range named(all.wait(t, 8), "HTTP POST") {
		if wait := span.Attrs[semconv.GymWaitPool]; wait != nil {
			t.Errorf("waited %v ms for a connection", wait)
		}
	}
}

// Endpoint spans, and the rollout's id on them and on the calls below.
func TestStartEndpoint(t *testing.T) {
	all := record(t, "verify,http_client")
	s := newServer(t, ServerOptions{Name: "counter"})
	outside := serveRaw(t, func(http.ResponseWriter, *http.Request) {})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	s.Handle("POST /verify", func(ctx context.Context, _ *Request) (_ *Reply, err error) {
		ctx, span := StartEndpoint(ctx, telemetry.Verify, semconv.SpanGymVerify)
		defer span.EndErr(&err)
		_, err = c.Do(ctx, Call{URL: outside})
		return nil, err
	})
	marked, err := lens.WithBaggage(context.Background(), semconv.GymRolloutID, "1-0")
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		ctx      context.Context
		path, id string
	}{
		{context.Background(), "/verify", ""},
		{context.Background(), "/ng-rollout/7-2-a1/verify", "7-2-a1"},
		{marked, "/ng-rollout/7-2-a1/verify", "1-0"},
	} {
		if _, err := c.Do(tt.ctx, Call{Server: "counter", Path: tt.path, Quiet: true}); err != nil {
			t.Fatal(err)
		}
		got := all.wait(t, 2*(i+1))[2*i:]
		verify, post := one(t, got, "gym.verify"), one(t, got, "HTTP POST")
		if verify.Attrs["nemo.gym.server.name"] != "counter" {
			t.Errorf("%s: %v", tt.path, verify.Attrs)
		}
		for _, s := range []lenstest.Span{verify, post} {
			id := s.Attrs[semconv.GymRolloutID]
			if tt.id == "" && id != nil || tt.id != "" && id != tt.id {
				t.Errorf("%s: %s has the id %v, want %q", tt.path, s.Name, id, tt.id)
			}
		}
		if post.Parent.SpanID != verify.Ref.SpanID {
			t.Errorf("%s: the call does not hang below the endpoint", tt.path)
		}
	}
	ctx := context.Background()
	if got, span := StartEndpoint(ctx, telemetry.Agent, "off"); got != ctx || span.Recording() {
		t.Error("a group that is off changed the context")
	}
}

func TestHealthHasNoSpan(t *testing.T) {
	all := record(t, "all")
	s := newServer(t, ServerOptions{})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	do(t, c, Call{Server: "counter", Method: "GET", Path: "/", Quiet: true})
	do(t, c, Call{Server: "counter", Path: "/nowhere", Quiet: true})
	if got := all.wait(t, 1); got[0].Name != "POST" {
		t.Errorf("spans %v", names(got))
	}
}
