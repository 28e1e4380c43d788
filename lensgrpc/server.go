package lensgrpc

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/callctx"
	"github.com/lensgo/lens/semconv"
)

// UnaryServer adopts trace context and baggage of each unary call and handles it inside a SERVER span of group g.
func UnaryServer(g *lens.Group, options ...Option) grpc.UnaryServerInterceptor {
	e := newEdge(g, options)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
		ctx, span := e.start(lens.Extract(ctx, incoming{ctx}), info.FullMethod, true, lens.Server)
		if !span.Recording() {
			return handler(ctx, req)
		}
		err = serve(ctx, span, func() (err error) {
			reply, err = handler(ctx, req)
			return err
		})
		return reply, err
	}
}

// StreamServer adopts trace context and baggage of each streaming call and handles it inside a SERVER span of group g.
//
// A method that only the server's UnknownServiceHandler serves can be any text of a client: its span is named "grpc", and
// the text stands in rpc.method_original.
func StreamServer(g *lens.Group, options ...Option) grpc.StreamServerInterceptor {
	e := newEdge(g, options)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		given := stream.Context()
		known := srv != nil // gRPC has no implementation to name
		ctx, span := e.start(lens.Extract(given, incoming{given}), info.FullMethod, known, lens.Server)
		if !callctx.Same(ctx, given) {
			stream = &serverStream{stream, ctx}
		}
		if !span.Recording() {
			return handler(srv, stream)
		}
		return serve(ctx, span, func() error { return handler(srv, stream) })
	}
}

// serverStream has the context of the span.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *serverStream) Context() context.Context { return s.ctx }

// serve runs a handler inside its span.
func serve(ctx context.Context, span lens.Span, handle func() error) (err error) {
	defer span.End()
	describeServer(ctx, span)
	returned := false
	defer func() {
		if p := recover(); p != nil {
			span.Str(semconv.ErrorType, fmt.Sprintf("%T", p))
			panic(p) // for span.End, which records it and lets it go on
		}
		setCanceled(ctx, span)
		if returned { // and not runtime.Goexit
			setCode(span, statusOf(err), serverError)
		}
	}()
	err = handle()
	returned = true
	return err
}

func describeServer(ctx context.Context, span lens.Span) {
	if v := metadata.ValueFromIncomingContext(ctx, ":authority"); len(v) == 1 {
		parseAddress(withoutUser(v[0])).set(span, semconv.ServerAddress, semconv.ServerPort)
	}
	if p, ok := peer.FromContext(ctx); ok {
		netAddress(p.Addr).set(span, semconv.NetworkPeerAddress, semconv.NetworkPeerPort)
	}
}
