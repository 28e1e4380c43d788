//go:build !lens_off

package lenshttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/lenstest"
)

// roundTripper answers in the test's goroutine.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int) *http.Response {
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody}
}

func TestTransportSpan(t *testing.T) {
	g := record(t, "http_client")
	var sent http.Header
	rt := lenshttp.Transport(g.client, roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return answer(200), nil
	}))
	r, err := http.NewRequestWithContext(parent(t, "foo@=1"), "POST", "http://user:secret@example.com:81/a/b?secret=1#secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "x")
	r.Header.Set("Traceparent", "stale")
	r.Header["Tracestate"] = []string{"stale=1", "stale=2"}
	before := fmt.Sprint(r.Header)
	resp, err := rt.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if after := fmt.Sprint(r.Header); after != before {
		t.Errorf("the caller's headers are changed: %s", after)
	}

	s := g.one(t)
	if s.Name != "POST" || s.Kind != lens.Client || s.Status != lenstest.Unset {
		t.Errorf("it is %q, %v, %v", s.Name, s.Kind, s.Status)
	}
	want := fmt.Sprintf("00-%s-%s-01", traceID, spanID(s.Ref))
	if got := sent.Values("Traceparent"); len(got) != 1 || got[0] != want {
		t.Errorf("traceparent is %q, want %q", got, want)
	}
	if got := sent.Values("Tracestate"); len(got) != 1 || got[0] != "foo@=1" || sent.Get("Accept") != "x" {
		t.Errorf("the headers are %v", sent)
	}
	s.AssertAttrs(t, map[string]any{
		"http.request.method":       "POST",
		"http.response.status_code": 200,
		"http.request.resend_count": nil,
		"url.full":                  "http://example.com:81/a/b",
		"server.address":            "example.com",
		"server.port":               81,
		"network.protocol.version":  "1.1",
		"error.type":                nil,
	})
	for key, v := range s.Attrs {
		if strings.Contains(fmt.Sprint(v), "secret") {
			t.Errorf("a secret is in %s", key)
		}
	}
}

func TestTransportStatus(t *testing.T) {
	failure := errors.New("no way")
	for name, test := range map[string]struct {
		resp *http.Response
		err  error
		code lenstest.Status
		kind any
	}{
		"200":     {answer(200), nil, lenstest.Unset, nil},
		"302":     {answer(302), nil, lenstest.Unset, nil},
		"400":     {answer(400), nil, lenstest.Error, "400"},
		"404":     {answer(404), nil, lenstest.Error, "404"},
		"599":     {answer(599), nil, lenstest.Error, "599"},
		"failure": {nil, failure, lenstest.Error, "*errors.errorString"},
	} {
		t.Run(name, func(t *testing.T) {
			g := record(t, "http_client")
			rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return test.resp, test.err }))
			resp, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/", nil))
			if resp != test.resp || err != test.err {
				t.Errorf("it gives %v, %v", resp, err)
			}
			s := g.one(t)
			if s.Status != test.code {
				t.Errorf("the status is %v", s.Status)
			}
			s.AssertAttrs(t, map[string]any{"error.type": test.kind})
		})
	}
}

// TestProtocol: the version is written as the protocol is called.
func TestProtocol(t *testing.T) {
	for want, version := range map[string][2]int{"1.0": {1, 0}, "1.1": {1, 1}, "2": {2, 0}, "3": {3, 0}, "": {0, 0}} {
		g := record(t, "http_client")
		resp := answer(200)
		resp.ProtoMajor, resp.ProtoMinor = version[0], version[1]
		rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return resp, nil }))
		if _, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/", nil)); err != nil {
			t.Fatal(err)
		}
		if got, _ := g.one(t).Attrs["network.protocol.version"].(string); got != want {
			t.Errorf("%v is %q, want %q", version, got, want)
		}
	}
}

// TestStaleTracestate: a tracestate without its parent goes away with it, and stays on the caller's request.
func TestStaleTracestate(t *testing.T) {
	g := record(t, "http_client")
	var sent http.Header
	rt := lenshttp.Transport(g.client, roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return answer(200), nil
	}))
	r := httptest.NewRequest("GET", "http://x/", nil)
	r.Header.Set("Traceparent", "stale")
	r.Header.Set("Tracestate", "stale=1")
	if _, err := rt.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	if got := g.one(t).Ref.String(); sent.Get("Traceparent") != got || sent.Values("Tracestate") != nil {
		t.Errorf("%v goes out, and the span is %s", sent, got)
	}
	if r.Header.Get("Traceparent") != "stale" || r.Header.Get("Tracestate") != "stale=1" {
		t.Errorf("the caller's headers are changed to %v", r.Header)
	}
}

// looking is a propagator that looks at what is there before it writes.
type looking struct{ saw map[string]any }

func (l looking) Inject(_ context.Context, c propagation.TextMapCarrier) {
	l.saw["get"], l.saw["keys"] = c.Get("accept"), fmt.Sprint(c.Keys())
	if v, ok := c.(propagation.ValuesGetter); ok {
		l.saw["values"] = fmt.Sprint(v.Values("accept"))
	}
	c.Set("b3", "1-2")
}

func (looking) Extract(ctx context.Context, _ propagation.TextMapCarrier) context.Context { return ctx }
func (looking) Fields() []string                                                          { return nil }

// TestForeignPropagator: one that is not ours sees the request's headers, and writes into the copy.
func TestForeignPropagator(t *testing.T) {
	before := seam.Propagator()
	t.Cleanup(func() { seam.SetPropagator(before) })
	l := looking{map[string]any{}}
	seam.SetPropagator(l)

	var sent http.Header
	rt := lenshttp.Transport(nil, roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return answer(200), nil
	}))
	r := httptest.NewRequest("GET", "http://x/", nil)
	r.Header["Accept"] = []string{"x", "y"}
	if _, err := rt.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"get": "x", "keys": "[Accept]", "values": "[x y]"}; !maps.Equal(l.saw, want) {
		t.Errorf("it saw %v, want %v", l.saw, want)
	}
	if sent.Get("B3") != "1-2" || r.Header.Get("B3") != "" {
		t.Errorf("%v goes out, and the caller's are %v", sent, r.Header)
	}
}

// TestQueryInError: a base that is a client itself says the whole URL in its error.
func TestQueryInError(t *testing.T) {
	g := record(t, "http_client")
	failure := fmt.Errorf("giving up: %w", &url.Error{Op: "Get", URL: "http://x/?secret=1", Err: io.ErrUnexpectedEOF})
	rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return nil, failure }))
	if _, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/?secret=1", nil)); err != failure {
		t.Errorf("it gives %v", err)
	}
	s := g.one(t)
	if text := fmt.Sprint(s); strings.Contains(text, "secret") || s.Message != "unexpected EOF" {
		t.Errorf("on the span is %s", text)
	}
	s.AssertAttrs(t, map[string]any{"error.type": "*errors.errorString", "lens.canceled": nil})
}

func TestTransportOff(t *testing.T) {
	g := record(t, "server")
	for name, group := range map[string]*lens.Group{"off": g.client, "nil": nil} {
		var sent *http.Request
		rt := lenshttp.Transport(group, roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r
			return answer(500), nil
		}))
		bare := httptest.NewRequest("GET", "http://x/", nil)
		if resp, err := rt.RoundTrip(bare); err != nil || resp.StatusCode != 500 || sent != bare {
			t.Errorf("%s: with nothing to inject the request is not handed on as it is", name)
		}
		ctx, err := lens.WithBaggage(parent(t, "lens=r"), "k", "v")
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "http://x/", nil).WithContext(ctx)
		r.Header = nil
		if _, err := rt.RoundTrip(r); err != nil || r.Header != nil {
			t.Errorf("%s: %v, the caller's headers are %v", name, err, r.Header)
		}
		h := sent.Header
		if h.Get("Traceparent") != traceparent || h.Get("Tracestate") != "lens=r" || h.Get("Baggage") != "k=v" {
			t.Errorf("%s: the headers are %v", name, h)
		}
	}
	if len(g.Spans()) != 0 {
		t.Error("there are spans")
	}
}

func TestTransportUnsampled(t *testing.T) {
	g := record(t, "http_client")
	var sent http.Header
	var below lens.Ref
	rt := lenshttp.Transport(g.client, roundTripper(func(r *http.Request) (*http.Response, error) {
		sent, below = r.Header, lens.RefFrom(r.Context())
		return answer(200), nil
	}))
	ref, err := lens.ParseRef(traceparent[:53]+"00", "")
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "http://x/", nil).WithContext(lens.WithParent(t.Context(), ref))
	if _, err := rt.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	got := sent.Get("Traceparent")
	if !strings.HasPrefix(got, traceparent[:36]) || !strings.HasSuffix(got, "-00") {
		t.Errorf("%q goes out, which is not the sampler's decision", got)
	}
	if below.String() != got {
		t.Errorf("what is below the transport sees %s, and %s goes out", below, got)
	}
}

// TestTransportWithoutAnswer: a base that gives neither answer nor error is net/http's to complain about.
func TestTransportWithoutAnswer(t *testing.T) {
	g := record(t, "http_client")
	rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil }))
	if resp, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/", nil)); resp != nil || err != nil {
		t.Errorf("%v, %v", resp, err)
	}
	g.one(t).AssertAttrs(t, map[string]any{"http.response.status_code": nil})
}

func TestRedirectsAreSpansOfTheirOwn(t *testing.T) {
	g := record(t, "server,http_client")
	s := server(t, lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/2" {
			http.Redirect(w, r, "/"+string('0'+rune(len(r.URL.Path))), http.StatusFound)
		}
	})))
	c := client(t, func(base http.RoundTripper) http.RoundTripper { return lenshttp.Transport(g.client, base) })
	r, _ := http.NewRequestWithContext(parent(t, ""), "GET", s.URL+"/", nil)
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	s.Close() // the handlers have returned
	var counts []any
	for _, s := range g.Spans() {
		if s.Kind != lens.Client {
			continue
		}
		if s.Parent.String() != traceparent {
			t.Errorf("%s has the parent %s", s.Name, s.Parent)
		}
		counts = append(counts, s.Attrs["http.request.resend_count"])
	}
	if fmt.Sprint(counts) != "[<nil> 1 2]" {
		t.Errorf("the resend counts are %v", counts)
	}
}

// TestChain is TC-15 as far as it is ours: a trace through three services over real connections, whichever groups are
// on, and TC-03: what the trace carries comes out at its end.
func TestChain(t *testing.T) {
	const state = "foo=1,foo@=2"
	for _, spec := range []string{"server,http_client", "server", "http_client", ""} {
		t.Run("groups "+spec, func(t *testing.T) {
			g := record(t, spec)
			c := client(t, func(base http.RoundTripper) http.RoundTripper { return lenshttp.Transport(g.client, base) })
			var arrived http.Header
			last := server(t, lenshttp.Handler(g.server, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				arrived = r.Header
				if lens.Baggage(r.Context(), "k") != "v" {
					t.Error("the baggage is lost on the way")
				}
			})))
			hop := func(to string) http.Handler {
				return lenshttp.Handler(g.server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					out, _ := http.NewRequestWithContext(r.Context(), "POST", to, nil)
					resp, err := c.Do(out)
					if err != nil {
						t.Error(err)
						return
					}
					resp.Body.Close()
				}))
			}
			middle := server(t, hop(last.URL))
			first := server(t, hop(middle.URL))
			r, _ := http.NewRequestWithContext(t.Context(), "POST", first.URL, nil)
			r.Header = http.Header{"Traceparent": {traceparent}, "Tracestate": {"foo=1", "foo@=2"}, "Baggage": {"k=v"}}
			plain := client(t, func(base http.RoundTripper) http.RoundTripper { return base })
			resp, err := plain.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			first.Close()
			middle.Close()
			last.Close()

			if got := arrived.Get("Traceparent"); !strings.HasPrefix(got, traceparent[:36]) {
				t.Errorf("%q arrives", got)
			}
			if got := strings.Join(arrived.Values("Tracestate"), ","); got != state {
				t.Errorf("the tracestate %q arrives", got)
			}
			wantChain(t, g.Spans(), arrived.Get("Traceparent"))
		})
	}
}

// wantChain checks that the spans are one line from the span that arrived last up to the remote parent.
func wantChain(t *testing.T, spans []lenstest.Span, last string) {
	t.Helper()
	byID := map[string]lenstest.Span{}
	servers := 0
	for _, s := range spans {
		byID[spanID(s.Ref)] = s
		if s.Kind == lens.Server {
			servers++
		}
	}
	length := 0
	for id := strings.Split(last, "-")[2]; byID[id].Name != ""; id = spanID(byID[id].Parent) {
		length++
	}
	if servers > 0 {
		length++ // the last server's own span arrives nowhere
	}
	if length != len(spans) {
		t.Errorf("the line from the end to the remote parent has %d spans of %d", length, len(spans))
	}
}

// hanging is a body that fails.
type hanging struct{ io.Reader }

func (hanging) Close() error { return nil }

func TestSpanEndsAtHeaders(t *testing.T) {
	g := record(t, "http_client")
	rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) {
		resp := answer(200)
		resp.Body = hanging{strings.NewReader("body")}
		return resp, nil
	}))
	resp, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	g.one(t)
	if _, ok := resp.Body.(hanging); !ok {
		t.Errorf("the body is wrapped in a %T", resp.Body)
	}
}

func TestCancelledRequest(t *testing.T) {
	g := record(t, "http_client")
	ctx, cancel := context.WithCancel(t.Context())
	rt := lenshttp.Transport(g.client, roundTripper(func(r *http.Request) (*http.Response, error) {
		cancel()
		<-r.Context().Done()
		return nil, r.Context().Err()
	}))
	_, err := rt.RoundTrip(httptest.NewRequest("GET", "http://x/", nil).WithContext(ctx))
	if !errors.Is(err, context.Canceled) || g.one(t).Status != lenstest.Error {
		t.Errorf("%v, %v", err, g.one(t).Status)
	}
}

func TestCloseIdleConnections(t *testing.T) {
	closed := false
	base := struct {
		roundTripper
		closer
	}{nil, func() { closed = true }}
	c := http.Client{Transport: lenshttp.Transport(nil, base)}
	if c.CloseIdleConnections(); !closed {
		t.Error("the base is not asked")
	}
	c.Transport = lenshttp.Transport(nil, roundTripper(nil))
	c.CloseIdleConnections()
}

type closer func()

func (c closer) CloseIdleConnections() { c() }

func TestStartClientWithoutURL(t *testing.T) {
	g := record(t, "http_client")
	_, span := lenshttp.StartClient(t.Context(), g.client, "HTTP POST", "POST", nil)
	lenshttp.RecordClient(span, 503)
	span.End()
	s := g.one(t)
	if s.Name != "HTTP POST" || s.Status != lenstest.Unset {
		t.Errorf("%q, %v: a status is no error by itself", s.Name, s.Status)
	}
	s.AssertAttrs(t, map[string]any{"http.response.status_code": 503, "url.full": nil})
}

func TestBareURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://a/b?":               "http://a/b",
		"https://u@a/%2Fb#x":        "https://a/%2Fb",
		"http://[::1]:8/":           "http://[::1]:8/",
		"/relative/only?x=1":        "/relative/only",
		"http://u:p@a:1/b;c?d=e%20": "http://a:1/b;c",
	} {
		g := record(t, "http_client")
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		_, span := lenshttp.StartClient(t.Context(), g.client, "GET", "GET", u)
		span.End()
		g.one(t).AssertAttrs(t, map[string]any{"url.full": want})
		if u.String() != in {
			t.Errorf("the caller's URL is changed to %s", u)
		}
	}
}

// TestBareURLOfParts: URLs that no text gives.
func TestBareURLOfParts(t *testing.T) {
	for want, u := range map[string]*url.URL{
		"http://host/a%2Fb":  {Scheme: "http", Opaque: "//u:secret@host/a%2Fb?secret=1", RawQuery: "secret"},
		"http://host":        {Scheme: "http", Opaque: "//u:secret@host", Host: "host"},
		"http:/a@b":          {Scheme: "http", Opaque: "/a@b?secret"},
		"http://host:81/a@b": {Scheme: "http", Host: "u:secret@host:81", Path: "/a@b"},
	} {
		g := record(t, "http_client")
		_, span := lenshttp.StartClient(t.Context(), g.client, "GET", "GET", u)
		span.End()
		s := g.one(t)
		s.AssertAttrs(t, map[string]any{"url.full": want})
		if strings.Contains(fmt.Sprint(s.Attrs), "secret") {
			t.Errorf("a secret is in %v", s.Attrs)
		}
	}
}

func TestTransportAllocations(t *testing.T) {
	g := record(t, "")
	resp := answer(200)
	rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return resp, nil }))
	bare := httptest.NewRequest("GET", "http://x/", nil)
	if n := testing.AllocsPerRun(100, func() { _, _ = rt.RoundTrip(bare) }); n > 1 {
		t.Errorf("off and with nothing to inject: %v allocations, 1 is allowed", n)
	}
}

func BenchmarkTransport(b *testing.B) {
	for name, spec := range map[string]string{"Off": "", "On": "http_client"} {
		g := record(b, spec)
		resp := answer(200)
		rt := lenshttp.Transport(g.client, roundTripper(func(*http.Request) (*http.Response, error) { return resp, nil }))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("POST", "http://x/verify", nil).WithContext(parent(b, ""))
			r.Header.Set("Content-Type", "application/json")
			for b.Loop() {
				_, _ = rt.RoundTrip(r)
				g.Reset()
			}
		})
	}
}
