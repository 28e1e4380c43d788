package web

import (
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Trace is one trace in a list.
type Trace struct {
	Trace     otlp.TraceID `json:"trace"`
	At        int64        `json:"at"`
	Root      *string      `json:"root"`
	Service   string       `json:"service"`
	Start     Instant      `json:"start"`
	Duration  int64        `json:"duration_ns"`
	Open      bool         `json:"open"`
	Spans     int          `json:"spans"`
	Errors    int          `json:"errors"`
	Truncated int          `json:"truncated"`
	Services  int          `json:"services"`
	Run       *string      `json:"run"`
	Rollouts  int          `json:"rollouts"`
	Rollout   *RolloutKey  `json:"rollout"`
}

// RolloutKey names a rollout within its run.
type RolloutKey struct {
	Env     string `json:"env"`
	Task    *int64 `json:"task"`
	Attempt *int64 `json:"attempt"`
	Retry   int64  `json:"retry"`
}

func (h *Handler) getTraces(_ *http.Request, p *params) (any, error) {
	a := p.ask("started", "dur", "spans", "errors", "root", "service")
	run := p.maybe("run")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.traces(run, a)
}

func (s *summary) traces(run *string, a ask) (*Rows[Trace], error) {
	var ours []string
	if run != nil {
		ours = append(ours, equals(query.Run, *run))
	}
	q, err := s.parse(a.filter, query.Traces, ours...)
	if err != nil {
		return nil, fault(err, "")
	}
	list, err := s.m.Traces(q, a.page())
	if err != nil {
		return nil, fault(err, "")
	}
	out := &Rows[Trace]{Next: cursorOf(list.Next), Matched: &list.Matched, Total: &list.Total}
	for i := range list.Rows {
		out.Rows = append(out.Rows, s.traceOf(&list.Rows[i]))
	}
	return out, nil
}

func (s *summary) traceOf(t *runs.Trace) Trace {
	out := Trace{Trace: t.ID, At: Instant(t.Start).at(), Service: clip(otlp.Text(t.Service), 200), Start: Instant(t.Start), Duration: int64(t.Duration),
		Open: (t.Rootless || t.Open > 0) && !quiet(s.now(), t.End), Spans: t.Spans, Errors: t.Errors, Truncated: t.Cut, Services: t.Services, Rollouts: t.Rollouts}
	if !t.Rootless {
		out.Root = new(clip(otlp.Text(t.Root), 1000))
	}
	if t.Run != "" {
		out.Run = new(otlp.Text(t.Run))
	}
	if x := t.Rollout; x != nil {
		out.Rollout = &RolloutKey{Env: otlp.Text(x.Environment), Task: atLeast(int64(x.Task), 0), Attempt: atLeast(int64(x.Attempt), 1), Retry: int64(x.Retry)}
	}
	return out
}

// trace is one trace as a list has it, nil when it is not here.
func (s *summary) trace(id otlp.TraceID) *Trace {
	if t, ok := s.traceRows(id)[id]; ok {
		return &t
	}
	return nil
}

// traceRows finds traces by their ids, at most 64.
func (s *summary) traceRows(ids ...otlp.TraceID) map[otlp.TraceID]Trace {
	out := map[otlp.TraceID]Trace{}
	for _, id := range ids[:min(len(ids), 64)] {
		if t, ok := s.m.Trace(id); ok {
			out[id] = s.traceOf(&t)
		}
	}
	return out
}

// traceRow is a trace as a list has it.
func (h *Handler) traceRow(v *view) Trace {
	if t := h.model.trace(v.trace.ID); t != nil {
		return *t
	}
	t := Trace{Trace: v.trace.ID, At: Instant(v.start).at(), Start: Instant(v.start), Duration: v.duration(), Open: v.open,
		Spans: len(v.trace.Spans), Errors: v.errors, Truncated: v.truncated, Services: len(v.services), Rollouts: len(v.rollouts)}
	if v.root >= 0 {
		t.Root = new(v.nameOf(v.root))
		if s := v.rows[v.root].service; s >= 0 {
			t.Service = v.services[s].Name
		}
	}
	return t
}
