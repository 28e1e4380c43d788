package sides

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

// Program is a command that measures subjects and prints a table of them.
type Program[S any] struct {
	Name               string
	Rounds, Operations int // unless its flags say otherwise
	Subjects           []Subject[S]
	On                 func(Sides) map[string]S
	Columns            []Column
}

// Column is one of the numbers of a subject. Of names the subject's case on a side.
type Column struct {
	Title string
	Value func(r bench.Result, of func(side string) string) string
}

// Ratio is a column: the CPU time of one side by that of another.
func Ratio(title, side, base string) Column {
	return Column{title, func(r bench.Result, of func(string) string) string { return r.Ratio(of(side), of(base), cpu).String() }}
}

// Added is a column: what one side costs more than the base, by what another one does.
func Added(title, side, other, base string) Column {
	return Column{title, func(r bench.Result, of func(string) string) string {
		return r.Added(of(side), of(other), of(base), cpu).String()
	}}
}

// Microseconds is a column: the CPU time of one operation, the median.
func Microseconds(title, side string) Column {
	return Column{title, func(r bench.Result, of func(string) string) string {
		return bench.Round(r.Of(of(side), cpu).Median / 1e3)
	}}
}

// Main runs the program until it is done or interrupted, and exits when it fails.
func (p Program[S]) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := p.Run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// Run is Main without the process around it.
func (p Program[S]) Run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	rounds := f.Int("rounds", p.Rounds, "rounds; each runs each case once")
	operations := f.Int("operations", p.Operations, "operations of a case in a round")
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := open(p.Name)
	if err != nil {
		return err
	}
	defer s.end()
	result, err := p.measure(ctx, s, *rounds, *operations)
	if err != nil {
		return err
	}
	return p.report(out, result)
}

// measure measures each subject on each side, so many operations in each round. A case is named by both, with a blank between.
func (p Program[S]) measure(ctx context.Context, s Sides, rounds, operations int) (bench.Result, error) {
	var cases []bench.Case
	var ends []func() error
	on := p.On(s)
	for _, subject := range p.Subjects {
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

// measure is one round of a case.
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
	return bench.Sample{cpu: float64(after-before) / float64(time.Nanosecond) / float64(operations)}, err
}

func (p Program[S]) report(out io.Writer, r bench.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, p.Name)
	for _, c := range p.Columns {
		fmt.Fprintf(w, "\t%s", c.Title)
	}
	for _, s := range p.Subjects {
		fmt.Fprintf(w, "\n%s", s.Name)
		for _, c := range p.Columns {
			fmt.Fprintf(w, "\t%s", c.Value(r, func(side string) string { return s.Name + " " + side }))
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}
