// Package sides compares what a span group costs, while it is off and while it is on, with what OpenTelemetry's own providers
// cost for the same work.
//
//	s, err := sides.Open("edges")
//	defer s.End()
//	result, err := sides.Run(ctx, s, rounds, operations, subjects, map[string]maker{sides.Off: ours(s.Quiet), sides.On: ours(s.Loud)})
//	result.Ratio("http client "+sides.Off, "http client "+sides.On, sides.CPU)
//
// What it measures is the CPU time of this process.
package sides

import (
	"context"
	"errors"
	"os"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/meter"
	"github.com/lensgo/lens/internal/seam"
)

// The sides: a group, and beside it the provider that does as much as the group then does.
const (
	Off  = "group off"
	None = "stock no-op"
	On   = "group on"
	SDK  = "SDK"
)

// CPU is the measure: nanoseconds of one operation.
const CPU = "cpu"

// Sides are what is compared. Spans that are recorded go nowhere.
type Sides struct {
	Quiet, Loud *lens.Group // off and on
	None, SDK   trace.TracerProvider

	inside context.Context // in a span that records
	end    func()
}

// Open registers the two groups in a registry of their own.
func Open(namespace string) (Sides, error) {
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

// End ends the span that the operations are in.
func (s Sides) End() { s.end() }

// Subject is a piece of work that can be done on each side. Open gives one operation of it, and what ends it.
type Subject[S any] struct {
	Name string
	Open func(side S) (operate func(context.Context) error, done func() error)
}

// Run measures each subject on each side, so many operations in each round. A case is named by both, with a blank between.
func Run[S any](ctx context.Context, s Sides, rounds, operations int, subjects []Subject[S], on map[string]S) (bench.Result, error) {
	var cases []bench.Case
	var ends []func() error
	for _, subject := range subjects {
		for name, side := range on {
			operate, done := subject.Open(side)
			ends = append(ends, done)
			cases = append(cases, bench.Case{Name: subject.Name + " " + name, Run: func(context.Context) (bench.Sample, error) {
				return measure(s.inside, operations, operate)
			}})
		}
	}
	result, err := bench.Interleave(ctx, rounds, cases)
	for _, done := range ends {
		err = errors.Join(err, done())
	}
	return result, err
}

func measure(ctx context.Context, operations int, operate func(context.Context) error) (bench.Sample, error) {
	before, err := meter.CPU(os.Getpid())
	if err != nil {
		return nil, err
	}
	for range operations {
		if err := operate(ctx); err != nil {
			return nil, err
		}
	}
	after, err := meter.CPU(os.Getpid())
	return bench.Sample{CPU: float64(after-before) / float64(time.Nanosecond) / float64(operations)}, err
}
