package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
)

// lookupKinds are what is asked for, in turn. The file is what any answer takes at least while the machine is as busy as that.
var lookupKinds = []string{"trace", "its spans", "a file of the page"}

// lookupLoads are how many spans come in a second meanwhile; 0 is as many as go, below 0 none.
var lookupLoads = []struct {
	name string
	rate float64
}{{"nothing comes in", -1}, {"1,000 spans a second", 1000}, {"100,000 spans a second", 100_000}, {"as many as go", 0}}

// lookup asks for traces by their ids, one after the other, while spans come in.
func lookup(r *run) error {
	v, source, err := r.largeRun()
	if err != nil {
		return err
	}
	defer v.kill()
	table := r.report.section("lookup", fmt.Sprintf("traces of a run by their ids, in any order, while others come in; %d rollouts were there before", r.size.Rollouts),
		"spans/s", "questions", "p50 ms", "p90 ms", "p99 ms", "max ms")
	for _, during := range lookupLoads {
		took, rate, err := r.lookupDuring(v, source, during.rate)
		if err != nil {
			return fmt.Errorf("%s: %w", during.name, err)
		}
		for k, what := range lookupKinds {
			all := slices.Sorted(slices.Values(took[k]))
			row := []bench.Spread{one(rate), one(float64(len(all)))}
			for _, q := range []float64{.5, .9, .99, 1} {
				row = append(row, one(bench.Quantile(all, q)))
			}
			table.row(during.name+": "+what, row...)
			if during.rate >= 0 && k == 0 {
				r.report.atMost("trace by id, "+during.name+": p99", "ms", bench.Quantile(all, .99), 20)
			}
		}
	}
	return nil
}

// lookupDuring asks as long as the size says. It returns milliseconds of each kind, and how many spans came in a second.
func (r *run) lookupDuring(v *viewerProcess, source *load.Source, rate float64) (took [3][]float64, got float64, err error) {
	type drive struct {
		spans int
		err   error
	}
	sent := make(chan drive, 1)
	if rate < 0 {
		sent <- drive{}
	} else {
		go func() {
			n, err := r.fill(v.program, source, load.Until{For: r.size.Lookup, PerSecond: rate})
			sent <- drive{n, err}
		}()
	}
	known := r.size.Rollouts / load.Batch * source.PerWave() // requests that are there for sure
	rng := rand.New(rand.NewPCG(5, uint64(known)))
	start := time.Now()
	for i := 0; time.Since(start) < r.size.Lookup && err == nil; i++ {
		kind := i % len(lookupKinds)
		trace := "/api/v1/traces/" + source.TraceID(rng.IntN(known), rng.Uint64())
		asked := time.Now()
		_, err = v.get(r, []string{trace, trace + "/spans", "/static/0/icon.svg"}[kind], nil)
		took[kind] = append(took[kind], ms(asked))
		time.Sleep(2 * time.Millisecond) // who asks is a person's page, no second load
	}
	d := <-sent
	if err == nil {
		err = d.err
	}
	return took, float64(d.spans) / time.Since(start).Seconds(), err
}
