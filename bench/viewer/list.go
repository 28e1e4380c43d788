package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
)

// question is one that the Run page asks.
type question struct{ name, path string }

// list asks for the rollouts of a large run, in the ways of the page. Before each round something comes in, so that no answer is one
// that was kept.
func list(r *run) (err error) {
	v, source, err := r.largeRun()
	if err != nil {
		return err
	}
	defer v.kill()
	senders, err := dial(v.program, load.HTTPProtobuf, 1)
	if err != nil {
		return err
	}
	defer hangUp(senders)
	run := "/api/v1/runs/" + source.RunName(0)
	rollouts := func(q, sort string) string {
		return run + "/rollouts?" + url.Values{"q": {q}, "sort": {sort}}.Encode()
	}
	questions := []question{
		{"first page", run + "/rollouts"},
		{"sorted by duration", rollouts("", "-dur")},
		{"sorted by reward, then cut", rollouts("", "reward")},
		{"reward<0.5 env:multi_step", rollouts("reward<0.5 env:multi_step", "-dur")},
		{"failed, by model time", rollouts("outcome:failed", "-model")},
		{"text", rollouts("judge_failed", "")},
		{"the run's header and panels", run},
		{"panels of reward<0.5", run + "?" + url.Values{"q": {"reward<0.5"}}.Encode()},
		{"tasks", run + "/tasks"},
		{"runs", "/api/v1/runs"},
	}
	var cases []bench.Case
	for _, q := range questions {
		cases = append(cases, bench.Case{Name: q.name, Run: func(ctx context.Context) (bench.Sample, error) {
			before, err := meter.CPU(v.pid())
			if err != nil {
				return nil, err
			}
			start := time.Now()
			n, err := v.get(ctx, q.path, nil)
			if err != nil {
				return nil, err
			}
			s := bench.Sample{"ms": ms(start), "kB": float64(n) / 1e3}
			after, err := meter.CPU(v.pid())
			s["cpu"] = (after - before).Seconds() * 1e3
			return s, err
		}})
	}
	took, work := map[string][]float64{}, map[string][]float64{}
	size := map[string]float64{}
	for range r.size.Lists {
		if _, err := load.Drive(r, source, senders, load.Until{Spans: load.Batch}); err != nil {
			return err
		}
		result, err := bench.Interleave(r, 1, cases)
		if err != nil {
			return err
		}
		for _, q := range questions {
			took[q.name] = append(took[q.name], result.Of(q.name, "ms").Median)
			work[q.name] = append(work[q.name], result.Of(q.name, "cpu").Median)
			size[q.name] = result.Of(q.name, "kB").Median
		}
	}
	table := r.report.section("list", fmt.Sprintf("a run of %d rollouts; one more request came before each round of questions", r.size.Rollouts), "ms", "p99 ms", "CPU ms", "JSON kB")
	for i, q := range questions {
		all := slices.Sorted(slices.Values(took[q.name]))
		table.row(q.name, bench.SpreadOf(all), one(bench.Quantile(all, .99)), bench.SpreadOf(work[q.name]), one(size[q.name]))
		if i < 6 {
			r.report.atMost(fmt.Sprintf("list of %d rollouts, %s", r.size.Rollouts, q.name), "ms", bench.Quantile(all, .5), 50)
		}
	}
	return nil
}

// largeRun starts a viewer with a run of the size that lists are measured at.
func (r *run) largeRun() (v *viewerProcess, source *load.Source, err error) {
	stock, err := load.NewStock(load.Gym)
	if err != nil {
		return nil, nil, err
	}
	dir, err := r.folder("list")
	if err != nil {
		return nil, nil, err
	}
	if v, err = r.view(dir, "all"); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			v.kill()
		}
	}()
	source = load.NewSource(stock, load.Options{Run: "large"})
	waves := (r.size.Rollouts + load.Batch - 1) / load.Batch // a wave has as many rollouts as a request has spans
	if _, err = r.fill(v.program, source, load.Until{Spans: waves * source.PerWave() * load.Batch}); err != nil {
		return v, nil, err
	}
	var answer struct{ Total int }
	if _, err = v.get(r, "/api/v1/runs/"+source.RunName(0)+"/rollouts?limit=1", &answer); err != nil {
		return v, nil, err
	}
	if answer.Total != waves*load.Batch {
		err = fmt.Errorf("sent %d rollouts, the list has %d", waves*load.Batch, answer.Total)
	}
	return v, source, err
}
