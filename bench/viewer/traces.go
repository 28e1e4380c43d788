package main

import (
	"context"
	"fmt"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
)

// largeTrace is one of many spans.
type largeTrace struct {
	spans int
	id    string
}

// largeTraces makes a folder with traces of two sizes, some of each, and other spans after them, and starts a viewer on it again: so
// nothing of them is in memory.
func (r *run) largeTraces(repeats int) (v *viewerProcess, list []largeTrace, err error) {
	dir, err := r.folder("traces")
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
	senders, err := dial(v.program, load.HTTPProtobuf, 1)
	if err != nil {
		return v, nil, err
	}
	defer hangUp(senders)
	for i := range repeats {
		for _, n := range []int{r.size.Large / 10, r.size.Large} {
			reqs, id, err := load.LargeTrace(uint64(i+1), n)
			if err != nil {
				return v, nil, err
			}
			for _, req := range reqs {
				if err := senders[0].Send(r, req); err != nil {
					return v, nil, err
				}
			}
			list = append(list, largeTrace{n, id})
		}
	}
	stock, err := load.NewStock(load.Generic)
	if err != nil {
		return v, nil, err
	}
	if _, err := load.Drive(r, load.NewSource(stock, load.Options{}), senders, load.Until{Spans: 64 * load.Batch}); err != nil {
		return v, nil, err
	}
	if err := v.stop(); err != nil {
		return v, nil, err
	}
	v, err = r.view(dir, "all")
	return v, list, err
}

// header is what the page asks for first.
type header struct {
	At    int64
	Rows  int
	Spans int
}

// traces opens each trace as the page does: the header, the first 5,000 rows, then the rest.
func traces(r *run) error {
	v, list, err := r.largeTraces(r.size.Repeats)
	if err != nil {
		return err
	}
	defer v.kill()
	visits := map[string]int{}
	var cases []bench.Case
	for _, n := range []int{r.size.Large / 10, r.size.Large} {
		next := 0
		var mine []largeTrace
		for _, t := range list {
			if t.spans == n {
				mine = append(mine, t)
			}
		}
		for _, again := range []bool{false, true} {
			cases = append(cases, bench.Case{Name: traceCase(n, again), Run: func(ctx context.Context) (bench.Sample, error) {
				t := mine[next%len(mine)]
				if again { // what the case before it opened, or this one does first
					if visits[t.id] == 0 {
						if _, err := v.openTrace(ctx, t); err != nil {
							return nil, err
						}
					}
					return v.openTrace(ctx, t)
				}
				next++
				t = mine[next%len(mine)]
				visits[t.id]++
				return v.openTrace(ctx, t)
			}})
		}
	}
	result, err := bench.Interleave(r, r.size.Repeats, cases)
	if err != nil {
		return err
	}
	table := r.report.section("traces", "the API, from the disk and again; rows come 5,000 at a time, gzipped", "ms to header", "ms to first rows", "ms to all", "CPU ms", "JSON kB", "CPU / a tenth")
	small, large := r.size.Large/10, r.size.Large
	for _, again := range []bool{false, true} {
		for _, n := range []int{small, large} {
			name, ratio := traceCase(n, again), none
			if n == large {
				ratio = result.Ratio(name, traceCase(small, again), "cpu")
			}
			table.row(name, result.Of(name, "header"), result.Of(name, "first"), result.Of(name, "all"), result.Of(name, "cpu"), result.Of(name, "kB"), ratio)
		}
	}
	return nil
}

func traceCase(n int, again bool) string {
	if again {
		return fmt.Sprintf("%d spans, again", n)
	}
	return fmt.Sprintf("%d spans", n)
}

// openTrace asks for all of a trace.
func (v *viewerProcess) openTrace(ctx context.Context, t largeTrace) (bench.Sample, error) {
	before, err := meter.CPU(v.pid())
	if err != nil {
		return nil, err
	}
	start := time.Now()
	var head header
	if _, err := v.get(ctx, "/api/v1/traces/"+t.id, &head); err != nil {
		return nil, err
	}
	if head.Spans != t.spans {
		return nil, fmt.Errorf("trace %s has %d spans, want %d", t.id, head.Spans, t.spans)
	}
	s := bench.Sample{"header": ms(start)}
	total := 0
	for from := 0; from < head.Rows; from += 5000 {
		n, err := v.get(ctx, fmt.Sprintf("/api/v1/traces/%s/spans?from=%d&limit=5000&at=%d", t.id, from, head.At), nil)
		if err != nil {
			return nil, err
		}
		if from == 0 {
			s["first"] = ms(start)
		}
		total += n
	}
	s["all"], s["kB"] = ms(start), float64(total)/1e3
	after, err := meter.CPU(v.pid())
	s["cpu"] = (after - before).Seconds() * 1e3
	return s, err
}

// ms is the milliseconds since an instant.
func ms(since time.Time) float64 { return time.Since(since).Seconds() * 1e3 }
