package web

import (
	"net/http"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Counts is how far the rollouts of a run are.
type Counts struct {
	Total    *int `json:"total"`
	Finished int  `json:"finished"`
	Scored   int  `json:"scored"`
	Failed   int  `json:"failed"`
	Running  int  `json:"running"`
	Waiting  *int `json:"waiting"`
}

// Run is one run in a list.
type Run struct {
	ID                string   `json:"id"`
	State             string   `json:"state"`
	Note              string   `json:"note"`
	Environments      []string `json:"environments"`
	EnvironmentsTotal int      `json:"environments_total"`
	Started           *Instant `json:"started"`
	Ended             *Instant `json:"ended"`
	Last              *Instant `json:"last"`
	Rollouts          Counts   `json:"rollouts"`
	Rate              *float64 `json:"rate_per_min"`
	Left              *int64   `json:"left_ns"`
	OverTime          Series   `json:"over_time"`
	RewardMean        *float64 `json:"reward_mean"`
	RewardN           int      `json:"reward_n"`
	P95               *int64   `json:"p95_ns"`
	Tasks             int      `json:"tasks"`
	Attempts          int      `json:"attempts"`
	Concurrency       *int     `json:"concurrency"`
	Spans             int64    `json:"spans"`
	Errors            int64    `json:"errors"`
	Truncated         int64    `json:"truncated"`
	Traces            int64    `json:"traces"`
	Groups            []string `json:"groups"`
	Spec              *string  `json:"spec"`
	Services          []string `json:"services"`
	Processes         int      `json:"processes"`
	TokensIn          int64    `json:"tokens_in"`
	TokensOut         int64    `json:"tokens_out"`
	FailureRate       *float64 `json:"failure_rate"`
}

// quietAfter is when a run that only its spans tell of counts as over: its rollouts may wait long for a model, but
// nothing at all for so long means that its driver died. What is missing of a trace for so long never comes.
const quietAfter = 30 * time.Minute

// quiet tells whether the last that came of something ended so long ago.
func quiet(now time.Time, last uint64) bool { return now.UnixNano()-int64(last) > int64(quietAfter) }

func (h *Handler) getRuns(_ *http.Request, p *params) (any, error) {
	a := p.ask("started", "name", "rollouts", "failed", "rate", "reward", "p95", "spans")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.runs(a)
}

func (s *summary) runs(a ask) (*Rows[Run], error) {
	q, err := s.parse(a.filter, query.Runs)
	if err != nil {
		return nil, fault(err, "")
	}
	list, err := s.m.Runs(q, a.page())
	if err != nil {
		return nil, fault(err, "")
	}
	out := &Rows[Run]{Next: cursorOf(list.Next), Matched: &list.Matched, Total: &list.Total}
	for i := range list.Rows {
		out.Rows = append(out.Rows, s.runOf(&list.Rows[i]))
	}
	return out, nil
}

func (s *summary) runOf(r *runs.Run) Run {
	c := &r.Counts
	out := Run{
		ID: otlp.Text(r.ID), State: "finished", Environments: r.Environments[:min(len(r.Environments), 8)], EnvironmentsTotal: len(r.Environments),
		Started: known(r.Started), Ended: known(r.Last), Last: known(r.Last),
		Rollouts: Counts{Finished: c.Finished, Scored: c.Scored, Failed: c.Failed, Running: c.Running},
		OverTime: seriesOf(r.OverTime), RewardMean: meanOf(c.Reward), RewardN: c.Reward.N, P95: overSome(int64(r.Durations.N), r.Durations.P95),
		Tasks: r.Tasks, Attempts: r.Attempts, Spans: r.Spans, Errors: r.Errors, Truncated: r.Cut, Traces: int64(r.Traces), Groups: r.Groups,
		Services: r.Services[:min(len(r.Services), 8)], Processes: len(r.Services), TokensIn: r.TokensIn, TokensOut: r.TokensOut, FailureRate: share(c.Failed, c.Finished),
	}
	if r.PerMinute > 0 {
		out.Rate = finite(r.PerMinute)
	}
	switch {
	case s.goesOn(r.Running(), r.Progress, r.Last):
		out.State, out.Ended = "running", nil
	case c.Running > 0 && (r.Progress == nil || !r.Progress.Over()):
		out.Note = count(int64(c.Running), "rollout never ended", "rollouts never ended")
	}
	if c.Finished > 0 && c.Failed == c.Finished && out.State != "running" {
		out.State = "failed"
		if why := s.m.Values(r.ID, query.Failure); len(why) > 0 {
			out.Note = clip(otlp.Text(why[0].Value), 80)
		}
	}
	if p := r.Progress; p != nil {
		s.progress(&out, p)
	}
	return out
}

// progress adds what only the driver of a run knows.
func (s *summary) progress(out *Run, p *runs.Progress) {
	out.Rollouts.Total, out.Rollouts.Waiting, out.Rollouts.Running = new(p.Total), new(p.Waiting), p.Running
	if p.Concurrency > 0 {
		out.Concurrency = new(p.Concurrency)
	}
	if p.Spec != "" {
		out.Spec = new(clip(otlp.Text(p.Spec), 200))
	}
	left := p.Total - out.Rollouts.Finished
	switch {
	case p.Gone:
		out.add("cut short: its driver ended without a word")
	case p.Done && p.Waiting > 0:
		out.add("cut short: " + count(int64(p.Waiting), "rollout has", "rollouts have") + " no result")
	case left > 0 && out.Rate != nil && !p.Done:
		out.Left = new(int64(float64(left) / *out.Rate * float64(time.Minute)))
	}
	if p.Over() {
		out.Rollouts.Waiting, out.Rollouts.Running = new(0), 0
	}
}

// add adds to the note.
func (r *Run) add(note string) {
	if r.Note != "" {
		note = r.Note + "; " + note
	}
	r.Note = note
}

// goesOn tells whether a run is still running.
func (s *summary) goesOn(running bool, p *runs.Progress, last uint64) bool {
	return running && (p != nil || !quiet(s.now(), last))
}

// run is a run as a list has it, nil when there is none.
func (s *summary) run(id string) *Run {
	r, ok := s.m.RunRow(id)
	if !ok {
		return nil
	}
	return new(s.runOf(&r))
}

// outline is what is known of a run without a look at its rollouts, nil when there is none.
func (s *summary) outline(id string) *runs.Outline {
	o, ok := s.m.Outline(id)
	if !ok {
		return nil
	}
	return &o
}

// runAt is the run that went on at a time in unix seconds, nil when none did that is known.
func (s *summary) runAt(at int64) *string {
	list, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	for i := range list.Rows {
		if r := &list.Rows[i]; r.ID != "" && at >= Instant(r.Started).at() && at <= Instant(r.Last).at() {
			return new(otlp.Text(r.ID))
		}
	}
	return nil
}

// runRow is the run that a page shows, nil when it names none.
func (h *Handler) runRow(id *string) *Run {
	if id == nil {
		return nil
	}
	return h.model.run(*id)
}

// runName is the id of a run as an address has it: "-" stands for the rollouts that name no run.
func runName(id string) string {
	if id == "-" {
		return runs.NoRun
	}
	return id
}

func noRun(id string) error {
	return notFound("There is no run "+quote(clip(otlp.Text(id), 100))+".", "None of the spans that are stored names it.")
}
