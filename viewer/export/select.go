package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// selection is the traces to write.
type selection struct {
	ids   map[otlp.TraceID]struct{} // nil: all
	start uint64                    // the earliest of them, unix nanoseconds; 0 when there is none
}

func (s *selection) has(id otlp.TraceID) bool {
	if s.ids == nil {
		return true
	}
	_, ok := s.ids[id]
	return ok
}

func (s *selection) widen(start uint64) {
	if start != 0 && (s.start == 0 || start < s.start) {
		s.start = start
	}
}

// choose finds the traces to write.
func (j *job) choose() (selection, error) {
	named, err := j.named()
	if err != nil || !j.o.NeedsRuns() {
		return named, err
	}
	rows, err := j.traceRows(&named)
	if err != nil {
		return selection{}, err
	}
	chosen := selection{ids: make(map[otlp.TraceID]struct{}, len(rows))}
	for i := range rows {
		chosen.ids[rows[i].ID] = struct{}{}
		chosen.widen(rows[i].Start)
	}
	return chosen, nil
}

// named is the traces that the user named, or all. One that is not there is a mistake.
func (j *job) named() (selection, error) {
	if len(j.o.Traces) == 0 {
		all := selection{}
		if oldest := j.src.Store.Stats().Oldest; !oldest.IsZero() {
			all.start = uint64(oldest.UnixNano())
		}
		return all, nil
	}
	s := selection{ids: make(map[otlp.TraceID]struct{}, len(j.o.Traces))}
	for _, id := range j.o.Traces {
		t, err := j.src.Store.Trace(id)
		if errors.Is(err, store.ErrNotFound) {
			return s, fmt.Errorf("cannot export trace %s: it is not here", id)
		}
		if err != nil {
			return s, fmt.Errorf("cannot export trace %s: %w", id, err)
		}
		s.ids[id] = struct{}{}
		for i := range t.Spans {
			s.widen(t.Spans[i].Start)
		}
	}
	return s, nil
}

// traceRows lists the traces that match, the earliest first.
func (j *job) traceRows(named *selection) ([]runs.Trace, error) {
	q, err := j.o.query()
	if err != nil {
		return nil, err
	}
	var rows []runs.Trace
	j.src.Runs.EachTrace(q, func(t runs.Trace) {
		if named.has(t.ID) {
			rows = append(rows, t)
		}
	})
	slices.SortFunc(rows, func(a, b runs.Trace) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.ID[:], b.ID[:]))
	})
	if n := j.o.Limit; n > 0 && len(rows) > n {
		rows = rows[len(rows)-n:]
	}
	return rows, nil
}

// rolloutRows lists the rollouts that match.
func (j *job) rolloutRows() ([]*runs.Rollout, error) {
	named, err := j.named()
	if err != nil {
		return nil, err
	}
	q, err := j.o.query()
	if err != nil {
		return nil, err
	}
	rows := slices.DeleteFunc(j.src.Runs.EveryRollout(q), func(x *runs.Rollout) bool { return !named.has(x.Trace) })
	if n := j.o.Limit; n > 0 && len(rows) > n {
		byStart := slices.SortedFunc(slices.Values(rows), func(a, b *runs.Rollout) int { return cmp.Compare(b.Start, a.Start) })
		newest := make(map[*runs.Rollout]bool, n)
		for _, x := range byStart[:n] {
			newest[x] = true
		}
		rows = slices.DeleteFunc(rows, func(x *runs.Rollout) bool { return !newest[x] })
	}
	return rows, nil
}
