package web

import (
	"github.com/lensgo/lens/viewer/otlp"
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
	list := s.m.Outlines()
	marks = make(map[string]runMark, len(list))
	for _, o := range list[:min(len(list), 1000)] {
		m := runMark{spans: o.Spans, last: int64(o.Last), finished: o.Finished(), running: s.goesOn(o.GoesOn(), o.Progress, o.Last)}
		if o.Progress != nil {
			m.progress = *o.Progress
		}
		marks[o.ID] = m
	}
	return marks, len(list) <= 1000
}
