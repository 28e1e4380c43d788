package lensgrpc

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

// UnaryClient makes each unary call inside a CLIENT span of group g, with trace context and baggage of its context in the
// metadata.
func UnaryClient(g *lens.Group, options ...Option) grpc.UnaryClientInterceptor {
	e := newEdge(g, options)
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		ctx, span := e.start(ctx, method, true, lens.Client)
		if !span.Recording() {
			return invoker(inject(ctx), method, req, reply, cc, opts...)
		}
		c := newCall(ctx, span, cc)
		returned := false
		defer c.left(&returned)
		err := invoker(inject(ctx), method, req, reply, cc, append(slices.Clip(opts), grpc.Peer(&c.peer))...)
		returned = true
		c.finish(err)
		return err
	}
}

// StreamClient makes each streaming call inside a CLIENT span of group g, with trace context and baggage of its context in
// the metadata. The stream is gRPC's own.
func StreamClient(g *lens.Group, options ...Option) grpc.StreamClientInterceptor {
	e := newEdge(g, options)
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		ctx, span := e.start(ctx, method, true, lens.Client)
		if !span.Recording() {
			return streamer(inject(ctx), desc, cc, method, opts...)
		}
		c := newCall(ctx, span, cc)
		returned := false
		defer c.left(&returned)
		stream, err := streamer(inject(ctx), desc, cc, method,
			append(slices.Clip(opts), grpc.Peer(&c.peer), grpc.OnFinish(c.finish))...)
		returned = true
		if err != nil {
			c.finish(err) // an interceptor may have refused, of which gRPC knows nothing
		}
		return stream, err
	}
}

// call is a call of a client that has a span.
type call struct {
	ctx  context.Context
	span lens.Span
	peer peer.Peer // written by gRPC before the call is finished
	once sync.Once
}

func newCall(ctx context.Context, span lens.Span, cc *grpc.ClientConn) *call {
	if cc != nil {
		target(cc.CanonicalTarget()).set(span, semconv.ServerAddress, semconv.ServerPort)
	}
	return &call{ctx: ctx, span: span}
}

// finish records how the call went, once, and ends the span. For a stream it may come in any goroutine.
func (c *call) finish(err error) {
	c.once.Do(func() {
		netAddress(c.peer.Addr).set(c.span, semconv.NetworkPeerAddress, semconv.NetworkPeerPort)
		setCanceled(c.ctx, c.span)
		setCode(c.span, statusOf(err), clientError)
		c.span.End()
	})
}

// left is deferred directly: it ends the span of a call that did not return, and marks it with the panic, which goes on as
// it is.
func (c *call) left(returned *bool) {
	if *returned {
		return
	}
	defer c.span.End()
	if p := recover(); p != nil {
		c.span.Str(semconv.ErrorType, fmt.Sprintf("%T", p))
		panic(p)
	}
}
