package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/sides"
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
	s, err := sides.Open("edges")
	if err != nil {
		return err
	}
	defer s.End()
	result, err := sides.Run(ctx, s, *rounds, *operations, subjects, makers(s))
	if err != nil {
		return err
	}
	return report(out, result)
}

func report(out io.Writer, r bench.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "edge\toff / bare\tno-op / bare\ton / bare\tSDK / bare\tadded: off / no-op\tadded: on / SDK\tbare, µs")
	for _, s := range subjects {
		one := func(side string) string { return s.Name + " " + side }
		us := r.Of(one(bare), sides.CPU)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name,
			r.Ratio(one(sides.Off), one(bare), sides.CPU), r.Ratio(one(sides.None), one(bare), sides.CPU),
			r.Ratio(one(sides.On), one(bare), sides.CPU), r.Ratio(one(sides.SDK), one(bare), sides.CPU),
			r.Added(one(sides.Off), one(sides.None), one(bare), sides.CPU), r.Added(one(sides.On), one(sides.SDK), one(bare), sides.CPU),
			bench.Round(us.Median/1e3))
	}
	return w.Flush()
}
