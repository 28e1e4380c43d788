package web

import (
	"net/http"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// RunDetail is the header of a run and its panels.
type RunDetail struct {
	Run      Run          `json:"run"`
	Filtered bool         `json:"filtered"`
	Matched  int          `json:"matched"`
	Of       int          `json:"of"`
	Counts   RunCounts    `json:"counts"`
	Time     TimePanel    `json:"time"`
	Reward   RewardPanel  `json:"reward"`
	Duration DurationHist `json:"duration"`
}

// RunCounts stand on the tabs of a run.
type RunCounts struct {
	Rollouts int    `json:"rollouts"`
	Tasks    int    `json:"tasks"`
	Groups   int    `json:"groups"`
	Metrics  *int   `json:"metrics"`
	Logs     *int64 `json:"logs"`
}

// TimePanel is where the time goes.
type TimePanel struct {
	N    int       `json:"n"`
	Rows []TimeRow `json:"rows"`
}

// TimeRow is the mean split of an environment, or of all.
type TimeRow struct {
	Env   *string `json:"env"`
	N     int     `json:"n"`
	Total int64   `json:"total_ns"`
	Parts Parts   `json:"parts_ns"`
}

// RewardPanel is the distribution of rewards.
type RewardPanel struct {
	N    int         `json:"n"`
	From float64     `json:"from"`
	To   float64     `json:"to"`
	Rows []RewardRow `json:"rows"`
}

// RewardRow is the rewards of an environment, or of all.
type RewardRow struct {
	Env    *string  `json:"env"`
	N      int      `json:"n"`
	Counts [11]int  `json:"counts"`
	Mean   *float64 `json:"mean"`
	K      *int     `json:"k"`
	Pass   *float64 `json:"pass"`
}

// DurationHist is the distribution of durations on a log axis.
type DurationHist struct {
	N    int           `json:"n"`
	Bins []DurationBin `json:"bins"`
	P50  *int64        `json:"p50_ns"`
	P95  *int64        `json:"p95_ns"`
	P99  *int64        `json:"p99_ns"`
	Max  *int64        `json:"max_ns"`
}

// DurationBin is one bar.
type DurationBin struct {
	From   int64 `json:"from_ns"`
	To     int64 `json:"to_ns"`
	Scored int   `json:"scored"`
	Failed int   `json:"failed"`
}

func (h *Handler) getRun(r *http.Request, p *params) (any, error) {
	filter := p.text("q", maxFilter)
	if p.err != nil {
		return nil, p.err
	}
	run := runName(r.PathValue("run"))
	d, err := h.model.detail(run, filter)
	if err != nil {
		return nil, err
	}
	d.Counts.Metrics, d.Counts.Logs = h.metricCount(run), h.logCount(run)
	return d, nil
}

func (s *summary) detail(id, filter string) (*RunDetail, error) {
	q, err := s.parse(filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, "")
	}
	d, ok := s.m.RunWhere(id, q)
	if !ok {
		return nil, noRun(id)
	}
	groups, _ := s.m.Groups(id)
	out := &RunDetail{
		Run: s.runOf(&d.Run), Filtered: !q.Empty(), Matched: d.Matched, Of: d.Run.Counts.Rollouts,
		Counts: RunCounts{Rollouts: d.Run.Counts.Rollouts, Tasks: d.Run.Tasks, Groups: len(groups)},
		Time:   TimePanel{N: d.All.Durations.N},
		Reward: RewardPanel{N: d.All.Counts.Reward.N, From: d.Rewards[0], To: d.Rewards[1]},
		Duration: DurationHist{N: d.All.Durations.N, Bins: durationBins(d.Durations), P50: overSome(int64(d.All.Durations.N), d.All.Durations.P50),
			P95: overSome(int64(d.All.Durations.N), d.All.Durations.P95), P99: overSome(int64(d.All.Durations.N), d.All.Durations.P99),
			Max: overSome(int64(d.All.Durations.N), d.All.Durations.Max)},
	}
	out.Time.Rows = append(out.Time.Rows, timeRow(nil, &d.All))
	for i := range d.Environments[:min(len(d.Environments), 50)] {
		e := &d.Environments[i]
		name := otlp.Text(e.Name)
		out.Time.Rows = append(out.Time.Rows, timeRow(&name, e))
		out.Reward.Rows = append(out.Reward.Rows, rewardRow(&name, e))
	}
	out.Reward.Rows = append(out.Reward.Rows, rewardRow(nil, &d.All))
	return out, nil
}

func timeRow(name *string, e *runs.Environment) TimeRow {
	return TimeRow{Env: name, N: e.Durations.N, Total: int64(e.Split.Total()), Parts: partsOf(e.Split)}
}

func rewardRow(name *string, e *runs.Environment) RewardRow {
	row := RewardRow{Env: name, N: e.Counts.Reward.N, Counts: e.Rewards, Mean: meanOf(e.Counts.Reward)}
	if e.PassTasks > 0 {
		row.K, row.Pass = new(e.K), finite(e.PassK)
	}
	return row
}

// durationBins joins neighbours until there are few enough to be bars.
func durationBins(bins []runs.DurationBin) (out []DurationBin) {
	const most = 40
	step := max((len(bins)+most-1)/most, 1)
	for part := range slices.Chunk(bins, step) {
		b := DurationBin{From: int64(part[0].From), To: int64(part[len(part)-1].To)}
		for _, p := range part {
			b.Failed += p.Failed
			b.Scored += p.Finished - p.Failed
		}
		if n := len(out); n > 0 && len(part) < step { // as wide as the others
			b.To = int64(float64(b.From) * float64(out[n-1].To) / float64(out[n-1].From))
		}
		out = append(out, b)
	}
	return out
}
