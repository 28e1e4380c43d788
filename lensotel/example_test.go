//go:build !lens_off

package lensotel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensotel"
)

// database stands for any package that is instrumented with OpenTelemetry and takes a provider.
type database struct{ tracer trace.Tracer }

func openDatabase(tp trace.TracerProvider) database {
	return database{tp.Tracer("example.com/database")}
}

func (d database) query(ctx context.Context, text string) {
	_, span := d.tracer.Start(ctx, "query", trace.WithAttributes(attribute.String("db.query.text", text)))
	defer span.End()
}

var queries = lens.NewGroup("queries")

func init() {
	lens.MustRegister(lens.Library{Namespace: "shop", Groups: []*lens.Group{queries}})
}

// A package of somebody else is switched like the program's own code, while it runs.
func ExampleTracerProvider() {
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(printer{})))
	defer otel.SetTracerProvider(noop.NewTracerProvider())

	db := openDatabase(lensotel.TracerProvider(queries))
	db.query(context.Background(), "select 1")
	lens.SetSpec("queries")
	db.query(context.Background(), "select 2")
	lens.SetSpec("")
	db.query(context.Background(), "select 3")
	// Output:
	// queries: query [db.query.text=select 2]
}

// A function that takes a span of OpenTelemetry can be given one of lens.
func ExampleToSpan() {
	annotate := func(span trace.Span) { span.SetAttributes(attribute.Bool("cached", true)) }

	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(printer{})))
	defer otel.SetTracerProvider(noop.NewTracerProvider())
	lens.SetSpec("queries")
	defer lens.SetSpec("")
	_, span := queries.Start(context.Background(), "look-up")
	annotate(lensotel.ToSpan(span))
	span.Int("rows", 3).End()
	// Output:
	// queries: look-up [cached=true rows=3]
}

// printer prints spans as they end.
type printer struct{}

func (printer) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (printer) Shutdown(context.Context) error             { return nil }
func (printer) ForceFlush(context.Context) error           { return nil }
func (printer) OnEnd(s sdk.ReadOnlySpan) {
	scope := s.InstrumentationScope()
	group, _ := scope.Attributes.Value("lens.group")
	var list []string
	for _, kv := range s.Attributes() {
		list = append(list, string(kv.Key)+"="+kv.Value.String())
	}
	fmt.Printf("%s: %s %v\n", group.String(), s.Name(), list)
}
