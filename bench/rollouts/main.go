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
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

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

func start(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f := flag.NewFlagSet("rollouts", flag.ContinueOnError)
	f.SetOutput(stderr)
	name := f.String("size", "seconds", "how much is measured: "+strings.Join(slices.Sorted(maps.Keys(sizes)), ", "))
	rounds := f.Int("rounds", 0, "rounds; each runs each case once")
	rollouts := f.Int("rollouts", 0, "rollouts of a case in a round, at least 2")
	concurrency := f.Int("concurrency", 0, "rollouts at a time")
	asJSON := f.Bool("json", false, "print one JSON object")
	gym := f.String("gym", "", "the gym `program` (default: built from this repository)")
	dir := f.String("dir", "", "`folder` for data (default: that for temporary files)")
	if err := f.Parse(args); err != nil {
		return err
	}
	r := &run{gym: *gym, log: stderr}
	var ok bool
	if r.size, ok = sizes[*name]; !ok {
		return fmt.Errorf("there is no size %q", *name)
	}
	for _, set := range []struct {
		to *int
		v  int
	}{{&r.rounds, *rounds}, {&r.rollouts, *rollouts}, {&r.concurrency, *concurrency}} {
		if set.v > 0 {
			*set.to = set.v
		}
	}
	if r.rollouts < 2 {
		return errors.New("-rollouts is less than 2: what a start costs is taken off by a run of one")
	}
	if r.dir, err = os.MkdirTemp(*dir, "lens-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
	if r.gym == "" {
		r.gym = filepath.Join(r.dir, "gym")
		if err := build.Command(ctx, "gym", r.gym); err != nil {
			return err
		}
	}
	report, err := r.measure(ctx, *name)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(stdout).Encode(report)
	}
	return report.print(stdout)
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
