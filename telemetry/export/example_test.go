package export_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// A provider of one's own with this batch processor. Programs that use telemetry.Setup have it already.
func Example() {
	ctx := context.Background()
	batch := export.NewBatch(exampleExporter{}, export.BatchConfig{})
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(batch))

	_, span := provider.Tracer("example").Start(ctx, "work")
	span.End() // never waits

	if err := provider.Shutdown(ctx); err != nil { // exports what is queued
		fmt.Println(err)
	}
	s := batch.Stats()
	fmt.Println("ended", s.Ended, "exported", s.Exported, "dropped", s.Dropped)
	// Output:
	// span work
	// ended 1 exported 1 dropped 0
}

// exampleExporter stands for export.NewOTLP or export.NewConsole.
type exampleExporter struct{}

func (exampleExporter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		fmt.Println("span", s.Name())
	}
	return nil
}

func (exampleExporter) Shutdown(context.Context) error { return nil }
