package main

import (
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/bench/sides"
	"github.com/lensgo/lens/lensgrpc"
	"github.com/lensgo/lens/lenshttp"
)

// bare is the side without edges.
const bare = "bare"

// maker puts one kind of edges around things.
type maker struct {
	handler   func(http.Handler) http.Handler
	transport func(http.RoundTripper) http.RoundTripper
	server    []grpc.ServerOption
	client    []grpc.DialOption
}

// makers gives a maker for each side.
func makers(s sides.Sides) map[string]maker {
	return map[string]maker{
		bare: {
			handler:   func(h http.Handler) http.Handler { return h },
			transport: func(t http.RoundTripper) http.RoundTripper { return t },
		},
		sides.Off: ours(s.Quiet), sides.On: ours(s.Loud), sides.None: stock(s.None), sides.SDK: stock(s.SDK),
	}
}

func ours(g *lens.Group) maker {
	return maker{
		handler:   func(h http.Handler) http.Handler { return lenshttp.Handler(g, h) },
		transport: func(t http.RoundTripper) http.RoundTripper { return lenshttp.Transport(g, t) },
		server:    lensgrpc.ServerOptions(g),
		client:    lensgrpc.DialOptions(g),
	}
}

func stock(tp trace.TracerProvider) maker {
	p := propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	return maker{
		handler: func(h http.Handler) http.Handler {
			return otelhttp.NewHandler(h, "serve", otelhttp.WithTracerProvider(tp), otelhttp.WithPropagators(p))
		},
		transport: func(t http.RoundTripper) http.RoundTripper {
			return otelhttp.NewTransport(t, otelhttp.WithTracerProvider(tp), otelhttp.WithPropagators(p))
		},
		server: []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(tp), otelgrpc.WithPropagators(p)))},
		client: []grpc.DialOption{grpc.WithStatsHandler(otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(tp), otelgrpc.WithPropagators(p)))},
	}
}
