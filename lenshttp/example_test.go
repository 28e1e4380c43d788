//go:build !lens_off

package lenshttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
)

var (
	serverGroup = lens.NewGroup("server")
	clientGroup = lens.NewGroup("http_client")
)

// The context goes through the server and out of the client, whether their groups are on or, as here, off.
func Example() {
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Traceparent"))
	}))
	defer backend.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: lenshttp.Transport(clientGroup, base)}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /call", func(w http.ResponseWriter, r *http.Request) {
		call, _ := http.NewRequestWithContext(r.Context(), "GET", backend.URL, nil)
		resp, err := client.Do(call)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		resp.Body.Close()
	})
	handler := lenshttp.Handler(serverGroup, mux)

	r := httptest.NewRequest("GET", "/call", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}

// With the groups on, each edge is a span: SERVER by the route, CLIENT by the method.
func ExampleHandler() {
	registry := lens.NewRegistry() // a program uses the default one, and package telemetry for the provider
	in, out := registry.NewGroup("server"), registry.NewGroup("http_client")
	registry.MustRegister(lens.Library{Namespace: "shop", Groups: []*lens.Group{in, out}})
	registry.SetSpec("all")
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(printer{})))
	defer otel.SetTracerProvider(noop.NewTracerProvider())

	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	server := httptest.NewServer(lenshttp.Handler(in, mux))

	base := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: lenshttp.Transport(out, base)}
	resp, err := client.Get(server.URL + "/orders/7?token=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	server.Close() // the handler has returned, its span has ended
	// Unordered output:
	// server GET /orders/{id}
	// client GET
}

// A router that is not http.ServeMux says which route it took.
func ExampleSetRoute() {
	router := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ... finds the route
		lenshttp.SetRoute(r.Context(), "/orders/{id}") // and the span is named "GET /orders/{id}"
		fmt.Println("order 7")
	})
	lenshttp.Handler(serverGroup, router).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/orders/7", nil))
	// Output: order 7
}

// printer prints spans as they end.
type printer struct{ sdktrace.SpanProcessor }

func (printer) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (printer) OnEnd(s sdktrace.ReadOnlySpan)                   { fmt.Println(s.SpanKind(), s.Name()) }
