package web

import (
	"net/http"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// TraceDetail is the header of a trace.
type TraceDetail struct {
	Trace         otlp.TraceID      `json:"trace"`
	At            int64             `json:"at"`
	Version       string            `json:"version"`
	Start         Instant           `json:"start"`
	End           Instant           `json:"end"`
	Duration      int64             `json:"duration_ns"`
	Open          bool              `json:"open"`
	Spans         int               `json:"spans"`
	Rows          int               `json:"rows"`
	Errors        int               `json:"errors"`
	Truncated     int               `json:"truncated"`
	Orphans       int               `json:"orphans"`
	Cycles        int               `json:"cycles"`
	Skewed        int               `json:"skewed"`
	Duplicates    Duplicates        `json:"duplicates"`
	Damaged       int               `json:"damaged"`
	Root          *TraceRoot        `json:"root"`
	Services      []TraceService    `json:"services"`
	Groups        []string          `json:"groups"`
	Path          int64             `json:"path_ns"`
	Run           *TraceRun         `json:"run"`
	Rollouts      []Rollout         `json:"rollouts"`
	RolloutsTotal int               `json:"rollouts_total"`
	Others        []Rollout         `json:"others"`
	Logs          *int              `json:"logs"`
	Conversation  ConversationState `json:"conversation"`
	RemovedAfter  *Instant          `json:"removed_after"`
}

// Duplicates counts span ids that came more than once.
type Duplicates struct {
	Equal   int `json:"equal"`   // with the same content, not shown
	Unequal int `json:"unequal"` // with other content, shown and marked
}

// TraceRoot is the row that a trace is named after.
type TraceRoot struct {
	Row  int         `json:"row"`
	Span otlp.SpanID `json:"span"`
	Name string      `json:"name"`
}

// TraceService is one process of a trace.
type TraceService struct {
	Name   string `json:"name"`
	Label  string `json:"label"`
	Role   string `json:"role"`
	Colour int    `json:"colour"`
	Spans  int    `json:"spans"`
}

// TraceRun is the run of a trace.
type TraceRun struct {
	ID      string   `json:"id"`
	Started *Instant `json:"started"`
	Ended   *Instant `json:"ended"`
}

const maxRolloutsOfTrace = 50

func (h *Handler) getTrace(r *http.Request, p *params) (any, error) {
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	d := v.detail()
	h.describe(d, v)
	if d.Conversation, err = h.conversationState(r.Context(), v); err != nil {
		return nil, err
	}
	logs, err := h.countLogs(r.Context(), v)
	if err != nil {
		return nil, err
	}
	d.Logs = logs
	return d, nil
}

// detail is what the spans alone tell.
func (v *view) detail() *TraceDetail {
	t := v.trace
	d := &TraceDetail{
		Trace: t.ID, At: Instant(v.start).at(), Version: v.version, Start: Instant(v.start), End: Instant(v.end), Duration: v.duration(),
		Open: v.open, Spans: len(t.Spans), Rows: len(v.rows), Errors: v.errors, Truncated: v.truncated, Orphans: v.orphans, Cycles: v.cycles,
		Skewed: v.skewed, Duplicates: Duplicates{Equal: t.Copies, Unequal: v.sameID}, Damaged: t.Damaged,
		Services: v.services, Groups: v.groups, Path: v.path,
	}
	if v.root >= 0 {
		d.Root = &TraceRoot{Row: v.root, Span: v.rows[v.root].id, Name: v.nameOf(v.root)}
	}
	return d
}

// duration is that of the root; without one, and while it runs, it is that of all there is.
func (v *view) duration() int64 {
	if v.root >= 0 {
		if r := &v.rows[v.root]; r.flags&(flagGhost|flagOrphan) == 0 && r.end >= 0 {
			return r.end - r.start
		}
	}
	return gap(v.end, v.start)
}

// nameOf is the name of a row's span, "" of a ghost.
func (v *view) nameOf(row int) string {
	if v.rows[row].span < 0 {
		return ""
	}
	return clip(otlp.Text(v.trace.Spans[v.rows[row].span].Name), 1000)
}

// describe adds what the summary of the store and the results file know about a trace.
func (h *Handler) describe(d *TraceDetail, v *view) {
	d.Rollouts, d.RolloutsTotal = h.rolloutsOf(v, maxRolloutsOfTrace)
	run := v.run()
	if d.RolloutsTotal == 1 && len(d.Rollouts) == 1 {
		d.Others = h.othersOf(d.Rollouts[0])
		run = d.Rollouts[0].Run
	}
	d.Run = h.runOf(run)
	if h.o.MaxAge > 0 {
		d.RemovedAfter = known(v.end + uint64(h.o.MaxAge))
	}
}

// run is the run that the trace's spans name first, "" when none does.
func (v *view) run() string {
	for i := range v.trace.Resources {
		if id, ok := v.trace.Resources[i].Attr(semconv.NemoRunID); ok && id.Str() != "" {
			return otlp.Text(id.Str())
		}
	}
	return ""
}

// rolloutRow is the row of a rollout's span, of the first rollout when the id is zero; -1 when there is none.
func (v *view) rolloutRow(span otlp.SpanID) int {
	for i := range v.rows {
		r := &v.rows[i]
		if r.flags&flagRollout != 0 && (span.IsZero() || r.id == span) {
			return i
		}
	}
	return -1
}

// runOf is the run of a trace, nil when the id is "".
func (h *Handler) runOf(id string) *TraceRun {
	if id == "" {
		return nil
	}
	out := &TraceRun{ID: id}
	if run := h.model.outline(id); run != nil {
		out.Started, out.Ended = known(run.Started), known(run.Last)
		if h.model.goesOn(run.GoesOn(), run.Progress, run.Last) {
			out.Ended = nil
		}
	}
	return out
}
