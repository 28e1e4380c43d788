//go:build !lens_off

package carrier_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

// A span that works on many messages has no one parent: it points to all of their senders.
func Example_link() {
	registry := lens.NewRegistry() // a program uses the default one, and package telemetry for the provider
	group := registry.NewGroup("batch")
	registry.MustRegister(lens.Library{Namespace: "trainer", Groups: []*lens.Group{group}})
	registry.SetSpec("all")
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(printer{})))
	defer otel.SetTracerProvider(noop.NewTracerProvider())

	work := func(ctx context.Context, messages [][]byte) {
		var from []lens.Ref
		for _, trace := range messages {
			from = append(from, lens.RefFrom(carrier.FromBytes(context.Background(), trace)))
		}
		_, span := group.StartWith(ctx, "trainer.batch", lens.StartConfig{Links: from})
		defer span.End()
	}

	work(context.Background(), [][]byte{carrier.Bytes(inSpan()), nil, []byte("from a sender without a trace")})
	// Output: trainer.batch, a root: true, linked to [0af7651916cd43dd8448eb211c80319c]
}

// printer prints spans as they end.
type printer struct{ sdktrace.SpanProcessor }

func (printer) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (printer) OnEnd(s sdktrace.ReadOnlySpan) {
	var links []string
	for _, l := range s.Links() {
		links = append(links, l.SpanContext.TraceID().String())
	}
	fmt.Printf("%s, a root: %t, linked to %v\n", s.Name(), !s.Parent().IsValid(), links)
}
