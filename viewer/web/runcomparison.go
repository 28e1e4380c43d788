package web

import (
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
)

// RunComparison compares two runs.
type RunComparison struct {
	A            Run            `json:"a"`
	B            Run            `json:"b"`
	K            *int           `json:"k"`
	Environments []ComparedEnv  `json:"environments"`
	Rows         []ComparedTask `json:"rows"`
	Next         *string        `json:"next"`
	Total        int            `json:"total"`
	OnlyA        int            `json:"only_a"`
	OnlyB        int            `json:"only_b"`
}

// ComparedEnv compares an environment, or all of them.
type ComparedEnv struct {
	Env            *string  `json:"env"`
	Tasks          int      `json:"tasks"`
	AMean          *float64 `json:"a_mean"`
	BMean          *float64 `json:"b_mean"`
	Difference     *float64 `json:"difference"`
	APass          *float64 `json:"a_pass"`
	BPass          *float64 `json:"b_pass"`
	PassDifference *float64 `json:"pass_difference"`
	Worse          int      `json:"worse"`
	Better         int      `json:"better"`
}

// ComparedTask compares a task.
type ComparedTask struct {
	Env        string   `json:"env"`
	Task       int64    `json:"task"`
	AMean      *float64 `json:"a_mean"`
	BMean      *float64 `json:"b_mean"`
	Difference *float64 `json:"difference"`
	APass      *float64 `json:"a_pass"`
	BPass      *float64 `json:"b_pass"`
	AN         int      `json:"a_n"`
	BN         int      `json:"b_n"`
	ADuration  *int64   `json:"a_duration_ns"`
	BDuration  *int64   `json:"b_duration_ns"`
}

func (h *Handler) getRunComparison(_ *http.Request, p *params) (any, error) {
	a := p.ask()
	one, two := p.text("a", maxParameter), p.text("b", maxParameter)
	if one == "" || two == "" {
		p.wrong("a, b", one+", "+two, "Both name a run.")
	}
	if p.err != nil {
		return nil, p.err
	}
	return h.model.compare(runName(one), runName(two), a)
}

func (s *summary) compare(a, b string, page ask) (*RunComparison, error) {
	c, ok := s.m.Compare(a, b)
	if !ok {
		if s.outline(a) == nil {
			return nil, noRun(a)
		}
		return nil, noRun(b)
	}
	rows, next, err := pageOf(c.Tasks, page.cursor, page.limit)
	if err != nil {
		return nil, err
	}
	out := &RunComparison{A: s.runOf(&c.A), B: s.runOf(&c.B), Next: next, Total: len(c.Tasks), OnlyA: c.OnlyA, OnlyB: c.OnlyB}
	if c.K > 0 {
		out.K = &c.K
	}
	out.Environments = append(out.Environments, comparedEnv(nil, &c.All))
	for i := range c.Environments[:min(len(c.Environments), 50)] {
		out.Environments = append(out.Environments, comparedEnv(new(otlp.Text(c.Environments[i].Environment)), &c.Environments[i]))
	}
	for i := range rows {
		t := &rows[i]
		out.Rows = append(out.Rows, ComparedTask{Env: otlp.Text(t.Environment), Task: int64(t.Task), AMean: meanOf(t.A.Reward), BMean: meanOf(t.B.Reward),
			Difference: when(t.HasMean, t.Mean), APass: when(t.A.HasPass, t.A.Pass), BPass: when(t.B.HasPass, t.B.Pass), AN: t.A.Attempts, BN: t.B.Attempts,
			ADuration: atLeast(int64(t.A.Duration), 1), BDuration: atLeast(int64(t.B.Duration), 1)})
	}
	return out, nil
}

func comparedEnv(name *string, d *runs.Difference) ComparedEnv {
	return ComparedEnv{Env: name, Tasks: d.Tasks, AMean: meanOf(d.A.Reward), BMean: meanOf(d.B.Reward), Difference: when(d.Tasks > 0, d.Mean),
		APass: when(d.A.HasPass, d.A.Pass), BPass: when(d.B.HasPass, d.B.Pass), PassDifference: when(d.HasPass, d.Pass), Worse: d.Worse, Better: d.Better}
}

func when(has bool, f float64) *float64 {
	if !has {
		return nil
	}
	return finite(f)
}
