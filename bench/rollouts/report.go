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
	Date        string `json:"date"`
	Size        string `json:"size"`
	Cores       int    `json:"cores"`
	Go          string `json:"go"`
	Rounds      int    `json:"rounds"`
	Rollouts    int    `json:"rollouts"`
	Concurrency int    `json:"concurrency"`
	Rows        []Row  `json:"rows"`
}

// Row is one setup. Ratios are of CPU time, within the rounds.
type Row struct {
	Layout      string       `json:"layout"`
	Telemetry   string       `json:"telemetry"`
	CPU         bench.Spread `json:"cpu_ms"`
	Start       bench.Spread `json:"start_cpu_ms"`
	Rate        bench.Spread `json:"rate"`
	Spans       bench.Spread `json:"spans"`
	ByOff       bench.Spread `json:"by_off"`       // of the same layout
	ByProcesses bench.Spread `json:"by_processes"` // with the same telemetry
	Allowed     float64      `json:"allowed"`      // rollouts a second of all cores, by the CPU time
}

func newReport(name string, s size, r bench.Result) (*Report, error) {
	report := &Report{
		Date: time.Now().UTC().Format(time.DateOnly), Size: name, Cores: runtime.NumCPU(), Go: runtime.Version(),
		Rounds: s.rounds, Rollouts: s.rollouts, Concurrency: s.concurrency,
	}
	var errs []error
	for _, s := range setups {
		row := Row{
			Layout: s.layout, Telemetry: s.groups,
			CPU: r.Of(s.name(), cpu), Start: r.Of(s.name(), startup), Rate: r.Of(s.name(), rate), Spans: r.Of(s.name(), spans),
			ByOff:       r.Ratio(s.name(), setup{s.layout, off}.name(), cpu),
			ByProcesses: r.Ratio(s.name(), setup{processes, s.groups}.name(), cpu),
		}
		row.Allowed = float64(report.Cores) * 1e3 / row.CPU.Median
		for what, v := range map[string]float64{"CPU time": row.CPU.Median, "rate": row.Rate.Median, "ratio": row.ByOff.Median + row.ByProcesses.Median} {
			if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
				errs = append(errs, fmt.Errorf("%s: %s is missing", s.name(), what))
			}
		}
		report.Rows = append(report.Rows, row)
	}
	return report, errors.Join(errs...)
}

func (r *Report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, size %s, %d cores, %s: %d rounds of %d rollouts, %d at a time\n\n", r.Date, r.Size, r.Cores, r.Go, r.Rounds, r.Rollouts, r.Concurrency)
	fmt.Fprintln(w, "servers\ttelemetry\tCPU / off\tCPU / processes\tCPU ms a rollout\tallowed rollouts/s\tmeasured rollouts/s\tspans a rollout\tCPU ms of a start")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Layout, row.Telemetry, row.ByOff, row.ByProcesses, row.CPU,
			bench.Round(row.Allowed), row.Rate, bench.Round(row.Spans.Median), bench.Round(row.Start.Median))
	}
	return w.Flush()
}
