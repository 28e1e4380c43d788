package web_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/web"
)

// runRow is what a page reads of a run's progress.
type runRow struct {
	State, Note string
	Started     *string
	Rollouts    struct {
		Total, Waiting    *int
		Finished, Running int
	}
	Concurrency *int
	Left        *int64 `json:"left_ns"`
}

func (b *bench) runRow(id string) (r runRow) {
	b.t.Helper()
	var detail struct{ Run *runRow }
	detail.Run = &r
	if err := json.Unmarshal(b.get("/api/v1/runs/"+id).Body.Bytes(), &detail); err != nil {
		b.t.Fatal(err)
	}
	return r
}

// What only the driver knows is null until it is told, and says in words how the run ended.
func TestProgress(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	alone := b.runRow(runID)
	if alone.Rollouts.Total != nil || alone.Rollouts.Waiting != nil || alone.Concurrency != nil {
		t.Errorf("without a driver: %+v", alone)
	}
	finished := alone.Rollouts.Finished
	for name, test := range map[string]struct {
		p                       runs.Progress
		state, note             string
		running, waiting, total int
		left                    bool
	}{
		"running":      {runs.Progress{Total: 40, Running: 8, Waiting: 22, Concurrency: 8}, "running", "", 8, 22, 40 + finished, true},
		"done":         {runs.Progress{Total: 40, Concurrency: 8, Done: true}, "finished", "", 0, 0, 40 + finished, false},
		"cut short":    {runs.Progress{Total: 40, Waiting: 1200, Concurrency: 8, Done: true}, "finished", "cut short: 1,200 rollouts have no result", 0, 0, 40 + finished, false},
		"cut by one":   {runs.Progress{Total: 40, Waiting: 1, Concurrency: 8, Done: true}, "finished", "cut short: 1 rollout has no result", 0, 0, 40 + finished, false},
		"without word": {runs.Progress{Total: 40, Waiting: 22, Concurrency: 8, Gone: true}, "finished", "cut short: its driver ended without a word", 0, 0, 40 + finished, false},
	} {
		t.Run(name, func(t *testing.T) {
			b.model.SetProgress(runID, &test.p)
			r := b.runRow(runID)
			if r.Rollouts.Total == nil || r.Rollouts.Waiting == nil || r.Concurrency == nil {
				t.Fatalf("%+v", r)
			}
			if r.State != test.state || r.Note != test.note || *r.Rollouts.Total != test.total || *r.Rollouts.Waiting != test.waiting ||
				r.Rollouts.Running != test.running || *r.Concurrency != 8 || (r.Left != nil) != test.left {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A driver that speaks before anything has arrived is on the page.
func TestProgressBeforeSpans(t *testing.T) {
	b := newBench(t, web.Options{})
	b.model.SetProgress("soon", &runs.Progress{Total: 120, Waiting: 120, Concurrency: 16})
	r := b.runRow("soon")
	if r.State != "running" || r.Started == nil || r.Left != nil || r.Rollouts.Waiting == nil || *r.Rollouts.Waiting != 120 {
		t.Errorf("%+v", r)
	}
}

// Progress reaches the page also when no span comes.
func TestEventsOfProgress(t *testing.T) {
	b := newBench(t, web.Options{Now: time.Now})
	b.fill()
	b.model.SetProgress(runID, &runs.Progress{Total: 10, Running: 2, Waiting: 8})
	l := listen(t, serve(t, b)+"/api/v1/events?run="+runID)
	l.until(func(u update) bool { return u.Run != nil && u.Run.Rollouts.Running == 2 })
	b.model.SetProgress(runID, &runs.Progress{Total: 10, Running: 3, Waiting: 7})
	u := l.until(func(u update) bool { return u.Run != nil })
	if u.Run.Rollouts.Running != 3 || u.Runs == nil || len(*u.Runs) != 1 {
		t.Errorf("%+v", u.Run)
	}
}
