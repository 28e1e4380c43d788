package terminal

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lensgo/lens/internal/printable"
)

// row is a TRACE of the API, as far as a line shows it.
type row struct {
	Trace     string   `json:"trace"`
	Root      *string  `json:"root"`
	Service   string   `json:"service"`
	Start     string   `json:"start"`
	Duration  *float64 `json:"duration_ns"`
	Open      bool     `json:"open"`
	Spans     int      `json:"spans"`
	Errors    int      `json:"errors"`
	Truncated int      `json:"truncated"`
	Rollout   *place   `json:"rollout"`
}

// place is where a rollout stands in its run.
type place struct {
	Env     string `json:"env"`
	Task    *int   `json:"task"`
	Attempt *int   `json:"attempt"`
	Retry   int    `json:"retry"`
}

type rows struct {
	Rows    []row   `json:"rows"`
	Next    *string `json:"next"`
	Matched *int    `json:"matched"`
}

// ListOptions choose traces.
type ListOptions struct {
	Query string // the filter grammar of the page, for instance "dur>2s error:true"
	Run   string
	Sort  string // a column of the API, "-" before it reverses; empty: newest first
	Limit int    // at most so many; 0 is 50

	Began chan<- struct{} // of Tail; may be nil
}

const (
	defaultLimit = 50
	maxPage      = 200
)

// List prints traces, one a line.
func (a *API) List(ctx context.Context, w io.Writer, o ListOptions) error {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	q := url.Values{}
	for name, value := range map[string]string{"q": o.Query, "run": o.Run, "sort": o.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TRACE\tSTART\tROOT\tSERVICE\tDURATION\tSPANS\tERRORS\tROLLOUT")
	left := o.Limit
	for {
		q.Set("limit", strconv.Itoa(min(left, maxPage)))
		var page rows
		if err := a.get(ctx, "/traces", q, &page); err != nil {
			return err
		}
		for _, r := range page.Rows {
			fmt.Fprintln(table, r.line(time.Now()))
		}
		left -= len(page.Rows)
		if page.Next == nil || left <= 0 || len(page.Rows) == 0 {
			return finish(table, w, page, o.Limit-left)
		}
		q.Set("cursor", *page.Next)
	}
}

// finish prints the table, and says so when it is not all.
func finish(table *tabwriter.Writer, w io.Writer, last rows, shown int) error {
	if err := table.Flush(); err != nil {
		return err
	}
	switch {
	case shown == 0:
		fmt.Fprintln(w, "No trace matches.")
	case last.Next != nil && last.Matched != nil:
		fmt.Fprintf(w, "%d of %d traces; --limit shows more.\n", shown, *last.Matched)
	case last.Next != nil:
		fmt.Fprintf(w, "The first %d traces; --limit shows more.\n", shown)
	}
	return nil
}

func (r *row) line(now time.Time) string {
	root, length := "(no root yet)", "open"
	if r.Root != nil {
		root = cut(printable.Line(*r.Root), 48)
	}
	if r.Duration != nil && !r.Open {
		length = duration(*r.Duration)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s",
		r.Trace, clock(r.Start, now), root, cut(printable.Line(r.Service), 40), length, r.Spans, r.Errors, r.Rollout)
}

// String names a rollout as the page does; a nil place is "".
func (p *place) String() string {
	if p == nil {
		return ""
	}
	text := printable.Line(p.Env)
	if p.Task != nil {
		text += fmt.Sprintf(" task %d", *p.Task)
	}
	if p.Attempt != nil {
		text += fmt.Sprintf(" attempt %d", *p.Attempt)
	}
	if p.Retry > 0 {
		text += fmt.Sprintf(" retry %d", p.Retry)
	}
	return strings.TrimPrefix(text, " ")
}
