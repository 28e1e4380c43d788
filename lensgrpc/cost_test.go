//go:build !race

package lensgrpc_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensgrpc"
)

// bare are the four around calls that do nothing.
func bare(g groups) map[string]func(context.Context) {
	const method = "/test.Service/Method"
	unaryServer, streamServer := lensgrpc.UnaryServer(g.server), lensgrpc.StreamServer(g.server)
	unaryClient, streamClient := lensgrpc.UnaryClient(g.client), lensgrpc.StreamClient(g.client)
	unaryInfo, streamInfo := &grpc.UnaryServerInfo{FullMethod: method}, &grpc.StreamServerInfo{FullMethod: method}
	stream := &fakeStream{}
	return map[string]func(context.Context){
		"UnaryServer": func(ctx context.Context) {
			_, _ = unaryServer(ctx, nil, unaryInfo, func(context.Context, any) (any, error) { return nil, nil })
		},
		"StreamServer": func(ctx context.Context) {
			stream.ctx = ctx
			_ = streamServer(stream, stream, streamInfo, func(any, grpc.ServerStream) error { return nil })
		},
		"UnaryClient": func(ctx context.Context) {
			_ = unaryClient(ctx, method, nil, nil, nil,
				func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil })
		},
		"StreamClient": func(ctx context.Context) {
			_, _ = streamClient(ctx, nil, nil, method,
				func(_ context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, options ...grpc.CallOption) (grpc.ClientStream, error) {
					for _, o := range options {
						if o, ok := o.(grpc.OnFinishCallOption); ok {
							o.OnFinish(nil)
						}
					}
					return nil, nil
				})
		},
	}
}

// plainMetadata is what gRPC itself puts into the context of a call.
func plainMetadata(t testing.TB) context.Context {
	return metadata.NewIncomingContext(t.Context(), metadata.Pairs(
		":authority", "shop.example:81", "content-type", "application/grpc", "user-agent", "grpc-go"))
}

func TestAllocations(t *testing.T) {
	ctx := plainMetadata(t)
	for name, call := range bare(record(t, "work")) {
		if n := testing.AllocsPerRun(200, func() { call(ctx) }); n > 1 {
			t.Errorf("%s off, with no trace context: %v allocations, 1 is allowed", name, n)
		}
	}
	with := metadata.NewIncomingContext(ctx, metadata.Pairs("traceparent", traceparent))
	extract := testing.AllocsPerRun(200, func() { lens.Extract(ctx, lens.Map{"traceparent": traceparent}) })
	for name, call := range bare(record(t, "work")) {
		if n := testing.AllocsPerRun(200, func() { call(with) }); n > extract+3 {
			t.Errorf("%s off, with trace context: %v allocations, reading it needs %v", name, n, extract)
		}
	}
}

// Benchmark has each interceptor around a call that does nothing, inside a trace.
func Benchmark(b *testing.B) {
	for mode, spec := range map[string]string{"Off": "work", "On": "server,client"} {
		g := record(b, spec)
		for name, call := range bare(g) {
			b.Run(name+"/"+mode, func(b *testing.B) {
				b.ReportAllocs()
				ctx := lens.WithParent(plainMetadata(b), lens.RefFrom(parent(b, "")))
				for b.Loop() {
					call(ctx)
					g.Reset()
				}
			})
		}
	}
}
