//go:build !lens_off

package lensgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensgrpc"
	"github.com/lensgo/lens/lenstest"
)

const unaryCall = "grpc.testing.TestService/UnaryCall"

// both gives a client of the service with both edges behind their groups.
func (g groups) both(t testing.TB, s *service, options ...grpc.DialOption) testpb.TestServiceClient {
	t.Helper()
	dial := serve(t, s, lensgrpc.ServerOptions(g.server)...)
	return dial(append(options, lensgrpc.DialOptions(g.client)...)...)
}

// sides gives the only CLIENT and the only SERVER span.
func (g groups) sides(t testing.TB) (client, server lenstest.Span) {
	t.Helper()
	for _, s := range g.Wait(t, 2) {
		switch s.Kind {
		case lens.Client:
			client = s
		case lens.Server:
			server = s
		}
	}
	if client.Name == "" || server.Name == "" {
		t.Fatalf("want a span of each side, there are:\n%s", g.Tree())
	}
	return client, server
}

func TestUnary(t *testing.T) {
	g := record(t, "all")
	client := g.both(t, &service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		_, span := g.work.Start(ctx, "work")
		span.End()
		return &testpb.SimpleResponse{}, nil
	}})
	if _, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	c, s := g.sides(t)
	g.Wait(t, 3)
	g.AssertTree(t, `
		grpc.testing.TestService/UnaryCall (client)
		  grpc.testing.TestService/UnaryCall (server)
		    work
	`)
	for _, span := range []lenstest.Span{c, s} {
		span.AssertAttrs(t, map[string]any{
			"rpc.system.name":          "grpc",
			"rpc.method":               unaryCall,
			"rpc.method_original":      nil,
			"rpc.response.status_code": "OK",
			"server.address":           "shop.example",
			"server.port":              81,
			"network.peer.address":     "bufconn",
			"error.type":               nil,
			"lens.canceled":            nil,
		})
	}
}

// TestLoopback: over a real connection the peer is an address.
func TestLoopback(t *testing.T) {
	g := record(t, "all")
	target := listen(t, &service{}, lensgrpc.ServerOptions(g.server)...)
	conn := connect(t, target, lensgrpc.DialOptions(g.client)...)
	if _, err := testpb.NewTestServiceClient(conn).UnaryCall(t.Context(), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	c, s := g.sides(t)
	_, port, _ := strings.Cut(target, ":")
	if c.Attrs["network.peer.address"] != "127.0.0.1" || fmt.Sprint(c.Attrs["network.peer.port"]) != port ||
		c.Attrs["server.address"] != "127.0.0.1" || fmt.Sprint(c.Attrs["server.port"]) != port {
		t.Errorf("the client calls %v", c.Attrs)
	}
	if s.Attrs["network.peer.address"] != "127.0.0.1" || s.Attrs["network.peer.port"] == nil || fmt.Sprint(s.Attrs["server.port"]) != port {
		t.Errorf("the server is called by %v", s.Attrs)
	}
}

func TestStreams(t *testing.T) {
	s := &service{
		download: func(_ *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
			for range 3 {
				if err := out.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
					return err
				}
			}
			return nil
		},
		upload: func(in grpc.ClientStreamingServer[testpb.StreamingInputCallRequest, testpb.StreamingInputCallResponse]) error {
			for {
				if _, err := in.Recv(); errors.Is(err, io.EOF) {
					return in.SendAndClose(&testpb.StreamingInputCallResponse{})
				} else if err != nil {
					return err
				}
			}
		},
		duplex: func(both grpc.BidiStreamingServer[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse]) error {
			for {
				if _, err := both.Recv(); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := both.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
					return err
				}
			}
		},
	}
	for name, use := range map[string]func(context.Context, testpb.TestServiceClient) error{
		"StreamingOutputCall": download,
		"StreamingInputCall":  upload,
		"FullDuplexCall":      duplex,
	} {
		t.Run(name, func(t *testing.T) {
			g := record(t, "all")
			if err := use(t.Context(), g.both(t, s)); err != nil {
				t.Fatal(err)
			}
			c, s := g.sides(t)
			g.AssertTree(t, strings.ReplaceAll(`
				grpc.testing.TestService/NAME (client) rpc.response.status_code=OK network.peer.address=bufconn
				  grpc.testing.TestService/NAME (server) rpc.response.status_code=OK network.peer.address=bufconn
			`, "NAME", name), "rpc.response.status_code", "network.peer.address")
			if len(c.Events)+len(s.Events) > 0 {
				t.Errorf("messages are events: %v, %v", c.Events, s.Events)
			}
		})
	}
}

func upload(ctx context.Context, c testpb.TestServiceClient) error {
	stream, err := c.StreamingInputCall(ctx)
	for range 3 {
		if err == nil {
			err = stream.Send(&testpb.StreamingInputCallRequest{})
		}
	}
	if err != nil {
		return err
	}
	_, err = stream.CloseAndRecv()
	return err
}

func duplex(ctx context.Context, c testpb.TestServiceClient) error {
	stream, err := c.FullDuplexCall(ctx)
	if err != nil {
		return err
	}
	for range 3 {
		if err := stream.Send(&testpb.StreamingOutputCallRequest{}); err != nil {
			return err
		}
		if _, err := stream.Recv(); err != nil {
			return err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the stream ends with %w", err)
	}
	return nil
}

// TestConcurrent is for the race detector: calls of all sorts on one connection, some of which are canceled.
func TestConcurrent(t *testing.T) {
	g := record(t, "all")
	client := g.both(t, &service{duplex: func(both grpc.BidiStreamingServer[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse]) error {
		for {
			if _, err := both.Recv(); err != nil {
				return nil //nolint:nilerr // canceled or at the end, as the client likes
			}
			if err := both.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
				return err
			}
		}
	}})
	const calls = 24
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch i % 3 {
			case 0:
				_, _ = client.UnaryCall(ctx, &testpb.SimpleRequest{})
			case 1:
				if err := duplex(ctx, client); err != nil {
					t.Error(err)
				}
			case 2:
				if stream, err := client.FullDuplexCall(ctx); err == nil {
					_ = stream.Send(&testpb.StreamingOutputCallRequest{})
				}
			}
		})
	}
	wg.Wait()
	// The servers of canceled calls may never have heard of them, so there is no number of spans to wait for.
	for least, clients := calls, 0; clients < calls; {
		spans := g.Wait(t, least)
		least, clients = len(spans)+1, 0
		for _, s := range spans {
			if s.Kind == lens.Client {
				clients++
			}
		}
	}
}

// TestChain: a trace through three services, whichever groups are on; what it carries comes out at its end.
func TestChain(t *testing.T) {
	const state = "foo=1,foo@=2"
	for _, spec := range []string{"server,client", "server", "client", ""} {
		t.Run("groups "+spec, func(t *testing.T) {
			g := record(t, spec)
			var arrived metadata.MD
			last := g.both(t, &service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
				arrived, _ = metadata.FromIncomingContext(ctx)
				if lens.Baggage(ctx, "k") != "v" {
					t.Error("the baggage is lost on the way")
				}
				return &testpb.SimpleResponse{}, nil
			}})
			hop := func(next testpb.TestServiceClient) testpb.TestServiceClient {
				return g.both(t, &service{unary: func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
					md, _ := metadata.FromIncomingContext(ctx) // a proxy passes on what came, old parent and all
					return next.UnaryCall(metadata.NewOutgoingContext(ctx, md), r)
				}})
			}
			ctx := metadata.NewOutgoingContext(t.Context(), metadata.MD{
				"traceparent": {traceparent}, "tracestate": {"foo=1", "foo@=2"}, "baggage": {"k=v"}, "x-mine": {"1"},
			})
			plain := serve(t, &service{unary: func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
				md, _ := metadata.FromIncomingContext(ctx)
				return hop(hop(last)).UnaryCall(metadata.NewOutgoingContext(ctx, md), r)
			}}, lensgrpc.ServerOptions(g.server)...)()
			if _, err := plain.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
				t.Fatal(err)
			}
			p := arrived.Get("traceparent")
			if len(p) != 1 || !strings.HasPrefix(p[0], traceparent[:36]) {
				t.Fatalf("the parents %q arrive", p)
			}
			if got := strings.Join(arrived.Get("tracestate"), ","); got != state || len(arrived.Get("x-mine")) != 1 {
				t.Errorf("the tracestate %q arrives, in %v", got, arrived)
			}
			spans := map[string]int{"server,client": 7, "server": 4, "client": 3, "": 0}[spec]
			line(t, g.Wait(t, spans), spans, p[0])
		})
	}
}

// line checks that the spans are one line from the remote parent down, with the parent that arrived last at its end or
// above the last server.
func line(t *testing.T, spans []lenstest.Span, want int, last string) {
	t.Helper()
	if len(spans) != want {
		t.Fatalf("%d spans, want %d", len(spans), want)
	}
	above, seen := traceparent[36:52], last == traceparent
	for _, s := range spans {
		ref := s.Ref.String()
		if got := s.Parent.String(); len(got) != 55 || got[36:52] != above || ref[3:35] != traceID {
			t.Errorf("%s has the parent %s, want %s", s.Name, got, above)
		}
		above = ref[36:52]
		seen = seen || above == last[36:52]
	}
	if !seen {
		t.Errorf("the parent %s, which arrived, is none of them", last)
	}
}

// TestTwoParents: two lines are no parent, as W3C has it.
func TestTwoParents(t *testing.T) {
	g := record(t, "server")
	client := serve(t, &service{}, lensgrpc.ServerOptions(g.server)...)()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", traceparent, "traceparent", traceparent)
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if s := g.Wait(t, 1)[0]; s.Parent.Valid() {
		t.Errorf("the parent is %s", s.Parent)
	}
}

// TestStaleTracestate: a tracestate without its parent goes away with it.
func TestStaleTracestate(t *testing.T) {
	g := record(t, "all")
	var arrived metadata.MD
	client := g.both(t, &service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		arrived, _ = metadata.FromIncomingContext(ctx)
		return &testpb.SimpleResponse{}, nil
	}})
	mine := metadata.Pairs("traceparent", "stale", "tracestate", "stale=1")
	ctx := metadata.NewOutgoingContext(t.Context(), mine)
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	c, _ := g.sides(t)
	if got := arrived.Get("traceparent"); len(got) != 1 || got[0] != c.Ref.String() || arrived.Get("tracestate") != nil {
		t.Errorf("%v arrives", arrived)
	}
	if mine.Get("traceparent")[0] != "stale" || mine.Get("tracestate")[0] != "stale=1" {
		t.Errorf("the caller's metadata is changed to %v", mine)
	}
}

// TestUnsampled: the sampler's decision goes on, and there is no span.
func TestUnsampled(t *testing.T) {
	g := record(t, "all")
	var got lens.Ref
	client := g.both(t, &service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		got = lens.RefFrom(ctx)
		return &testpb.SimpleResponse{}, nil
	}})
	ref, err := lens.ParseRef(traceparent[:53]+"00", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.UnaryCall(lens.WithParent(t.Context(), ref), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if s := got.String(); !strings.HasPrefix(s, traceparent[:36]) || !strings.HasSuffix(s, "-00") {
		t.Errorf("the handler has the parent %q, which is not the sampler's decision", s)
	}
	g.AssertNone(t)
}

// TestRetries: gRPC calls again by itself; that is one call of the client, and two of the server below it.
func TestRetries(t *testing.T) {
	g := record(t, "all")
	var calls atomic.Int32
	client := g.both(t, &service{unary: func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		if calls.Add(1) == 1 {
			return nil, status.Error(codes.Unavailable, "not yet")
		}
		return &testpb.SimpleResponse{}, nil
	}}, grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{}], "retryPolicy": {
		"maxAttempts": 2, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1,
		"retryableStatusCodes": ["UNAVAILABLE"]}}]}`))
	if _, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	g.Wait(t, 3)
	g.AssertTree(t, `
		grpc.testing.TestService/UnaryCall (client) rpc.response.status_code=OK
		  grpc.testing.TestService/UnaryCall (server) rpc.response.status_code=UNAVAILABLE Error "not yet"
		  grpc.testing.TestService/UnaryCall (server) rpc.response.status_code=OK
	`, "rpc.response.status_code")
}

// TestNothingOfTheCallIsRecorded: neither messages nor metadata are on a span.
func TestNothingOfTheCallIsRecorded(t *testing.T) {
	g := record(t, "all")
	const secret = "secret"
	payload := &testpb.Payload{Body: []byte(secret)}
	client := g.both(t, &service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("x-trailer", secret))
		return &testpb.SimpleResponse{Payload: payload}, nil
	}})
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", secret)
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload}); err != nil {
		t.Fatal(err)
	}
	c, s := g.sides(t)
	if text := fmt.Sprint(c, s); strings.Contains(text, secret) {
		t.Errorf("it is on a span: %s", text)
	}
}
