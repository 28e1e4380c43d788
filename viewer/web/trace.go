package web

import (
	"net/http"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

const maxRolloutsOfTrace = 50

func (h *Handler) getTrace(r *http.Request, p *params) (any, error) {
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	d := v.detail()
	h.describe(d, v)
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
	d.Conversation = h.conversationState(v)
	if h.o.MaxAge > 0 {
		d.RemovedAfter = known(v.end + uint64(h.o.MaxAge))
	}
}

// maxCounted is the length of a row of the results file up to which its messages are counted for the header of a trace.
const maxCounted = 1 << 20

// conversationState says where the conversation of the first rollout is, and how long it is when that is soon known.
func (h *Handler) conversationState(v *view) ConversationState {
	at := v.rolloutRow(otlp.SpanID{})
	if key, ok := v.resultKey(at); ok && h.results != nil && h.ofResults(v, at) && h.results.length(key) > maxCounted {
		return ConversationState{Source: sourceResults}
	}
	c := h.conversation(v, at)
	return ConversationState{Source: c.source, Rows: new(len(c.rows))}
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

func (h *Handler) getSpans(r *http.Request, p *params) (any, error) {
	from := p.number("from", 0, 0, 1<<31-1)
	limit := p.number("limit", maxSpanPage, 1, maxSpanPage)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	return v.page(int(from), int(limit)), nil
}

func (h *Handler) getSpan(r *http.Request, p *params) (any, error) {
	id := p.span("span", r.PathValue("span"))
	n := p.number("copy", 0, 0, 1<<20)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	d, ok := v.span(id, int(n), h.model.traceRows)
	if !ok {
		return nil, notFound("This trace has no span "+id.String()+".", "It may not have arrived yet.")
	}
	return d, nil
}

func (h *Handler) getConversation(r *http.Request, p *params) (any, error) {
	span := p.maybeSpan("span")
	cursor := p.text("cursor", maxParameter)
	limit := p.number("limit", maxMessages, 1, maxMessages)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	at := v.rolloutRow(span)
	if at < 0 && !span.IsZero() {
		return nil, notFound("This trace has no rollout with the span "+span.String()+".", "")
	}
	c := h.conversation(v, at)
	page, next, err := pageOf(c.rows, cursor, int(limit))
	if err != nil {
		return nil, err
	}
	texts := newBudget()
	rows := make([]Message, len(page))
	for i, m := range page {
		m.Text, m.Cut = texts.cut(m.Text)
		m.Name, m.Call = clip(m.Name, 1000), clip(m.Call, 1000)
		rows[i] = m
	}
	return &Conversation{Source: c.source, Words: c.words, Total: len(c.rows), Next: next, Rows: rows, Verify: c.verify}, nil
}

// clockOf turns a time into an instant, nil for the zero time.
func clockOf(t time.Time) *Instant {
	if t.IsZero() || t.UnixNano() <= 0 {
		return nil
	}
	return new(Instant(t.UnixNano()))
}
