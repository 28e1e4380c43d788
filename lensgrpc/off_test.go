package lensgrpc_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensgrpc"
)

// TestOffChain: a service whose groups are off, or that is built without telemetry, stands between two others, and their
// trace stays one. A group that is nil is off.
func TestOffChain(t *testing.T) {
	g := record(t, "")
	sent := metadata.MD{
		"traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"},
		"tracestate":  {"foo@=1", "lens=r"},
		"baggage":     {"tenant=blue"},
	}
	for name, groups := range map[string][2]*lens.Group{"off": {g.server, g.client}, "nil": {}} {
		var got metadata.MD
		take := func(ctx context.Context) { got, _ = metadata.FromIncomingContext(ctx) }
		last := serve(t, &service{
			unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
				take(ctx)
				return &testpb.SimpleResponse{}, nil
			},
			download: func(_ *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
				take(out.Context())
				return nil
			},
		})(lensgrpc.DialOptions(groups[1])...)
		middle := serve(t, &service{
			unary: func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
				if v := lens.Baggage(ctx, "tenant"); v != "blue" {
					t.Errorf("%s: the handler reads baggage %q", name, v)
				}
				return last.UnaryCall(ctx, r)
			},
			download: func(_ *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
				return download(out.Context(), last)
			},
		}, lensgrpc.ServerOptions(groups[0])...)()
		for kind, call := range map[string]func(context.Context) error{
			"unary": func(ctx context.Context) error {
				_, err := middle.UnaryCall(ctx, &testpb.SimpleRequest{})
				return err
			},
			"stream": func(ctx context.Context) error { return download(ctx, middle) },
		} {
			got = nil
			if err := call(metadata.NewOutgoingContext(t.Context(), sent)); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{
				"traceparent": sent["traceparent"][0], "tracestate": "foo@=1,lens=r", "baggage": sent["baggage"][0],
			} {
				if v := got.Get(key); len(v) != 1 || v[0] != want {
					t.Errorf("%s, %s: %s is %q, want %q", name, kind, key, v, want)
				}
			}
		}
	}
	g.AssertNone(t)
}

// TestOffHandsOn: with nothing in the metadata, handlers and gRPC see what they would have seen.
func TestOffHandsOn(t *testing.T) {
	g := record(t, "")
	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(":authority", "x"))
	stream := &fakeStream{ctx: ctx}
	_ = lensgrpc.StreamServer(g.server)(0, stream, &grpc.StreamServerInfo{}, func(_ any, got grpc.ServerStream) error {
		if got != stream {
			t.Errorf("the stream is a %T", got)
		}
		return nil
	})
	_, _ = lensgrpc.UnaryServer(g.server)(ctx, nil, &grpc.UnaryServerInfo{}, func(got context.Context, _ any) (any, error) {
		if got != ctx {
			t.Error("the handler's context is another one")
		}
		return nil, nil
	})
	_ = lensgrpc.UnaryClient(g.client)(ctx, "/a/b", nil, nil, nil,
		func(got context.Context, _ string, _, _ any, _ *grpc.ClientConn, options ...grpc.CallOption) error {
			if got != ctx || len(options) != 1 {
				t.Errorf("the context is another one, or there are %d options", len(options))
			}
			return nil
		}, grpc.WaitForReady(true))
	_, _ = lensgrpc.StreamClient(g.client)(ctx, nil, nil, "/a/b",
		func(got context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, options ...grpc.CallOption) (grpc.ClientStream, error) {
			if got != ctx || len(options) != 1 {
				t.Errorf("the context is another one, or there are %d options", len(options))
			}
			return nil, nil
		}, grpc.WaitForReady(true))
}

// odd is a context of a type that cannot be compared.
type odd struct {
	context.Context
	list []int
}

func TestOddContext(t *testing.T) {
	g := record(t, "")
	err := lensgrpc.StreamServer(g.server)(0, &fakeStream{ctx: odd{t.Context(), nil}}, &grpc.StreamServerInfo{},
		func(_ any, s grpc.ServerStream) error {
			if _, ok := s.Context().(odd); !ok {
				t.Errorf("the context is a %T", s.Context())
			}
			return nil
		})
	if err != nil {
		t.Error(err)
	}
}
