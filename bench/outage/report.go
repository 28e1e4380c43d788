package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/lensgo/lens/bench"
)

// Report is what a run found.
type Report struct {
	Date   string  `json:"date"`
	Size   string  `json:"size"`
	Cores  int     `json:"cores"`
	Go     string  `json:"go"`
	Rounds int     `json:"rounds"`
	Spans  int     `json:"spans"`
	Gone   float64 `json:"gone_s"`
	Rows   []Row   `json:"rows"`
}

// Row is one way to run the loop. Ratios are by that with a healthy collector and no spool, within the rounds.
type Row struct {
	Case    string       `json:"case"`
	CPU     bench.Spread `json:"cpu"`    // of the loop's thread
	Added   bench.Spread `json:"added"`  // what telemetry adds to it, by what it adds there
	Time    bench.Spread `json:"time"`   // of an iteration, on average
	Median  bench.Spread `json:"median"` // of single iterations
	P99     bench.Spread `json:"p99"`
	P999    bench.Spread `json:"p999"`
	Loop    bench.Spread `json:"loop_us"` // CPU time of the loop's thread, of a span
	Others  bench.Spread `json:"others_us"`
	Memory  bench.Spread `json:"memory_mb"`
	Disk    bench.Spread `json:"disk"`    // share of the spans that wait there at the end of the loop
	Dropped bench.Spread `json:"dropped"` // share
	Twice   bench.Spread `json:"twice"`   // spans
	Trouble bench.Spread `json:"trouble"` // requests
}

func newReport(name string, s size, r bench.Result) (*Report, error) {
	report := &Report{
		Date: time.Now().UTC().Format(time.DateOnly), Size: name, Cores: runtime.NumCPU(), Go: runtime.Version(),
		Rounds: s.rounds, Spans: s.spans, Gone: s.gone.Seconds(),
	}
	var errs []error
	for _, c := range allCases {
		row := Row{
			Case: c.name,
			CPU:  r.Ratio(c.name, base.name, thread), Added: r.Added(c.name, base.name, allCases[0].name, thread), Time: r.Ratio(c.name, base.name, elapsed),
			Median: r.Ratio(c.name, base.name, median), P99: r.Ratio(c.name, base.name, p99), P999: r.Ratio(c.name, base.name, p999),
			Loop: in(1e-3, r.Of(c.name, thread)), Others: in(1e-3, r.Of(c.name, others)), Memory: r.Of(c.name, memory),
			Disk: r.Of(c.name, disk), Dropped: r.Of(c.name, dropped), Twice: r.Of(c.name, twice), Trouble: r.Of(c.name, trouble),
		}
		for what, v := range map[string]float64{"CPU time": row.CPU.Median, "time": row.Time.Median, "time of single iterations": row.Median.Median * row.P99.Median * row.P999.Median, "memory": row.Memory.Median} {
			if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
				errs = append(errs, fmt.Errorf("%s: %s is missing", c.name, what))
			}
		}
		report.Rows = append(report.Rows, row)
	}
	return report, errors.Join(errs...)
}

// in is a spread in another unit.
func in(unit float64, s bench.Spread) bench.Spread {
	return bench.Spread{N: s.N, Median: s.Median * unit, P25: s.P25 * unit, P75: s.P75 * unit}
}

func (r *Report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, size %s, %d cores, %s: %d rounds of %d spans; the hostile collector is gone for %g s\n\n", r.Date, r.Size, r.Cores, r.Go, r.Rounds, r.Spans, r.Gone)
	fmt.Fprintln(w, "collector\tloop CPU / healthy\tadded / healthy\tmedian / healthy\tp99 / healthy\tp99.9 / healthy\ttime / healthy\tloop CPU µs\tother CPU µs\tMB at most\ton disk\tdropped\ttwice\ttroubles")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Case, row.CPU, row.Added, row.Median, row.P99, row.P999, row.Time, bench.Round(row.Loop.Median), row.Others,
			row.Memory, bench.Round(row.Disk.Median), bench.Round(row.Dropped.Median), bench.Round(row.Twice.Median), bench.Round(row.Trouble.Median))
	}
	return w.Flush()
}
