package export

import (
	"context"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// spanColumns are the columns of the table of spans. Programs name them: columns are added at the end, none is renamed.
const spanColumns = `trace_id span_id parent_id name kind service group start start_unix_nano duration_ns status message
	run rollout env task attempt attributes`

// spanTable writes a row for each span.
type spanTable struct {
	table
	json []byte
}

func (st *spanTable) begin(context.Context, *selection) error { return st.header(spanColumns) }
func (st *spanTable) end() error                              { return nil }

func (st *spanTable) trace(t *store.Trace) error {
	read := make([]runs.Span, len(t.Spans))
	for i := range t.Spans {
		read[i] = runs.Read(t.Resources[t.ResourceOf[i]], t.Scopes[t.ScopeOf[i]], &t.Spans[i])
	}
	of := rolloutsOf(t, read)
	for i := range t.Spans {
		st.span(&t.Spans[i], &read[i], of[i])
		if err := st.table.end(); err != nil {
			return err
		}
	}
	return nil
}

func (st *spanTable) span(s *otlp.Span, read *runs.Span, r *runs.Rollout) {
	st.traceID(s.TraceID)
	st.spanID(s.SpanID)
	st.spanID(s.Parent)
	st.text(s.Name)
	st.text(s.Kind.String())
	st.text(read.Process.Service)
	st.text(read.Group)
	st.instant(s.Start)
	if s.End == 0 { // still running
		st.none()
	} else {
		st.int(int64(s.End - s.Start))
	}
	st.text(s.Status.String())
	st.text(s.Message)
	st.place(read, r)
	st.json = otlp.AppendJSONObject(st.json[:0], s.Attributes())
	st.text(string(st.json))
}

// place writes where a span stands in its run.
func (st *spanTable) place(read *runs.Span, r *runs.Rollout) {
	if r == nil {
		st.text(read.Process.Run)
		st.text(read.Rollout)
		st.none()
		st.none()
		st.none()
		return
	}
	st.text(r.Run)
	st.text(r.ID)
	st.text(r.Environment)
	st.from(0, int64(r.Task))
	st.from(1, int64(r.Attempt))
}

// rolloutsOf finds the rollout that each span of a trace is in, nil where it is in none.
func rolloutsOf(t *store.Trace, read []runs.Span) []*runs.Rollout {
	of := make([]*runs.Rollout, len(read))
	some := false
	for i := range read {
		some = some || read[i].Facts != nil || read[i].Rollout != ""
	}
	if !some {
		return of
	}
	found := runs.Analyse(read)
	unfinished := map[string]*runs.Rollout{}
	for i := range found {
		if found[i].Root >= 0 {
			of[found[i].Root] = &found[i].Rollout
		} else {
			unfinished[found[i].ID] = &found[i].Rollout
		}
	}
	seen := make([]bool, len(read))
	var path []int
	for i := range read {
		path = path[:0]
		at := i
		for ; at >= 0 && !seen[at]; at = int(t.ParentOf[at]) {
			path = append(path, at)
			seen[at] = true
		}
		var above *runs.Rollout
		if at >= 0 {
			above = of[at]
		}
		for _, at := range slices.Backward(path) { // from the top down: the outermost counts
			if above == nil {
				above = of[at]
			}
			if above == nil && read[at].Rollout != "" {
				above = unfinished[read[at].Rollout]
			}
			of[at] = above
		}
	}
	return of
}
