package web

import (
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// Task is a task with its attempts side by side.
type Task struct {
	Env           string    `json:"env"`
	Task          *int64    `json:"task"`
	Verdict       string    `json:"verdict"`
	Mean          *float64  `json:"mean"`
	Difference    *int64    `json:"difference_ns"`
	Attempts      []Rollout `json:"attempts"`
	AttemptsTotal int       `json:"attempts_total"`
}

// Tasks is the table of tasks.
type Tasks struct {
	Rows      []Task  `json:"rows"`
	Next      *string `json:"next"`
	Matched   int     `json:"matched"`
	Total     int     `json:"total"`
	AllScored int     `json:"all_scored"`
	Columns   int     `json:"columns"`
	Scale     int64   `json:"scale_ns"`
}

func (h *Handler) getTasks(r *http.Request, p *params) (any, error) {
	a := p.ask("state", "env", "task", "mean", "difference")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.tasks(runName(r.PathValue("run")), a)
}

func (s *summary) tasks(run string, a ask) (*Tasks, error) {
	q, err := s.parse(a.filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, run)
	}
	list, err := s.m.Tasks(run, q, a.page())
	if err != nil {
		return nil, fault(err, run)
	}
	r := s.outline(run)
	out := &Tasks{Next: cursorOf(list.Next), Matched: list.Matched, Total: list.Total, AllScored: list.AllScored}
	longest := int64(0)
	for _, t := range list.Rows {
		row := Task{Env: otlp.Text(t.Environment), Task: atLeast(int64(t.Task), 0), Verdict: string(t.Verdict), Mean: meanOf(t.Reward), AttemptsTotal: len(t.Attempts)}
		if t.HasDifference {
			row.Difference = new(int64(t.Difference))
		}
		for _, x := range t.Attempts[:min(len(t.Attempts), 16)] {
			row.Attempts = append(row.Attempts, s.rolloutOf(x, r))
			longest = max(longest, int64(x.Total()))
		}
		out.Columns = max(out.Columns, len(row.Attempts))
		out.Rows = append(out.Rows, row)
	}
	out.Scale = s.scaleOf(run, longest)
	return out, nil
}
