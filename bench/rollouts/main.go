// Command rollouts measures how many rollouts the real program carries: servers in processes of their own and in one (--fused), with
// telemetry off, with the groups of default, and with all.
//
//	GOWORK=off go run ./rollouts                  seconds
//	GOWORK=off go run ./rollouts -size minutes    for a number that is quoted
//
// The model answers at once, so what is measured is the work of Gym itself: driver, agent, model server, resources server, results on the
// disk, and spans and metrics sent to a receiver that drops them. Results go to standard output as tables, or as one JSON object; what it
// is doing goes to standard error. It ends with 1 when something is wrong or cannot be measured (a rollout that is not scored, a span
// that does not arrive), and with 0 whatever the speed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/command"
)

func main() { command.Main(start) }

// size is how much is measured.
type size struct{ rounds, rollouts, concurrency int }

// sizes: one for the gate, one for a quoted run.
var sizes = map[string]size{
	"seconds": {2, 400, 64},
	"minutes": {11, 4000, 256},
}

// run is what all cases have.
type run struct {
	size
	dir string // for data, gone afterwards
	gym string // the program
	log io.Writer
}

func start(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("rollouts", flag.ContinueOnError)
	f.SetOutput(stderr)
	var flags command.Flags
	flags.Register(f, "gym", slices.Sorted(maps.Keys(sizes)))
	rounds := f.Int("rounds", 0, "rounds; each runs each case once")
	rollouts := f.Int("rollouts", 0, "rollouts of a case in a round, at least 2")
	concurrency := f.Int("concurrency", 0, "rollouts at a time")
	if err := f.Parse(args); err != nil {
		return err
	}
	much, ok := sizes[flags.Size]
	if !ok {
		return fmt.Errorf("there is no size %q", flags.Size)
	}
	much.rounds, much.rollouts, much.concurrency = cmp.Or(*rounds, much.rounds), cmp.Or(*rollouts, much.rollouts), cmp.Or(*concurrency, much.concurrency)
	if much.rounds < 1 || much.rollouts < 2 || much.concurrency < 1 {
		return errors.New("-rounds and -concurrency are at least 1, and -rollouts is at least 2: what a start costs is taken off by a run of one")
	}
	return flags.Run(ctx, func(dir, gym string) error {
		r := &run{size: much, dir: dir, gym: gym, log: stderr}
		report, err := r.measure(ctx, flags.Size)
		if err != nil {
			return err
		}
		return flags.Print(stdout, report, report.print)
	})
}

// measure runs every case in every round.
func (r *run) measure(ctx context.Context, name string) (*Report, error) {
	if err := r.write(); err != nil {
		return nil, err
	}
	sink, err := listen()
	if err != nil {
		return nil, err
	}
	defer sink.close()
	var cases []bench.Case
	for _, s := range setups {
		cases = append(cases, bench.Case{Name: s.name(), Run: func(ctx context.Context) (bench.Sample, error) {
			began := time.Now()
			sample, err := r.sample(ctx, s, sink)
			fmt.Fprintf(r.log, "%s: %.1f s\n", s.name(), time.Since(began).Seconds())
			return sample, err
		}})
	}
	result, err := bench.Interleave(ctx, r.rounds, cases)
	if err != nil {
		return nil, err
	}
	return newReport(name, r.size, result)
}
