package web

import (
	"math"
	"net/http"
	"time"

	"github.com/lensgo/lens/viewer/query"
)

// Rollouts is the table of rollouts.
type Rollouts struct {
	Rows    []Rollout `json:"rows"`
	Next    *string   `json:"next"`
	Matched int       `json:"matched"`
	Total   int       `json:"total"`
	Scale   int64     `json:"scale_ns"`
}

func (h *Handler) getRollouts(r *http.Request, p *params) (any, error) {
	a := p.ask("state", "env", "task", "attempt", "reward", "dur", "total", "admission", "pool", "model", "tools", "verify", "other",
		"turns", "calls", "tok.in", "tok.out", "spans", "started")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.rollouts(runName(r.PathValue("run")), a)
}

func (s *summary) rollouts(run string, a ask) (*Rollouts, error) {
	q, err := s.parse(a.filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, run)
	}
	list, err := s.m.Rollouts(run, q, a.page())
	if err != nil {
		return nil, fault(err, run)
	}
	r := s.outline(run)
	out := &Rollouts{Next: cursorOf(list.Next), Matched: list.Matched, Total: list.Total}
	longest := int64(0)
	for _, x := range list.Rows {
		out.Rows = append(out.Rows, s.rolloutOf(x, r))
		longest = max(longest, int64(x.Total()))
	}
	out.Scale = s.scaleOf(run, longest)
	return out, nil
}

// scaleOf is the common scale of time bars, which show the wait for admission too: what is longer than nearly all ends in a mark.
// The 99th percentile alone would be the longest one in a run of less than a hundred, and a single timeout would make every other
// bar too short to read.
func (s *summary) scaleOf(run string, longest int64) int64 {
	if r, ok := s.m.RunRow(run); ok && r.Totals.N > 0 {
		return roundUp(int64(min(r.Totals.P99, r.Totals.P95*3/2)))
	}
	return roundUp(longest)
}

// roundUp is the next number with which a scale can end.
func roundUp(ns int64) int64 {
	if ns <= 0 {
		return int64(time.Second)
	}
	ten := math.Pow(10, math.Floor(math.Log10(float64(ns))))
	for _, step := range []float64{1, 1.2, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if n := int64(math.Round(step * ten)); n >= ns {
			return n
		}
	}
	return ns
}
