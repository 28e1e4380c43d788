package web

import (
	"context"
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
)

// TraceComparison compares two traces, step by step.
type TraceComparison struct {
	A         ComparedTrace  `json:"a"`
	B         ComparedTrace  `json:"b"`
	SameTask  bool           `json:"same_task"`
	Sentence  string         `json:"sentence"`
	Rows      []ComparedStep `json:"rows"`
	RowsTotal int            `json:"rows_total"`
	Part      *Parting       `json:"part"`
	Duration  int64          `json:"duration_ns"`
}

// ComparedTrace is one side of a comparison.
type ComparedTrace struct {
	Trace   Trace    `json:"trace"`
	Rollout *Rollout `json:"rollout"`
}

// Parting is the first step that differs.
type Parting struct {
	Row   int    `json:"row"`
	Words string `json:"words"`
}

const (
	maxSteps    = 2000
	maxArgument = 200
)

func (h *Handler) getTraceComparison(r *http.Request, p *params) (any, error) {
	a, b := p.trace("a", p.values.Get("a")), p.trace("b", p.values.Get("b"))
	aSpan, bSpan := p.maybeSpan("a_span"), p.maybeSpan("b_span")
	at := p.number("at", 0, 0, 1<<40)
	if p.err != nil {
		return nil, p.err
	}
	va, err := h.traceOf(r.Context(), a, at, "")
	if err != nil {
		return nil, err
	}
	vb, err := h.traceOf(r.Context(), b, at, "")
	if err != nil {
		return nil, err
	}
	left, err := h.side(r.Context(), va, aSpan)
	if err != nil {
		return nil, err
	}
	right, err := h.side(r.Context(), vb, bSpan)
	if err != nil {
		return nil, err
	}
	return compareSides(left, right), nil
}

// side is one of two traces that are compared.
type side struct {
	v     *view
	root  int
	steps []step
	shown ComparedTrace
}

func (h *Handler) side(ctx context.Context, v *view, span otlp.SpanID) (*side, error) {
	s := &side{v: v, root: v.rolloutRow(span)}
	if s.root < 0 && !span.IsZero() {
		return nil, notFound("The trace "+v.trace.ID.String()+" has no rollout with the span "+span.String()+".", "")
	}
	if s.root < 0 {
		s.root = max(v.root, 0)
	}
	s.shown.Trace = h.traceRow(v)
	s.shown.Rollout = h.rolloutAt(v, s.root)
	c, err := h.conversation(ctx, v, s.root)
	if err != nil {
		return nil, err
	}
	s.steps = v.steps(s.root, argumentsOf(c.rows))
	return s, nil
}

func compareSides(a, b *side) *TraceComparison {
	out := &TraceComparison{A: a.shown, B: b.shown}
	if x, y := a.shown.Rollout, b.shown.Rollout; x != nil && y != nil && x.Task != nil && y.Task != nil {
		out.SameTask = x.Run == y.Run && x.Env == y.Env && *x.Task == *y.Task
	}
	if len(a.v.rows) > 0 {
		out.Duration = a.v.length(a.root)
	}
	if len(b.v.rows) > 0 {
		out.Duration = max(out.Duration, b.v.length(b.root))
	}
	pairs := align(a.steps, b.steps)
	out.RowsTotal = len(pairs)
	for i, pair := range pairs {
		if i < maxSteps {
			out.Rows = append(out.Rows, comparedStep(a, b, pair))
		}
	}
	if at := parting(a, b, pairs); at >= 0 && at < maxSteps {
		out.Part = &Parting{Row: cause(a, b, pairs, at), Words: partWords(a, b, pairs, at)}
	}
	out.Sentence = sentence(a, b, pairs)
	return out
}
