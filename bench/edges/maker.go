package main

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensgrpc"
	"github.com/lensgo/lens/lenshttp"
)

// The sides that are compared.
const (
	bare = "bare"
	off  = "group off"
	none = "stock no-op"
	on   = "group on"
	sdk  = "SDK"
)

// maker puts one kind of edges around things.
type maker struct {
	handler   func(http.Handler) http.Handler
	transport func(http.RoundTripper) http.RoundTripper
	server    []grpc.ServerOption
	client    []grpc.DialOption
}

// open gives a maker for each side, and a context inside a span that records.
func open() (makers map[string]maker, inside context.Context, end func(), err error) {
	r := lens.NewRegistry()
	loud, quiet := r.NewGroup("loud"), r.NewGroup("quiet")
	if err := r.Register(lens.Library{Namespace: "edges", Groups: []*lens.Group{loud, quiet}}); err != nil {
		return nil, nil, nil, err
	}
	r.SetSpec("loud")
	provider := sdktrace.NewTracerProvider()
	seam.SetProvider(r, provider)
	ctx, span := loud.Start(context.Background(), "inside")
	return map[string]maker{
		bare: {
			handler:   func(h http.Handler) http.Handler { return h },
			transport: func(t http.RoundTripper) http.RoundTripper { return t },
		},
		off: ours(quiet), on: ours(loud), none: stock(noop.NewTracerProvider()), sdk: stock(provider),
	}, ctx, span.End, nil
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
