package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/lensgo/lens"
)

// sink is a ResponseWriter that keeps nothing.
type sink struct{ h http.Header }

func (s sink) Header() http.Header         { return s.h }
func (s sink) Write(b []byte) (int, error) { return len(b), nil }
func (s sink) WriteHeader(int)             {}

const testSession = "Gym___counter=1b7c0f3a-3c52-4d0e-9c1e-2f6f3b8a9d10"

// ingress returns one request through a server, without a network.
func ingress(tb testing.TB) func() {
	s := newServer(tb, ServerOptions{})
	reply := &Reply{Body: []byte("{}")}
	s.Handle("POST /verify", func(context.Context, *Request) (*Reply, error) { return reply, nil })
	u, _ := url.Parse("/verify")
	body := []byte(`{"response":{}}`)
	reader := bytes.NewReader(body)
	r := (&http.Request{
		Method: "POST", URL: u, Host: "127.0.0.1", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Cookie": {testSession}}, Body: io.NopCloser(reader), ContentLength: int64(len(body)),
	}).WithContext(context.Background())
	w := sink{http.Header{}}
	return func() {
		reader.Reset(body)
		clear(w.h)
		s.ServeHTTP(w, r)
	}
}

// TestAllocs pins what our side of a hop allocates with the groups off, net/http's own not counted.
func TestAllocs(t *testing.T) {
	record(t, "job")
	// The exchange, its cookies and its session line; the context value and the context; the body; the request; two
	// lists of header lines and a length.
	if n := testing.AllocsPerRun(100, ingress(t)); n > 9 {
		t.Errorf("a request through the server allocates %v times, want at most 9", n)
	}
	c := newClient(t, ClientOptions{}, "counter", "http://127.0.0.1:1")
	ctx, call := context.Background(), Call{Method: "POST", Server: "counter", Path: "/verify", Body: []byte("{}"), Cookies: Cookies{testSession}}
	if n := testing.AllocsPerRun(100, func() {
		addr, err := c.address(call)
		if err != nil {
			t.Fatal(err)
		}
		request(ctx, call, addr, outgoing(ctx, call, addr))
	}); n > 9 {
		t.Errorf("a request of the client allocates %v times, want at most 9", n)
	}
}

// BenchmarkHop is a whole call over loopback: client, server, and what stands between. Raw is net/http alone, with the
// same transport.
func BenchmarkHop(b *testing.B) {
	s := newServer(b, ServerOptions{})
	body := bytes.Repeat([]byte("x"), 2048)
	s.Handle("POST /verify", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	c := newClient(b, ClientOptions{}, "counter", start(b, s))
	call := Call{Server: "counter", Path: "/verify", Body: body, Cookies: Cookies{testSession}}
	ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if err != nil {
		b.Fatal(err)
	}
	hop := func(b *testing.B, ctx context.Context) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Do(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("Raw", func(b *testing.B) { rawHop(b, body) })
	b.Run("Off", func(b *testing.B) { hop(b, context.Background()) })
	b.Run("OffWithContext", func(b *testing.B) { hop(b, lens.WithParent(context.Background(), ref)) })
	b.Run("On", func(b *testing.B) {
		recordNothing(b)
		hop(b, context.Background())
	})
}

func rawHop(b *testing.B, body []byte) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Length", fmt.Sprint(len(got)))
		w.Write(got)
	}))
	defer srv.Close()
	tr := newTransport(nil, 0, clientIdle)
	defer tr.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		r, _ := http.NewRequest("POST", srv.URL+"/verify", bytes.NewReader(body))
		res, err := tr.RoundTrip(r)
		if err != nil {
			b.Fatal(err)
		}
		io.ReadAll(res.Body)
		res.Body.Close()
	}
}

// BenchmarkIngress is the server's side alone, without a network.
func BenchmarkIngress(b *testing.B) {
	run := func(b *testing.B) {
		f := ingress(b)
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
	}
	b.Run("Off", run)
	b.Run("On", func(b *testing.B) {
		recordNothing(b)
		run(b)
	})
}
