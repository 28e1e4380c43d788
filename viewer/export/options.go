package export

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Options say what is written, and how. The zero value is all traces as OTLP JSON.
type Options struct {
	Format Format // "" is OTLPJSON
	Signal Signal // "" is Traces
	Table  Table  // of CSV; "" is Spans

	// Query is a filter as on the page. It chooses traces, with the table Rollouts rollouts, and log records by their traces.
	Query string
	// Traces are the only ones, when there are any.
	Traces []otlp.TraceID
	// Run, when not "", is the only run, by its nemo.run.id; "-" stands for what names none. A trace is of its root's run.
	Run string
	// Limit, when above 0, takes the newest traces (with the table Rollouts, rollouts) up to so many.
	Limit int
}

// noRun is how a user names the run of what names none.
const noRun = "-"

func (o Options) withDefaults() Options {
	if o.Format == "" {
		o.Format = OTLPJSON
	}
	if o.Signal == "" {
		o.Signal = Traces
	}
	if o.Table == "" {
		o.Table = Spans
	}
	return o
}

// Check says what about the options cannot be.
func (o Options) Check() error {
	table := o.Table
	o = o.withDefaults()
	var errs []error
	say := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	other := o.Signal != Traces
	say(o.Limit < 0, "limit is %d; it must be 0 (all) or more", o.Limit)
	say(table != "" && o.Format != CSV, "a table is for format %s, not for %s", CSV, o.Format)
	say(other && o.Format != OTLPJSON && o.Format != OTLPProto, "format %s holds traces only; for %s take %s or %s", o.Format, o.Signal, OTLPJSON, OTLPProto)
	say(other && o.Limit > 0, "a limit is for traces, not for %s", o.Signal)
	say(o.Signal == Metrics && (o.Query != "" || len(o.Traces) > 0), "metrics belong to no trace: choose them by run alone")
	if _, err := o.query(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// NeedsRuns tells whether [Write] needs a model of the runs: to know which traces match, or for its rows.
func (o Options) NeedsRuns() bool {
	o = o.withDefaults()
	byRun := o.Run != "" && o.Signal == Traces
	return o.Query != "" || o.Limit > 0 || byRun || o.Format == CSV && o.Table != Spans
}

// query is the filter, with the other conditions as terms of it.
func (o Options) query() (query.Query, error) {
	list := query.Traces
	if o.Table == Rollouts {
		list = query.Rollouts
	}
	q, err := query.Parse(o.Query, query.Options{List: list})
	if err != nil || o.Run == "" {
		return q, err
	}
	return query.Parse(strings.TrimSpace(o.Query+" "+runTerm(o.Run)), query.Options{List: list})
}

func runTerm(run string) string {
	return query.Run.String() + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(runID(run)) + `"`
}

// runID is the id of a run that a user named.
func runID(name string) string {
	if name == noRun {
		return runs.NoRun
	}
	return name
}
