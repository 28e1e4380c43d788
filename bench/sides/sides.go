// Package sides compares what a span group costs, while it is off and while it is on, with what OpenTelemetry's own providers
// cost for the same work.
//
//	var program = sides.Program[maker]{
//		Name: "edges", Rounds: 31, Operations: 1000, Subjects: subjects, On: makers,
//		Columns: []sides.Column{sides.Ratio("off / no-op", sides.Off, sides.None)},
//	}
//
//	func main() { program.Main() }
//
// What it measures is the CPU time of this process.
package sides

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// The sides: a group, and beside it the provider that does as much as the group then does.
const (
	Off  = "group off"
	None = "stock no-op"
	On   = "group on"
	SDK  = "SDK"
)

// cpu is the measure: nanoseconds of one operation.
const cpu = "cpu"

// Sides are what is compared. Spans that are recorded go nowhere.
type Sides struct {
	Quiet, Loud *lens.Group // off and on
	None, SDK   trace.TracerProvider

	inside context.Context // in a span that records
	end    func()          // ends that span
}

// open registers the two groups in a registry of their own.
func open(namespace string) (Sides, error) {
	r := lens.NewRegistry()
	loud, quiet := r.NewGroup("loud"), r.NewGroup("quiet")
	if err := r.Register(lens.Library{Namespace: namespace, Groups: []*lens.Group{loud, quiet}}); err != nil {
		return Sides{}, err
	}
	r.SetSpec("loud")
	provider := sdktrace.NewTracerProvider()
	seam.SetProvider(r, provider)
	ctx, span := loud.Start(context.Background(), "inside")
	return Sides{Quiet: quiet, Loud: loud, None: noop.NewTracerProvider(), SDK: provider, inside: ctx, end: span.End}, nil
}

// Subject is a piece of work that can be done on each side. Open gives one operation of it, and what ends it.
type Subject[S any] struct {
	Name string
	Open func(side S) (operate func(context.Context) error, done func() error)
}
