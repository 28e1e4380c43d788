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

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/meter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "edges:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("edges", flag.ContinueOnError)
	rounds := f.Int("rounds", 31, "rounds; each runs each case once")
	operations := f.Int("operations", 1000, "operations of a case in a round")
	if err := f.Parse(args); err != nil {
		return err
	}
	makers, inside, end, err := open()
	if err != nil {
		return err
	}
	defer end()
	var cases []bench.Case
	var ends []func() error
	for _, s := range subjects {
		for side, m := range makers {
			operate, done := s.open(m)
			ends = append(ends, done)
			cases = append(cases, bench.Case{Name: s.name + " " + side, Run: func(context.Context) (bench.Sample, error) {
				return measure(inside, *operations, operate)
			}})
		}
	}
	result, err := bench.Interleave(ctx, *rounds, cases)
	for _, done := range ends {
		err = errors.Join(err, done())
	}
	if err != nil {
		return err
	}
	return report(out, result)
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
	fmt.Fprintln(w, "edge\toff / bare\tno-op / bare\ton / bare\tSDK / bare\tadded: off / no-op\tadded: on / SDK\tbare, µs")
	for _, s := range subjects {
		one := func(side string) string { return s.name + " " + side }
		us := r.Of(one(bare), "cpu")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.name,
			r.Ratio(one(off), one(bare), "cpu"), r.Ratio(one(none), one(bare), "cpu"),
			r.Ratio(one(on), one(bare), "cpu"), r.Ratio(one(sdk), one(bare), "cpu"),
			r.Added(one(off), one(none), one(bare), "cpu"), r.Added(one(on), one(sdk), one(bare), "cpu"),
			bench.Round(us.Median/1e3))
	}
	return w.Flush()
}
