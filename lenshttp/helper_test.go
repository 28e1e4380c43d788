//go:build !lens_off

package lenshttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// groups are two groups of a registry of their own, and what they record.
type groups struct {
	*lenstest.Recorder
	server, client *lens.Group
}

// record gives the groups, on as far as the spec says.
func record(t testing.TB, spec string) groups {
	t.Helper()
	rec := lenstest.New(t)
	g := groups{rec, rec.NewGroup("server"), rec.NewGroup("http_client")}
	rec.MustRegister(lens.Library{Namespace: "test", Groups: []*lens.Group{g.server, g.client}})
	rec.SetSpec(spec)
	return g
}

// one gives the only span that ended.
func (g groups) one(t *testing.T) lenstest.Span {
	t.Helper()
	spans := g.Spans()
	if len(spans) != 1 {
		t.Fatalf("%d spans ended, want 1", len(spans))
	}
	return spans[0]
}

// parent gives a context with a remote parent.
func parent(t testing.TB, state string) context.Context {
	t.Helper()
	r, err := lens.ParseRef(traceparent, state)
	if err != nil {
		t.Fatal(err)
	}
	return lens.WithParent(t.Context(), r)
}

// spanID is the id of a span as traceparent has it, and "" of none.
func spanID(r lens.Ref) string {
	if !r.Valid() {
		return ""
	}
	return r.String()[36:52]
}

// server starts a server on the loopback interface.
func server(t testing.TB, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// client gives a client with its own connections.
func client(t testing.TB, wrap func(http.RoundTripper) http.RoundTripper) *http.Client {
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	return &http.Client{Transport: wrap(base)}
}
