package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/otlp"
)

// RunLogs is some of the logs of a run, the latest first.
type RunLogs struct {
	Rows     []RunLog        `json:"rows"`
	Next     *string         `json:"next"`
	Matched  *int64          `json:"matched"`
	Total    *int64          `json:"total"`
	Searched int             `json:"searched"`
	Levels   map[string]*int `json:"levels"`
	Problem  *string         `json:"problem"`
}

// getRunLogs answers with a page of logs. A search that takes long gives what it found, and a cursor to go on at.
func (h *Handler) getRunLogs(r *http.Request, p *params) (any, error) {
	run := runName(r.PathValue("run"))
	q := logs.Query{Run: run, Text: p.text("text", maxFilter), Cursor: p.text("cursor", maxParameter), Limit: int(p.number("limit", maxRows, 1, maxLogs)), Within: logSearchTime}
	if level := p.values.Get("level"); level != "" {
		var ok bool
		if q.Least, ok = logs.ParseLevel(level); !ok {
			p.wrong("level", level, "It must be one of trace, debug, info, warn, error, fatal.")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	page, err := logs.Run(r.Context(), h.o.Store, q)
	switch {
	case errors.Is(err, logs.ErrCursor):
		return nil, badCursor()
	case err != nil:
		return nil, err
	}
	out := &RunLogs{Next: cursorOf(page.Next), Searched: page.Searched}
	if page.Damaged > 0 {
		out.Problem = new(damagedLogs)
	}
	h.countRunLogs(out, q)
	started := uint64(0)
	if run := h.model.outline(run); run != nil {
		started = run.Started
	}
	texts := newBudget()
	for i := range page.Records {
		out.Rows = append(out.Rows, runLog(&page.Records[i], started, texts))
	}
	return out, nil
}

// countRunLogs says how many there are, as far as that is known without reading them.
func (h *Handler) countRunLogs(out *RunLogs, q logs.Query) {
	out.Levels = map[string]*int{}
	for _, l := range []logs.Level{logs.Unknown, logs.Tracing, logs.Debug, logs.Info, logs.Warn, logs.Error, logs.Fatal} {
		out.Levels[l.String()] = nil
	}
	if h.o.Logs == nil {
		return
	}
	c, ok := h.o.Logs.Counts(q.Run)
	if !ok {
		return
	}
	for l, n := range c {
		out.Levels[logs.Level(l).String()] = new(int(n))
	}
	out.Total = new(c.Total())
	if strings.TrimSpace(q.Text) == "" {
		out.Matched = new(c.From(q.Least))
	}
}

func runLog(r *logs.Record, started uint64, texts *budget) RunLog {
	out := RunLog{LogLine: logLine(r), Level: r.Level.String()}
	out.spend(texts)
	if started > 0 && r.Time() > 0 {
		out.Since = new(gap(r.Time(), started))
	}
	if id := otlp.TraceID(r.TraceID()); !id.IsZero() {
		out.Trace, out.At = &id, new(out.Time.at())
	}
	return out
}

// logCount is how many log records a run has, nil when that is not known.
func (h *Handler) logCount(run string) *int64 {
	if h.o.Logs == nil {
		return nil
	}
	c, ok := h.o.Logs.Counts(run)
	if !ok {
		return nil
	}
	return new(c.Total())
}
