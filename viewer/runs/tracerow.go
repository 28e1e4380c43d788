package runs

import (
	"bytes"
	"cmp"

	"github.com/lensgo/lens/viewer/otlp"
)

// traceRow is what the model keeps of a trace, or what the spans of a chunk add to that.
type traceRow struct {
	id                       otlp.TraceID
	first, last              uint64
	spans, errors, cut, open int32
	copies                   int32
	rollouts                 int32 // rows
	spot                     spot  // of the only one
	processes                uint32
	gym                      bool   // holds a rollout, or a part of one
	partial                  bool   // of what a chunk adds: the rollouts wait for Heal
	judged                   uint32 // the youngest chunk that said whether they do

	root rootSpan

	seq, at uint32 // where the chunk that is being filled has its row
}

// rootSpan is the root, or the span that stands for it: the earliest without a parent, else the earliest.
type rootSpan struct {
	start, end uint64
	id         otlp.SpanID
	shape      uint32
	child      bool // has a parent, so it is no root
	failed     bool
}

func (r *rootSpan) before(o *rootSpan, t *table) bool {
	if r.child != o.child {
		return o.child
	}
	if r.start != o.start {
		return r.start < o.start
	}
	if c := bytes.Compare(r.id[:], o.id[:]); c != 0 {
		return c < 0
	}
	return cmp.Or(cmp.Compare(o.end, r.end), t.compare(r.shape, o.shape)) < 0
}

// add counts a span.
func (r *traceRow) add(s *Span, shape uint32, t *table) {
	root := rootSpan{s.Start, s.End, s.ID, shape, !s.Parent.IsZero(), s.Error}
	if r.spans <= 0 || root.before(&r.root, t) {
		r.root = root
	}
	end := max(s.Start, s.End)
	if r.spans <= 0 {
		r.first, r.last = s.Start, end
	}
	r.first, r.last = min(r.first, s.Start), max(r.last, end)
	r.spans++
	if s.Error {
		r.errors++
	}
	if s.Truncated {
		r.cut++
	}
	if s.End == 0 {
		r.open++
	}
	r.gym = r.gym || s.Rollout != "" || s.Facts != nil
}

// merge adds another row of the trace, but for its processes.
func (r *traceRow) merge(o *traceRow, t *table) {
	if o.spans > 0 {
		if r.spans <= 0 || o.root.before(&r.root, t) {
			r.root = o.root
		}
		if r.spans <= 0 {
			r.first, r.last = o.first, o.last
		}
		r.first, r.last = min(r.first, o.first), max(r.last, o.last)
	}
	r.counts(o, 1)
	r.gym = r.gym || o.gym
}

func (r *traceRow) counts(o *traceRow, sign int32) {
	r.spans += sign * o.spans
	r.errors += sign * o.errors
	r.cut += sign * o.cut
	r.open += sign * o.open
	r.copies += sign * o.copies
}
