package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

func TestMain(m *testing.M) {
	otel.SetTextMapPropagator(lensotel.TraceContext{})
	goleak.VerifyTestMain(m)
}

// rig is a registry with a group for the package and one that is always on, and what it records.
type rig struct {
	registry   *lens.Registry
	calls, own *lens.Group
	spans      *spans
}

func newRig() rig {
	r := rig{registry: lens.NewRegistry(), spans: &spans{}}
	r.spans.none.L = &r.spans.mu
	r.registry.SetLogger(slog.New(slog.DiscardHandler))
	r.calls, r.own = r.registry.NewGroup("calls"), r.registry.NewGroup("own")
	r.registry.MustRegister(lens.Library{Namespace: "test", Groups: []*lens.Group{r.calls, r.own}})
	seam.SetProvider(r.registry, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans)))
	return r
}

// spans keeps what has ended, and knows what has not: servers end their spans after they have answered.
type spans struct {
	mu    sync.Mutex
	none  sync.Cond
	open  int
	ended []sdktrace.ReadOnlySpan
}

func (s *spans) OnStart(context.Context, sdktrace.ReadWriteSpan) {
	s.mu.Lock()
	s.open++
	s.mu.Unlock()
}

func (s *spans) OnEnd(span sdktrace.ReadOnlySpan) {
	s.mu.Lock()
	s.open--
	s.ended = append(s.ended, span)
	s.mu.Unlock()
	s.none.Broadcast()
}

func (*spans) Shutdown(context.Context) error   { return nil }
func (*spans) ForceFlush(context.Context) error { return nil }

// take waits until no span is open, and gives those that ended since the last take.
func (s *spans) take() []sdktrace.ReadOnlySpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open > 0 {
		s.none.Wait()
	}
	ended := s.ended
	s.ended = nil
	return ended
}

// operate runs an operation inside a span of the program's own, which comes out as it went in, and gives the spans of the
// package.
func (r rig) operate(t *testing.T, operation func(ctx context.Context)) (theirs []sdktrace.ReadOnlySpan) {
	t.Helper()
	ctx, span := r.own.Start(lens.With(t.Context(), lens.Int("run", 7)), "own")
	operation(ctx)
	if !span.Recording() || !trace.SpanFromContext(ctx).IsRecording() {
		t.Error("the package ended the caller's span")
	}
	span.End()
	for _, s := range r.spans.take() {
		if s.SpanContext().TraceID() != span.Ref().TraceID {
			t.Errorf("%s is in another trace", s.Name())
		}
		scope := s.InstrumentationScope()
		group, _ := scope.Attributes.Value("lens.group")
		switch {
		case group.AsString() == "calls":
			theirs = append(theirs, s)
		case s.Name() == "own" && (len(s.Attributes()) != 1 || len(s.Events()) > 0):
			t.Errorf("the caller's span has %v and %v", s.Attributes(), s.Events())
		}
	}
	return theirs
}

// switching wants spans only while the group is on, through one and the same instrumented thing.
func (r rig) switching(t *testing.T, operation func(ctx context.Context), atLeast int) {
	t.Helper()
	for i, spec := range []string{"own", "own,calls", "own", "all", "own"} {
		r.registry.SetSpec(spec)
		spans := r.operate(t, operation)
		for _, s := range spans {
			if s.SpanKind() == trace.SpanKindClient && !slices.Contains(s.Attributes(), attribute.Int("run", 7)) {
				t.Errorf("%s has no attribute of lens.With", s.Name())
			}
		}
		switch on := i%2 == 1; {
		case !on && len(spans) > 0:
			t.Errorf("%q: %d spans, the first %s", spec, len(spans), spans[0].Name())
		case on && len(spans) < atLeast:
			t.Errorf("%q: %d spans, want %d", spec, len(spans), atLeast)
		}
	}
}

func TestSubjects(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.Name, func(t *testing.T) {
			r := newRig()
			operate, done := s.Open(lensotel.TracerProvider(r.calls))
			defer func() {
				if err := done(); err != nil {
					t.Error(err)
				}
			}()
			r.switching(t, func(ctx context.Context) {
				if err := operate(ctx); err != nil {
					t.Error(err)
				}
			}, 1)
		})
	}
}

// TestHTTP: a request over the network, with both sides instrumented; while the group is off the trace goes on.
func TestHTTP(t *testing.T) {
	r := newRig()
	provider := lensotel.TracerProvider(r.calls)
	server := httptest.NewServer(otelhttp.NewHandler(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, span := r.own.Start(req.Context(), "handler")
		span.End()
	}), "serve", otelhttp.WithTracerProvider(provider)))
	defer server.Close()
	client := server.Client()
	client.Transport = otelhttp.NewTransport(client.Transport, otelhttp.WithTracerProvider(provider))
	r.switching(t, func(ctx context.Context) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}, 2)
}

// TestGRPC: calls over a connection, with both sides instrumented.
func TestGRPC(t *testing.T) {
	r := newRig()
	provider := lensotel.TracerProvider(r.calls)
	server := grpc.NewServer(grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(provider))))
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	listener := bufconn.Listen(1 << 16)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///health", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithStatsHandler(otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(provider))))
	if err != nil {
		t.Fatal(err)
	}
	client := grpc_health_v1.NewHealthClient(conn)
	r.switching(t, func(ctx context.Context) {
		if _, err := client.Check(ctx, &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Error(err)
		}
	}, 2)
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	server.GracefulStop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestReport: the program measures everything that it says.
func TestReport(t *testing.T) {
	var out bytes.Buffer
	if err := program.Run(t.Context(), []string{"-rounds", "2", "-operations", "20"}, &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Count(s, "\n") != 1+len(subjects) || strings.Contains(s, "missing") {
		t.Errorf("printed is\n%s", s)
	}
}
