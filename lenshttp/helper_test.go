//go:build !lens_off

package lenshttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// groups are two groups of a registry of their own, and what they record.
type groups struct {
	server, client *lens.Group
	*tracetest.SpanRecorder
}

// record gives the groups, on as far as the spec says.
func record(t testing.TB, spec string) groups {
	t.Helper()
	r, recorder := lens.NewRegistry(), tracetest.NewSpanRecorder()
	seam.SetProvider(r, sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)))
	g := groups{r.NewGroup("server"), r.NewGroup("http_client"), recorder}
	if err := r.Register(lens.Library{Namespace: "test", Groups: []*lens.Group{g.server, g.client}}); err != nil {
		t.Fatal(err)
	}
	r.SetSpec(spec)
	return g
}

// one gives the only span that ended.
func (g groups) one(t *testing.T) sdk.ReadOnlySpan {
	t.Helper()
	spans := g.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans ended, want 1", len(spans))
	}
	return spans[0]
}

// has checks the attributes that the span must have; a nil value is one that it must not.
func has(t *testing.T, s sdk.ReadOnlySpan, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for _, kv := range s.Attributes() {
		got[string(kv.Key)] = value(kv.Value)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v (%T), want %v", k, got[k], got[k], v)
		}
	}
}

func value(v attribute.Value) any {
	if v.Type() == attribute.INT64 {
		return int(v.AsInt64())
	}
	return v.AsInterface()
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

// child says that s is a child of the parent.
func child(t *testing.T, s sdk.ReadOnlySpan, parent trace.SpanContext) {
	t.Helper()
	if s.Parent().SpanID() != parent.SpanID() || s.SpanContext().TraceID() != parent.TraceID() {
		t.Errorf("%s has the parent %s in trace %s, want %s in %s",
			s.Name(), s.Parent().SpanID(), s.SpanContext().TraceID(), parent.SpanID(), parent.TraceID())
	}
}
