package lensgrpc

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	"github.com/lensgo/lens"
)

// ServerOptions put calls of a server inside SERVER spans of group g, unary and streaming: those of [UnaryServer] and
// [StreamServer], at their place in the chain of interceptors.
func ServerOptions(g *lens.Group, options ...Option) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(UnaryServer(g, options...)),
		grpc.ChainStreamInterceptor(StreamServer(g, options...)),
	}
}

// DialOptions put calls of a connection inside CLIENT spans of group g, unary and streaming: those of [UnaryClient] and
// [StreamClient], at their place in the chain of interceptors.
func DialOptions(g *lens.Group, options ...Option) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(UnaryClient(g, options...)),
		grpc.WithChainStreamInterceptor(StreamClient(g, options...)),
	}
}

// Option changes what the interceptors do. A nil Option is skipped.
type Option interface{ apply(e *edge) }

type optionFunc func(e *edge)

func (f optionFunc) apply(e *edge) { f(e) }

// Filter leaves out the spans of calls for which keep is false; their trace context is carried all the same. It is asked only
// while the group is on, with the method as gRPC writes it: "/package.Service/Method". With several filters all must keep
// the call. A nil keep keeps all, which is the default.
//
//	lensgrpc.ServerOptions(groups.Server, lensgrpc.Filter(lensgrpc.NotHealth))
func Filter(keep func(fullMethod string) bool) Option {
	return optionFunc(func(e *edge) {
		if keep != nil {
			e.filters = append(e.filters, keep)
		}
	})
}

// NotHealth is for [Filter]: it keeps all calls but those of gRPC's health service.
func NotHealth(fullMethod string) bool {
	return !strings.HasPrefix(fullMethod, "/grpc.health.v1.Health/")
}

// edge is what the interceptors of one place share.
type edge struct {
	group   *lens.Group
	filters []func(fullMethod string) bool
}

func newEdge(g *lens.Group, options []Option) *edge {
	e := &edge{group: g}
	for _, o := range options {
		if o != nil {
			o.apply(e)
		}
	}
	return e
}

// start starts the span of a call, or none.
func (e *edge) start(ctx context.Context, fullMethod string, known bool, kind lens.Kind) (context.Context, lens.Span) {
	if !e.group.Enabled() {
		return ctx, lens.Span{}
	}
	for _, keep := range e.filters {
		if !keep(fullMethod) {
			return ctx, lens.Span{}
		}
	}
	ctx, span := e.group.StartKind(ctx, spanName(fullMethod, known), kind)
	if span.Recording() {
		setMethod(span, fullMethod, known)
	}
	return ctx, span
}
