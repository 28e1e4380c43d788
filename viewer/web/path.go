package web

import (
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// layOut makes the view of a trace, with its rollouts and its critical path: the path of the time split, so that a row and
// the bar above it never disagree. The parts of all rows sum to the root's length.
func layOut(t *store.Trace) *view {
	v := newView(t)
	spans := make([]runs.Span, len(t.Spans))
	for i := range t.Spans {
		spans[i] = runs.Read(t.Resources[t.ResourceOf[i]], t.Scopes[t.ScopeOf[i]], &t.Spans[i])
	}
	v.rollouts = runs.Analyse(spans)
	for _, s := range v.segments(spans) {
		row := int32(v.root)
		if s.Span >= 0 {
			row = v.rowOf[s.Span]
		}
		part := gap(s.End, s.Start)
		v.rows[row].path += part
		v.path += part
	}
	return v
}

// segments is the critical path of the root; when no root has arrived, that of the first rollout of which there are parts.
func (v *view) segments(spans []runs.Span) []runs.Segment {
	if v.root < 0 {
		return nil
	}
	root := v.rows[v.root].span
	for i := range v.rollouts {
		if a := &v.rollouts[i]; a.Root == int(root) {
			return a.Path // -1: of the root that is not here
		}
	}
	return runs.CriticalPath(spans, int(root))
}
