package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/meter"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kit:", err)
		os.Exit(1)
	}
}

// The providers that each package gets. Those of a group stand beside their counterparts.
const (
	off  = "group off"
	none = "stock no-op"
	on   = "group on"
	sdk  = "SDK"
)

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("kit", flag.ContinueOnError)
	rounds := f.Int("rounds", 41, "rounds; each runs each case once")
	operations := f.Int("operations", 2000, "operations of a case in a round")
	if err := f.Parse(args); err != nil {
		return err
	}
	providers, inside, end, err := open()
	if err != nil {
		return err
	}
	defer end()
	cases, done := prepare(providers, inside, *operations)
	result, err := bench.Interleave(ctx, *rounds, cases)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	return report(out, result)
}

// open gives the providers, and a context inside a span that records.
func open() (providers map[string]trace.TracerProvider, inside context.Context, end func(), err error) {
	r := lens.NewRegistry()
	calls, quiet := r.NewGroup("calls"), r.NewGroup("quiet")
	if err := r.Register(lens.Library{Namespace: "kit", Groups: []*lens.Group{calls, quiet}}); err != nil {
		return nil, nil, nil, err
	}
	r.SetSpec("calls")
	provider := sdktrace.NewTracerProvider()
	seam.SetProvider(r, provider)
	ctx, span := calls.Start(context.Background(), "inside")
	return map[string]trace.TracerProvider{
		off: lensotel.TracerProvider(quiet), none: noop.NewTracerProvider(), on: lensotel.TracerProvider(calls), sdk: provider,
	}, ctx, span.End, nil
}

// prepare makes a case of each package with each provider.
func prepare(providers map[string]trace.TracerProvider, inside context.Context, operations int) (cases []bench.Case, done func() error) {
	var ends []func() error
	for _, s := range subjects {
		for name, tp := range providers {
			operate, end := s.open(tp)
			ends = append(ends, end)
			cases = append(cases, bench.Case{Name: s.name + " " + name, Run: func(context.Context) (bench.Sample, error) {
				return measure(inside, operations, operate)
			}})
		}
	}
	return cases, func() (err error) {
		for _, end := range ends {
			err = errors.Join(err, end())
		}
		return err
	}
}

// measure gives the CPU time of this process for one operation, in nanoseconds.
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
	return bench.Sample{"cpu": float64(after-before) / float64(time.Nanosecond) / float64(operations)}, err
}

func report(out io.Writer, r bench.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tgroup off / no-op\tgroup on / SDK\tgroup off / SDK\tSDK, µs")
	for _, s := range subjects {
		one := func(provider string) string { return s.name + " " + provider }
		us := r.Of(one(sdk), "cpu")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.name, r.Ratio(one(off), one(none), "cpu"), r.Ratio(one(on), one(sdk), "cpu"),
			r.Ratio(one(off), one(sdk), "cpu"), bench.Round(us.Median/1e3))
	}
	return w.Flush()
}
