package web

import (
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Update is what has changed since the last one on the event stream.
type Update struct {
	Now    Instant      `json:"now"`
	Status *Status      `json:"status"`
	Runs   *[]string    `json:"runs"`
	Run    *Run         `json:"run"`
	Trace  *TraceUpdate `json:"trace"`
}

// TraceUpdate says how large a trace is by now.
type TraceUpdate struct {
	Trace otlp.TraceID `json:"trace"`
	Spans int          `json:"spans"`
	Open  bool         `json:"open"`
}

// traceUpdate says how large a trace is by now, without reading it.
func (h *Handler) traceUpdate(id otlp.TraceID) *TraceUpdate {
	t := h.model.trace(id)
	if t == nil {
		return nil
	}
	return &TraceUpdate{Trace: id, Spans: t.Spans, Open: t.Open}
}

// runMark changes when a run does.
type runMark struct {
	spans, last int64
	finished    int
	running     bool
	progress    runs.Progress
}

func (s *summary) marks() (marks map[string]runMark, complete bool) {
	list, err := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	if err != nil {
		return nil, false
	}
	marks = make(map[string]runMark, len(list.Rows))
	for i := range list.Rows {
		r := &list.Rows[i]
		m := runMark{spans: r.Spans, last: int64(r.Last), finished: r.Counts.Finished, running: s.goesOn(r)}
		if r.Progress != nil {
			m.progress = *r.Progress
		}
		marks[r.ID] = m
	}
	return marks, list.Next == ""
}
