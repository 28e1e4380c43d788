//go:build !lens_off

package otelopt_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// A program that brings its own exporter. Spans reach it through the batch processor, at the latest at Shutdown.
func Example() {
	c := telemetry.Default()
	c.Enabled = true
	ctx := context.Background()
	h, err := telemetry.Setup(ctx, c,
		otelopt.WithSpanExporter(printer{}),
		otelopt.WithResourceAttributes(attribute.Int("nv.dl.rank", 3)))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, span := lens.Start(ctx, "warm up")
	span.End()
	if err := h.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: warm up, rank 3
}

// printer is an exporter that prints.
type printer struct{}

func (printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		rank, _ := s.Resource().Set().Value("nv.dl.rank")
		fmt.Printf("%s, rank %d\n", s.Name(), rank.AsInt64())
	}
	return nil
}

func (printer) Shutdown(context.Context) error { return nil }
