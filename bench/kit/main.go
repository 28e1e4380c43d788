package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/sides"
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

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("kit", flag.ContinueOnError)
	rounds := f.Int("rounds", 41, "rounds; each runs each case once")
	operations := f.Int("operations", 2000, "operations of a case in a round")
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := sides.Open("kit")
	if err != nil {
		return err
	}
	defer s.End()
	result, err := sides.Run(ctx, s, *rounds, *operations, subjects, map[string]trace.TracerProvider{
		sides.Off: lensotel.TracerProvider(s.Quiet), sides.On: lensotel.TracerProvider(s.Loud), sides.None: s.None, sides.SDK: s.SDK,
	})
	if err != nil {
		return err
	}
	return report(out, result)
}

func report(out io.Writer, r bench.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tgroup off / no-op\tgroup on / SDK\tgroup off / SDK\tSDK, µs")
	for _, s := range subjects {
		one := func(provider string) string { return s.Name + " " + provider }
		us := r.Of(one(sides.SDK), sides.CPU)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, r.Ratio(one(sides.Off), one(sides.None), sides.CPU), r.Ratio(one(sides.On), one(sides.SDK), sides.CPU),
			r.Ratio(one(sides.Off), one(sides.SDK), sides.CPU), bench.Round(us.Median/1e3))
	}
	return w.Flush()
}
