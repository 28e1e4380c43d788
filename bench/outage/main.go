// Command outage measures what a program's loop pays while its collector is in trouble: one loop that emits spans, with a collector that takes
// everything, with one that stalls, resets, answers 429 and 503 and is gone for a while, with none, and with telemetry off.
//
//	GOWORK=off go run ./outage                  seconds
//	GOWORK=off go run ./outage -size minutes    for a number that is quoted
//	GOWORK=off go run ./outage -size full       a loop of minutes, whose collector is gone for 40 s
//
// The loop is in a process of its own for each sample, made of nothing but work and spans, on one thread. What counts is the CPU time of that
// thread, in which whatever telemetry does in the caller's way shows, and, on cores that nobody else uses, the time that goes by. The
// collector is in this process.
//
// After each loop every span is accounted for: it has arrived, waits on disk, or was counted as dropped. It ends with 1 when one is missing,
// or a number is, and with 0 whatever the speed.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/command"
)

func main() { command.Main(start) }

// size is how much is measured.
type size struct {
	rounds, spans int
	gone          time.Duration // that the collector in trouble is not there
}

// sizes: one for the gate, one for a quoted run, one for a long outage.
var sizes = map[string]size{
	"seconds": {2, 20_000, 200 * time.Millisecond},
	"minutes": {21, 100_000, time.Second},
	"full":    {3, 3_000_000, 40 * time.Second},
}

// childLoop is the process that this program starts of itself.
const childLoop = "loop"

// run is what all cases have.
type run struct {
	size
	dir string // for spools, gone afterwards
	log io.Writer
}

func start(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == childLoop {
		return loop(ctx, args[1:], os.Stdin, stdout)
	}
	f := flag.NewFlagSet("outage", flag.ContinueOnError)
	f.SetOutput(stderr)
	name := f.String("size", "seconds", "how much is measured: full, minutes, seconds")
	asJSON := f.Bool("json", false, "print one JSON object")
	dir := f.String("dir", "", "`folder` for spools (default: that for temporary files)")
	rounds := f.Int("rounds", 0, "rounds; each runs each case once")
	spans := f.Int("spans", 0, "spans of a loop, at least 100")
	gone := f.Duration("gone", 0, "how long the collector in trouble is not there; the loop should take longer")
	if err := f.Parse(args); err != nil {
		return err
	}
	much, ok := sizes[*name]
	if !ok {
		return fmt.Errorf("there is no size %q: it is one of %v", *name, slices.Sorted(maps.Keys(sizes)))
	}
	much.rounds, much.spans, much.gone = cmp.Or(*rounds, much.rounds), cmp.Or(*spans, much.spans), cmp.Or(*gone, much.gone)
	if much.rounds < 1 || much.spans < 100 || much.gone < 0 {
		return errors.New("-rounds is at least 1, -spans at least 100, and -gone at least 0")
	}
	report, err := measure(ctx, *name, much, *dir, stderr)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(stdout).Encode(report)
	}
	return report.print(stdout)
}

// measure runs every case in every round.
func measure(ctx context.Context, name string, much size, parent string, log io.Writer) (_ *Report, err error) {
	dir, err := os.MkdirTemp(parent, "lens-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &run{size: much, dir: dir, log: log}
	var cases []bench.Case
	for _, c := range allCases {
		cases = append(cases, bench.Case{Name: c.name, Run: func(ctx context.Context) (bench.Sample, error) {
			began := time.Now()
			sample, err := r.sample(ctx, c)
			fmt.Fprintf(r.log, "%s: %.1f s\n", c.name, time.Since(began).Seconds())
			return sample, err
		}})
	}
	result, err := bench.Interleave(ctx, r.rounds, cases)
	if err != nil {
		return nil, err
	}
	return newReport(name, much, result)
}
