package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lensgo/lens/bench"
)

// Report is what a run found.
type Report struct {
	Date     string     `json:"date"`
	Size     string     `json:"size"`
	Cores    int        `json:"cores"`
	Go       string     `json:"go"`
	Browser  string     `json:"browser,omitempty"`
	Sections []*Section `json:"sections"`
	Targets  []Target   `json:"targets"`
	Notes    []string   `json:"notes,omitempty"`
}

// Section is a table. Values stand in the order of the columns.
type Section struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Columns []string `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Row is a line of a table. A column that has no meaning for it has an empty Spread.
type Row struct {
	Case   string         `json:"case"`
	Values []bench.Spread `json:"values"`
}

// Target is a number that was asked for.
type Target struct {
	What string  `json:"what"`
	Want string  `json:"want"`
	Got  float64 `json:"got"`
	Met  bool    `json:"met"`
}

func newReport(size string) *Report {
	return &Report{Date: time.Now().UTC().Format(time.DateOnly), Size: size, Cores: runtime.NumCPU(), Go: runtime.Version()}
}

func (r *Report) section(name, about string, columns ...string) *Section {
	s := &Section{Name: name, About: about, Columns: columns}
	r.Sections = append(r.Sections, s)
	return s
}

func (s *Section) row(name string, values ...bench.Spread) {
	s.Rows = append(s.Rows, Row{name, values})
}

// one is a number that was measured once.
func one(v float64) bench.Spread { return bench.Spread{N: 1, Median: v, P25: v, P75: v} }

// none is a number that a row does not have.
var none = bench.Spread{}

func (r *Report) atMost(what, unit string, got, want float64) {
	r.Targets = append(r.Targets, Target{what, fmt.Sprintf("at most %s %s", bench.Round(want), unit), got, got <= want})
}

func (r *Report) atLeast(what, unit string, got, want float64) {
	r.Targets = append(r.Targets, Target{what, fmt.Sprintf("at least %s %s", bench.Round(want), unit), got, got >= want})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// missing is an error when a number is none: that of a measurement that failed must not look like a result.
func (r *Report) missing() error {
	var errs []error
	for _, s := range r.Sections {
		for _, row := range s.Rows {
			for i, v := range row.Values {
				if v.N > 0 && (math.IsNaN(v.Median) || math.IsInf(v.Median, 0)) {
					errs = append(errs, fmt.Errorf("%s, %s: %s is missing", s.Name, row.Case, s.Columns[i]))
				}
			}
		}
	}
	for _, t := range r.Targets {
		if math.IsNaN(t.Got) || math.IsInf(t.Got, 0) {
			errs = append(errs, fmt.Errorf("%s is missing", t.What))
		}
	}
	return errors.Join(errs...)
}

func (r *Report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, size %s, %d cores, %s", r.Date, r.Size, r.Cores, r.Go)
	if r.Browser != "" {
		fmt.Fprintf(w, ", %s", r.Browser)
	}
	fmt.Fprintln(w)
	for _, s := range r.Sections {
		fmt.Fprintf(w, "\n%s: %s\n", s.Name, s.About)
		fmt.Fprintf(w, "  \t%s\n", strings.Join(s.Columns, "\t"))
		for _, row := range s.Rows {
			fmt.Fprintf(w, "  %s", row.Case)
			for _, v := range row.Values {
				fmt.Fprintf(w, "\t%s", cell(v))
			}
			fmt.Fprintln(w)
		}
		w.Flush()
	}
	if len(r.Targets) > 0 {
		fmt.Fprintf(w, "\ntargets: what the product should hold on two quiet cores\n")
	}
	for _, t := range r.Targets {
		met := "met"
		if !t.Met {
			met = "NOT MET"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", t.What, t.Want, bench.Round(t.Got), met)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", n)
	}
	return w.Flush()
}

func cell(v bench.Spread) string {
	switch v.N {
	case 0:
		return "-"
	case 1:
		return bench.Round(v.Median)
	}
	return v.String()
}
