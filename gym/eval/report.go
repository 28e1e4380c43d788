package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/internal/printable"
)

// WriteText prints a run's outcome for a person: a table of environments, what failed, where things are, and the line
// that can be checked.
func WriteText(w io.Writer, r *Result) error {
	s := r.Summary
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "environment\ttasks\trollouts\tfailed\tmean reward\tp50\tp95")
	for _, a := range s.Environments() {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n",
			title(a), a.Tasks, a.Rollouts+a.Failed, a.Failed, reward(a.MeanReward), duration(a.P50), duration(a.P95))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	writeFailures(w, s)
	c := coverageOf(s)
	fmt.Fprintf(w, "%-10s %s\n", "coverage", c)
	for _, f := range r.files() {
		fmt.Fprintf(w, "%-10s %s\n", f[0], f[1])
	}
	if r.TracesNote != "" {
		fmt.Fprintf(w, "%-10s %s\n", "traces", r.TracesNote)
	}
	for _, part := range []struct {
		n    int
		text string
	}{
		{s.Skipped, "were finished before"},
		{s.GivenUp, "failed for good before, and were not run again"},
		{s.Discarded, "asked not to be kept; --resume runs them again"},
		{s.Missing, "are missing; --resume runs them"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "%d of %d rollouts %s\n", part.n, s.Expected, part.text)
		}
	}
	if s.AggregateErr != nil {
		fmt.Fprintf(w, "aggregates are not complete: %v\n", s.AggregateErr)
	}
	_, err := fmt.Fprintln(w, r.line())
	return err
}

// shownFailures bounds how many failures a summary shows; the failures file has all of them.
const shownFailures = 5

func writeFailures(w io.Writer, s *rollout.Summary) {
	for _, c := range classes(s.FailureClasses) {
		fmt.Fprintf(w, "%d failed with %s\n", c.Count, printable.Line(c.Class))
	}
	for _, f := range s.Failures[:min(len(s.Failures), shownFailures)] {
		fmt.Fprintf(w, "  %s\n", printable.Line(f.String()))
	}
	if more := s.Failed - shownFailures; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// line says how many rollouts ran and, when they were counted, what the trace file holds.
func (r *Result) line() string {
	ran := r.Summary.Scored + r.Summary.Failed
	if r.Traces != nil {
		return r.Traces.Line(ran)
	}
	return fmt.Sprintf("%d %s, %d scored", ran, plural(ran, "rollout"), r.Summary.Scored)
}

// files lists what the run left on disk, with the label of each.
func (r *Result) files() (out [][2]string) {
	s := r.Summary
	out = append(out, [2]string{"results", s.Output})
	if s.FailuresFile != "" {
		out = append(out, [2]string{"failures", s.FailuresFile})
	}
	if s.AggregateFile != "" {
		out = append(out, [2]string{"aggregates", s.AggregateFile})
	}
	if r.Traces != nil {
		out = append(out, [2]string{"traces", r.Traces.File})
	}
	return out
}

// title names a row: the environment, or the agent where none is known.
func title(a rollout.AgentSummary) string { return cmp.Or(a.Environment, a.Agent) }

// reward prints a mean; without a scored rollout there is none.
func reward(mean float64) string {
	if math.IsNaN(mean) {
		return "-"
	}
	return fmt.Sprintf("%.3f", mean)
}

// duration prints in the unit that a person would choose.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// classCount is how many rollouts failed for one reason.
type classCount struct {
	Class string
	Count int
}

func classes(counts map[string]int) (out []classCount) {
	for class, n := range counts {
		out = append(out, classCount{class, n})
	}
	slices.SortFunc(out, func(a, b classCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class)) })
	return out
}

// coverage is how much of an output is there, whichever run on it did it. Missing is what it is everywhere: neither a result nor a failure.
type coverage struct {
	Expected  int `json:"expected"`
	Scored    int `json:"scored"`
	Failed    int `json:"failed"`
	Discarded int `json:"discarded"` // in this run, and so on disk they are missing too
	Missing   int `json:"missing"`
}

func coverageOf(s *rollout.Summary) coverage {
	return coverage{
		Expected: s.Expected, Scored: s.Skipped + s.Scored, Failed: s.GivenUp + s.Failed, Discarded: s.Discarded, Missing: s.Missing,
	}
}

// String names what there is for sure, and the rest where there is some.
func (c coverage) String() string {
	text := fmt.Sprintf("expected %d, scored %d", c.Expected, c.Scored)
	for _, part := range []struct {
		what string
		n    int
	}{{"failed", c.Failed}, {"not to be kept", c.Discarded}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %d", part.what, part.n)
		}
	}
	return text + fmt.Sprintf(", missing %d", c.Missing)
}

// The JSON form of a result. Durations are in milliseconds; a mean that does not exist is null.
type (
	summaryJSON struct {
		Expected       int               `json:"expected"`
		Rollouts       int               `json:"rollouts"`
		Scored         int               `json:"scored"`
		Failed         int               `json:"failed"`
		Skipped        int               `json:"skipped"`
		GivenUp        int               `json:"given_up"`
		Discarded      int               `json:"discarded"`
		Missing        int               `json:"missing"`
		Interrupted    bool              `json:"interrupted"`
		FailureClasses map[string]int    `json:"failure_classes"`
		Coverage       coverage          `json:"coverage"`
		Environments   []environmentJSON `json:"environments"`
		Files          map[string]string `json:"files"`
		Traces         *Traces           `json:"traces,omitzero"`
		TracesNote     string            `json:"traces_note,omitzero"`
		AggregateError string            `json:"aggregate_error,omitzero"`
		Error          string            `json:"error,omitzero"`
		Line           string            `json:"line"`
	}
	// errorJSON is what there is to say when no rollout has begun.
	errorJSON struct {
		Error string `json:"error"`
	}
	environmentJSON struct {
		Name       string   `json:"name"`
		Agent      string   `json:"agent"`
		Tasks      int      `json:"tasks"`
		Rollouts   int      `json:"rollouts"`
		Failed     int      `json:"failed"`
		MeanReward *float64 `json:"mean_reward"`
		P50        float64  `json:"p50_ms"`
		P95        float64  `json:"p95_ms"`
	}
)

// WriteJSON prints the outcome of [Run] as one JSON document: its result, when there is one, and its error.
func WriteJSON(w io.Writer, r *Result, failure error) error {
	var doc any = errorJSON{text(failure)}
	if r != nil {
		doc = r.document(failure)
	}
	if err := json.MarshalWrite(w, doc, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Result) document(failure error) summaryJSON {
	s := r.Summary
	doc := summaryJSON{
		Expected: s.Expected, Rollouts: s.Scored + s.Failed, Scored: s.Scored, Failed: s.Failed,
		Skipped: s.Skipped, GivenUp: s.GivenUp, Discarded: s.Discarded, Missing: s.Missing, Interrupted: s.Interrupted, FailureClasses: s.FailureClasses,
		Coverage: coverageOf(s),
		Files:    map[string]string{}, Traces: r.Traces, TracesNote: r.TracesNote,
		AggregateError: text(s.AggregateErr), Error: text(failure), Line: r.line(),
	}
	for _, a := range s.Environments() {
		e := environmentJSON{Name: title(a), Agent: a.Agent, Tasks: a.Tasks, Rollouts: a.Rollouts + a.Failed, Failed: a.Failed, P50: millis(a.P50), P95: millis(a.P95)}
		if !math.IsNaN(a.MeanReward) {
			e.MeanReward = &a.MeanReward
		}
		doc.Environments = append(doc.Environments, e)
	}
	for _, f := range r.files() {
		doc.Files[f[0]] = f[1]
	}
	return doc
}

// text is an error's text as JSON can hold it, "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return strings.ToValidUTF8(err.Error(), "\uFFFD")
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
