package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lensgo/lens/internal/printable"
)

// summary is the API's answer about one trace, as far as it is shown.
type summary struct {
	Trace     string   `json:"trace"`
	Version   string   `json:"version"`
	Start     string   `json:"start"`
	Duration  *float64 `json:"duration_ns"`
	Open      bool     `json:"open"`
	Spans     int      `json:"spans"`
	Errors    int      `json:"errors"`
	Truncated int      `json:"truncated"`
	Orphans   int      `json:"orphans"`
	Copies    struct {
		Equal   int `json:"equal"`
		Unequal int `json:"unequal"`
	} `json:"duplicates"`
	Services []struct {
		Name  string `json:"name"`
		Label string `json:"label"`
	} `json:"services"`
	Rollouts []rollout `json:"rollouts"`
}

type rollout struct {
	place
	State   string   `json:"state"`
	Failure string   `json:"failure"`
	Message string   `json:"message"`
	Reward  *float64 `json:"reward"`
}

// columns are the spans of a trace, row by row in the order of drawing.
type columns struct {
	Version  string    `json:"version"`
	Next     *int      `json:"next"`
	Strings  []string  `json:"strings"`
	ID       []string  `json:"id"`
	Depth    []int     `json:"depth"`
	Start    []float64 `json:"start_ns"`
	End      []float64 `json:"end_ns"`
	Name     []int     `json:"name"`
	Service  []int     `json:"service"`
	Flags    []int     `json:"flags"`
	Notes    []note    `json:"notes"`
	Messages []note    `json:"messages"`
}

// note is a pair of row number and text.
type note struct {
	row  int
	text string
}

// Flags of a row.
const (
	flagError     = 1
	flagOpen      = 2
	flagTruncated = 4
	flagGhost     = 8
	flagTwice     = 32
	flagCycle     = 64
	flagSkew      = 128
)

// flagWords say what is odd about a row, in the order in which they are said.
var flagWords = []struct {
	flag int
	word string
}{
	{flagError, "ERROR"}, {flagOpen, "still running"}, {flagTruncated, "truncated"}, {flagGhost, "never arrived"},
	{flagTwice, "same span id twice"}, {flagCycle, "cut from a cycle"}, {flagSkew, "clocks differ"},
}

// barWidth is how many marks the timeline of a row has.
const barWidth = 24

// Show prints a trace as a tree: name, process, start, duration and a bar of when it ran.
func (a *API) Show(ctx context.Context, w io.Writer, trace string) error {
	var s summary
	if err := a.get(ctx, "/traces/"+url.PathEscape(trace), nil, &s); err != nil {
		return err
	}
	s.head(w)
	t := tree{summary: &s}
	for from := 0; ; {
		var page columns
		q := url.Values{"from": {strconv.Itoa(from)}}
		if err := a.get(ctx, "/traces/"+url.PathEscape(trace)+"/spans", q, &page); err != nil {
			return err
		}
		if page.Version != s.Version && from > 0 {
			return errors.New("the trace grew while it was read; ask again")
		}
		t.add(&page, from)
		if page.Next == nil {
			break
		}
		from = *page.Next
	}
	return t.print(w)
}

// head prints what is known of the whole trace.
func (s *summary) head(w io.Writer) {
	length := "open"
	if s.Duration != nil && !s.Open {
		length = duration(*s.Duration)
	}
	fmt.Fprintf(w, "trace %s  %s  %s  %d spans", s.Trace, clock(s.Start, time.Now()), length, s.Spans)
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Errors, "errors"}, {s.Truncated, "truncated"}, {s.Orphans, "without their parent"},
		{s.Copies.Equal, "received again"}, {s.Copies.Unequal, "with an id that another has"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(w)
	for _, r := range s.Rollouts {
		fmt.Fprintln(w, r.line())
	}
	fmt.Fprintln(w)
}

// line says how a rollout went.
func (r *rollout) line() string {
	text := "rollout " + r.place.String() + ": " + printable.Line(r.State)
	if r.Reward != nil {
		text += fmt.Sprintf(", reward %.2f", *r.Reward)
	}
	if r.Failure != "" {
		text += ", " + printable.Line(r.Failure)
	}
	if r.Message != "" {
		text += ": " + cut(printable.Line(r.Message), 200)
	}
	return text
}

// tree collects the rows of a trace.
type tree struct {
	*summary
	rows []treeRow
	last float64 // latest end, the right edge of the bars
}

type treeRow struct {
	depth               int
	name, process, note string
	start, end          float64 // end below start: none
	flags               int
}

func (t *tree) add(page *columns, from int) {
	texts := map[int]string{}
	for _, list := range [][]note{page.Notes, page.Messages} {
		for _, n := range list {
			if texts[n.row] != "" {
				texts[n.row] += "; "
			}
			texts[n.row] += printable.Line(n.text)
		}
	}
	for i := range page.ID {
		r := treeRow{depth: page.Depth[i], start: page.Start[i], end: page.End[i], flags: page.Flags[i], note: texts[from+i]}
		if n := page.Name[i]; n >= 0 && n < len(page.Strings) {
			r.name = printable.Line(page.Strings[n])
		}
		if s := page.Service[i]; s >= 0 && s < len(t.Services) {
			r.process = printable.Line(t.Services[s].Label)
		}
		if r.flags&flagOpen != 0 {
			r.end = r.start - 1
		}
		t.last = max(t.last, r.start, r.end)
		t.rows = append(t.rows, r)
	}
}

// print writes the rows with aligned columns.
func (t *tree) print(w io.Writer) error {
	wide, process := 0, 0
	for i := range t.rows {
		wide = max(wide, 2*t.rows[i].depth+utf8.RuneCountInString(t.rows[i].name))
		process = max(process, utf8.RuneCountInString(t.rows[i].process))
	}
	wide, process = min(wide, 72), min(process, 32)
	for i := range t.rows {
		r := &t.rows[i]
		name := cut(strings.Repeat("  ", min(r.depth, 30))+r.name, wide)
		length := "open"
		if r.end >= r.start {
			length = duration(r.end - r.start)
		}
		line := fmt.Sprintf("%s  %s  %10s %10s  %s", pad(name, wide), pad(cut(r.process, process), process),
			"+"+duration(r.start), length, t.bar(r))
		for _, f := range flagWords {
			if r.flags&f.flag != 0 {
				line += "  " + f.word
			}
		}
		if r.note != "" {
			line += "  " + cut(r.note, 120)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// bar draws when a row ran, on the scale of the whole trace. What is there is at least one mark wide.
func (t *tree) bar(r *treeRow) string {
	at := func(ns float64) int {
		if t.last <= 0 {
			return 0
		}
		return max(0, min(barWidth-1, int(ns/t.last*barWidth)))
	}
	from, to := at(r.start), barWidth-1
	if r.end >= r.start {
		to = max(from, at(r.end))
	}
	mark := "█"
	if r.flags&flagOpen != 0 {
		mark = "▒"
	}
	return "│" + strings.Repeat(" ", from) + strings.Repeat(mark, to-from+1) + strings.Repeat(" ", barWidth-1-to) + "│"
}

func pad(s string, n int) string {
	if d := n - utf8.RuneCountInString(s); d > 0 {
		return s + strings.Repeat(" ", d)
	}
	return s
}
