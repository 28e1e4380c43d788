package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// rateWindow is what rates "now" are taken over.
const rateWindow = 10 * time.Second

// totals is what the summary knows about everything together.
type totals struct {
	runs, running, traces int
	truncated, copies     int64
	spansPerSecond        float64 // over rateWindow
	processes             int     // that sent something in rateWindow
}

func (h *Handler) getStatus(*http.Request, *params) (any, error) {
	return new(h.status()), nil
}

func (h *Handler) status() Status {
	all, kept := h.model.sums(), h.o.Store.Stats()
	traces := kept.Kinds[store.Traces]
	s := Status{
		API: 1, Version: h.o.Version, Now: Instant(h.now().UnixNano()), Started: Instant(h.started.UnixNano()),
		Spans: SpanCounts{Stored: traces.Spans, Truncated: all.truncated, Duplicates: all.copies},
		Store: StoreStatus{Bytes: kept.Bytes, Oldest: clockOf(kept.Oldest), Newest: clockOf(kept.Newest), Traces: all.traces, ReadOnly: true,
			Problems: problemsOf(kept)},
		Results: h.results.status(),
		Runs:    RunsStatus{Total: all.runs, Running: all.running},
	}
	if h.o.MaxBytes > 0 {
		s.Store.MaxBytes = new(h.o.MaxBytes)
	}
	if h.o.MaxAge > 0 {
		s.Store.MaxAge = new(int64(h.o.MaxAge))
	}
	if h.o.Received == nil {
		return s
	}
	got := h.o.Received()
	s.Store.ReadOnly = false
	s.Receiving = &Receiving{SpansPerSecond: all.spansPerSecond, Processes: all.processes, Window: int64(rateWindow)}
	s.Requests = RequestCounts{Received: got.Requests, Refused: got.Refused}
	s.Spans.Received, s.Spans.Dropped, s.Spans.Refused = got.Spans, got.DroppedSpans, got.RefusedSpans
	s.Reasons = got.Reasons[:min(len(got.Reasons), 20)]
	s.Metrics.Received, s.Logs.Received = got.Metrics, got.Logs
	s.Listening = got.Listening
	return s
}

// problemsOf says in sentences what is wrong with the store.
func problemsOf(s store.Stats) (list []string) {
	if s.Damaged > 0 {
		list = append(list, fmt.Sprintf("%s damaged and left out.", count(s.Damaged, "part of the store is", "parts of the store are")))
	}
	if s.Torn > 0 {
		list = append(list, fmt.Sprintf("%s at the end of files belonged to nothing whole. They are kept in the folder quarantine.", count(s.Torn, "byte", "bytes")))
	}
	return list
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return commas(n) + " " + many
}

// commas writes a number with a comma between thousands.
func commas(n int64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && digits[i-1] != '-' && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// runOf is the run of a trace, nil when the id is "".
func (h *Handler) runOf(id string) *TraceRun {
	if id == "" {
		return nil
	}
	out := &TraceRun{ID: id}
	if run := h.model.run(id); run != nil {
		out.Started, out.Ended = run.Started, run.Ended
	}
	return out
}

// runRow is the run that a page shows, nil when it names none.
func (h *Handler) runRow(id *string) *Run {
	if id == nil {
		return nil
	}
	return h.model.run(*id)
}

// traceUpdate says how large a trace is by now, without reading it.
func (h *Handler) traceUpdate(id otlp.TraceID) *TraceUpdate {
	t := h.model.trace(id)
	if t == nil {
		return nil
	}
	return &TraceUpdate{Trace: id, Spans: t.Spans, Open: t.Open}
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

// othersOf are the last tries of all attempts of a rollout's task, itself too.
func (h *Handler) othersOf(r Rollout) []Rollout {
	if r.Task == nil || r.Attempt == nil {
		return nil
	}
	_, others, err := h.model.rollout(rolloutKey{run: r.Run, env: r.Env, task: int(*r.Task), attempt: int(*r.Attempt), retry: -1})
	if err != nil {
		return nil
	}
	return others
}
