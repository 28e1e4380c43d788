//go:build !lens_off

package lensgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensgrpc"
	"github.com/lensgo/lens/lenstest"
)

func TestStatus(t *testing.T) {
	serverErrors := map[codes.Code]bool{
		codes.Unknown: true, codes.DeadlineExceeded: true, codes.Unimplemented: true,
		codes.Internal: true, codes.Unavailable: true, codes.DataLoss: true,
	}
	names := []string{
		"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
		"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED", "17",
	}
	g := record(t, "all")
	var code codes.Code
	client := g.both(t, &service{unary: func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return &testpb.SimpleResponse{}, status.Error(code, "because")
	}})
	for i, name := range names {
		code = codes.Code(i)
		g.Reset()
		_, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{})
		if status.Code(err) != code {
			t.Fatalf("%s: the caller has %v", name, err)
		}
		c, s := g.sides(t)
		ended(t, c, name, code != codes.OK, "because")
		ended(t, s, name, serverErrors[code], "because")
	}
}

// ended checks how a span of a call ended.
func ended(t *testing.T, s lenstest.Span, code string, failed bool, message string) {
	t.Helper()
	want := map[string]any{"rpc.response.status_code": code, "error.type": nil, "lens.canceled": nil}
	wantStatus := lenstest.Unset
	if failed {
		want["error.type"], wantStatus = code, lenstest.Error
	} else {
		message = ""
	}
	s.AssertAttrs(t, want)
	if s.Status != wantStatus || s.Message != message {
		t.Errorf("%v of %s is %v %q, want %v %q", s.Kind, code, s.Status, s.Message, wantStatus, message)
	}
}

// TestHandlerErrors: the code on the span is the one that gRPC sends.
func TestHandlerErrors(t *testing.T) {
	g := record(t, "all")
	var result error
	client := g.both(t, &service{
		unary: func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) { return nil, result },
		download: func(*testpb.StreamingOutputCallRequest, grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
			return result
		},
	})
	for _, result = range []error{
		errors.New("plain"), io.EOF, context.Canceled, context.DeadlineExceeded, fmt.Errorf("deep: %w", context.Canceled),
		fmt.Errorf("deep: %w", status.Error(codes.NotFound, "inner")),
	} {
		for _, call := range []func() error{
			func() error { _, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{}); return err },
			func() error { return download(t.Context(), client) },
		} {
			g.Reset()
			err := call()
			c, s := g.sides(t)
			if c.Attrs["rpc.response.status_code"] != s.Attrs["rpc.response.status_code"] || s.Attrs["lens.canceled"] != nil {
				t.Errorf("%v: the server says %v, the client %v, and gRPC %v", result, s.Attrs, c.Attrs, err)
			}
			if want := status.Convert(err).Message(); c.Message != want {
				t.Errorf("%v: the client's description is %q, want %q", result, c.Message, want)
			}
		}
	}
}

// recovering is an interceptor as they are in use.
func recovering(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (_ any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = status.Errorf(codes.Internal, "recovered %v", p)
		}
	}()
	return handler(ctx, req)
}

func explode(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) { panic("boom") }

func TestPanicIsRecordedInsideOfRecovery(t *testing.T) {
	g := record(t, "all")
	client := serve(t, &service{unary: explode},
		append([]grpc.ServerOption{grpc.ChainUnaryInterceptor(recovering)}, lensgrpc.ServerOptions(g.server)...)...)()
	if _, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{}); status.Code(err) != codes.Internal {
		t.Errorf("the caller has %v", err)
	}
	exploded(t, g.Wait(t, 1)[0])
}

func TestPanicIsAnErrorOutsideOfRecovery(t *testing.T) {
	g := record(t, "all")
	client := serve(t, &service{unary: explode},
		append(lensgrpc.ServerOptions(g.server), grpc.ChainUnaryInterceptor(recovering))...)()
	_, _ = client.UnaryCall(t.Context(), &testpb.SimpleRequest{})
	ended(t, g.Wait(t, 1)[0], "INTERNAL", true, "recovered boom")
}

// exploded checks the span of a call that panicked with "boom".
func exploded(t *testing.T, s lenstest.Span) {
	t.Helper()
	if s.Status != lenstest.Error || s.Message != "boom" || len(s.Events) != 1 {
		t.Fatalf("%v %q, with the events %v", s.Status, s.Message, s.Events)
	}
	stack, _ := s.Events[0].Attrs["exception.stacktrace"].(string)
	if s.Events[0].Name != "exception" || !strings.Contains(stack, "lensgrpc_test.explode") {
		t.Errorf("the event lacks the frame that panicked: %s", stack)
	}
	s.AssertAttrs(t, map[string]any{"error.type": "string", "rpc.response.status_code": nil})
}

// panicking says what value came out of a panic.
func panicking(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestPanicGoesOn calls the four interceptors by themselves: the value that comes out is the one that went in.
func TestPanicGoesOn(t *testing.T) {
	boom := errors.New("boom")
	for name, call := range interceptors() {
		for _, f := range []func() error{func() error { panic(boom) }, func() error { runtime.Goexit(); return nil }} {
			g := record(t, "all")
			done := make(chan any, 1)
			go func() {
				var value any
				defer func() { done <- value }()
				value = panicking(func() { _ = call(g, t.Context(), f) })
			}()
			value := <-done
			s := g.Wait(t, 1)[0]
			switch value {
			case boom:
				s.AssertAttrs(t, map[string]any{"error.type": "*errors.errorString", "rpc.response.status_code": nil})
				if s.Status != lenstest.Error || len(s.Events) != 1 {
					t.Errorf("%s: %v with %d events", name, s.Status, len(s.Events))
				}
			case nil:
				s.AssertAttrs(t, map[string]any{"error.type": nil, "rpc.response.status_code": nil})
			default:
				t.Errorf("%s: the panic is %v", name, value)
			}
		}
	}
}

// interceptors are the four, around a call that does f.
func interceptors() map[string]func(g groups, ctx context.Context, f func() error) error {
	const method = "/test.Service/Method"
	return map[string]func(g groups, ctx context.Context, f func() error) error{
		"unary server": func(g groups, ctx context.Context, f func() error) error {
			_, err := lensgrpc.UnaryServer(g.server)(ctx, nil, &grpc.UnaryServerInfo{FullMethod: method},
				func(context.Context, any) (any, error) { return nil, f() })
			return err
		},
		"stream server": func(g groups, ctx context.Context, f func() error) error {
			return lensgrpc.StreamServer(g.server)(0, &fakeStream{ctx: ctx}, &grpc.StreamServerInfo{FullMethod: method},
				func(any, grpc.ServerStream) error { return f() })
		},
		"unary client": func(g groups, ctx context.Context, f func() error) error {
			return lensgrpc.UnaryClient(g.client)(ctx, method, nil, nil, nil,
				func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return f() })
		},
		"stream client": func(g groups, ctx context.Context, f func() error) error {
			_, err := lensgrpc.StreamClient(g.client)(ctx, nil, nil, method,
				func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
					return nil, f()
				})
			return err
		},
	}
}

// TestRefused: an interceptor further in says no; gRPC never hears of the stream, and its span ends.
func TestRefused(t *testing.T) {
	g := record(t, "all")
	err := interceptors()["stream client"](g, t.Context(), func() error { return status.Error(codes.PermissionDenied, "no") })
	if status.Code(err) != codes.PermissionDenied {
		t.Errorf("it gives %v", err)
	}
	ended(t, g.Wait(t, 1)[0], "PERMISSION_DENIED", true, "no")
}

// TestNobodyThere: a call that reaches nobody knows whom it wanted.
func TestNobodyThere(t *testing.T) {
	g := record(t, "all")
	conn := connect(t, "passthrough:///shop.example:81", append(lensgrpc.DialOptions(g.client),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, errors.New("no way") }))...)
	if err := download(t.Context(), testpb.NewTestServiceClient(conn)); status.Code(err) != codes.Unavailable {
		t.Errorf("it gives %v", err)
	}
	g.Wait(t, 1)[0].AssertAttrs(t, map[string]any{
		"server.address": "shop.example", "server.port": 81, "network.peer.address": nil,
		"rpc.response.status_code": "UNAVAILABLE", "error.type": "UNAVAILABLE",
	})
}

// TestCanceled: who did not wait is marked on both sides, whatever the handler makes of it.
func TestCanceled(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(ctx context.Context) error
		code   string // of the server
	}{
		"the handler gives up":       {context.Context.Err, "CANCELLED"},
		"the handler has not looked": {func(context.Context) error { return nil }, "OK"},
	} {
		for kind, call := range map[string]func(context.Context, testpb.TestServiceClient) error{
			"unary": func(ctx context.Context, c testpb.TestServiceClient) error {
				_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{})
				return err
			},
			"stream": download,
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				g := record(t, "all")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				handle := func(in context.Context) error {
					cancel()
					<-in.Done()
					return test.answer(in)
				}
				client := g.both(t, &service{
					unary: func(in context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
						return &testpb.SimpleResponse{}, handle(in)
					},
					download: func(_ *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
						return handle(out.Context())
					},
				})
				if err := call(ctx, client); err == nil {
					t.Error("the call succeeds")
				}
				c, s := g.sides(t)
				c.AssertAttrs(t, map[string]any{
					"lens.canceled": "canceled", "rpc.response.status_code": "CANCELLED", "error.type": "CANCELLED",
				})
				s.AssertAttrs(t, map[string]any{
					"lens.canceled": "canceled", "rpc.response.status_code": test.code, "error.type": nil,
				})
				if c.Status != lenstest.Error || s.Status != lenstest.Unset {
					t.Errorf("the client's status is %v, the server's %v", c.Status, s.Status)
				}
			})
		}
	}
}

// TestDeadline: the four by themselves, with a deadline that has passed.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, call := range interceptors() {
		g := record(t, "all")
		if err := call(g, ctx, ctx.Err); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: it gives %v", name, err)
		}
		s := g.Wait(t, 1)[0]
		s.AssertAttrs(t, map[string]any{"lens.canceled": "deadline_exceeded", "rpc.response.status_code": "DEADLINE_EXCEEDED"})
		if s.Status != lenstest.Error {
			t.Errorf("%s: the status is %v", name, s.Status)
		}
	}
}

// TestCanceledByTheServer: a server may answer so, and nobody went away.
func TestCanceledByTheServer(t *testing.T) {
	g := record(t, "all")
	client := g.both(t, &service{unary: func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return nil, status.Error(codes.Canceled, "I will not")
	}})
	_, _ = client.UnaryCall(t.Context(), &testpb.SimpleRequest{})
	c, s := g.sides(t)
	ended(t, c, "CANCELLED", true, "I will not")
	ended(t, s, "CANCELLED", false, "")
}

// TestLeftStream: a client that takes a part of a stream and goes; its span ends with the context.
func TestLeftStream(t *testing.T) {
	g := record(t, "all")
	client := g.both(t, &service{download: func(_ *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
		for {
			if err := out.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
				return err
			}
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := client.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	if len(g.Spans()) > 0 {
		t.Errorf("the stream goes on, and ended has:\n%s", g.Tree())
	}
	cancel()
	c, s := g.sides(t)
	c.AssertAttrs(t, map[string]any{"lens.canceled": "canceled", "rpc.response.status_code": "CANCELLED"})
	s.AssertAttrs(t, map[string]any{"lens.canceled": "canceled"})
}

func TestFilter(t *testing.T) {
	g := record(t, "all")
	asked := map[string]bool{}
	filters := []lensgrpc.Option{nil, lensgrpc.Filter(nil), lensgrpc.Filter(lensgrpc.NotHealth), lensgrpc.Filter(func(m string) bool {
		asked[m] = true
		return !strings.HasSuffix(m, "/EmptyCall")
	})}
	var seen lens.Ref
	note := grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		seen = lens.RefFrom(ctx)
		return h(ctx, req)
	})
	server := grpc.NewServer(append(lensgrpc.ServerOptions(g.server, filters[:3]...), note)...)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	conn := connect(t, start(t, server), lensgrpc.DialOptions(g.client, filters...)...)
	ctx := parent(t, "")
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}
	if seen.String() != traceparent {
		t.Errorf("the context is not carried: the handler has %q", seen)
	}
	_, _ = testpb.NewTestServiceClient(conn).EmptyCall(ctx, &testpb.Empty{})
	_, _ = testpb.NewTestServiceClient(conn).UnaryCall(ctx, &testpb.SimpleRequest{})
	g.AssertTree(t, `grpc.testing.TestService/UnaryCall (client) Error "unknown service grpc.testing.TestService"`)
	if len(asked) != 2 || !asked["/grpc.testing.TestService/EmptyCall"] {
		t.Errorf("the last filter was asked for %v", asked)
	}
	g.SetSpec("")
	clear(asked)
	_, _ = testpb.NewTestServiceClient(conn).UnaryCall(ctx, &testpb.SimpleRequest{})
	if len(asked) > 0 {
		t.Error("the filter is asked while the group is off")
	}
}

// TestUnknownMethod: what a client makes up is neither a name nor a value of rpc.method.
func TestUnknownMethod(t *testing.T) {
	g := record(t, "all")
	server := grpc.NewServer(append(lensgrpc.ServerOptions(g.server), grpc.UnknownServiceHandler(
		func(any, grpc.ServerStream) error { return status.Error(codes.Unimplemented, "no such thing") }))...)
	conn := connect(t, start(t, server))
	err := conn.Invoke(t.Context(), "/made.Up/1234", &testpb.Empty{}, &testpb.Empty{})
	if status.Code(err) != codes.Unimplemented {
		t.Fatal(err)
	}
	s := g.Wait(t, 1)[0]
	if s.Name != "grpc" {
		t.Errorf("the name is %q", s.Name)
	}
	s.AssertAttrs(t, map[string]any{
		"rpc.method": "_OTHER", "rpc.method_original": "made.Up/1234", "rpc.response.status_code": "UNIMPLEMENTED",
	})
}

// TestServerAddress: whatever a client makes of the authority, no user information gets onto a span.
func TestServerAddress(t *testing.T) {
	g := record(t, "server")
	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(":authority", "u:secret@shop.example:81"))
	_, err := lensgrpc.UnaryServer(g.server)(ctx, nil, &grpc.UnaryServerInfo{FullMethod: "/a/b"},
		func(context.Context, any) (any, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	g.Wait(t, 1)[0].AssertAttrs(t, map[string]any{"server.address": "shop.example", "server.port": 81})
}
