package web

import (
	"time"

	"github.com/lensgo/lens/viewer/runs"
)

// rateWindow is what rates "now" are taken over.
const rateWindow = 10 * time.Second

// totals is what the summary knows about everything together.
type totals struct {
	runs, running, traces int
	truncated, copies     int64
	spansPerSecond        float64 // over rateWindow
	processes             int     // that sent something in rateWindow
}

// totalsFor is how long the totals are good: the same ones for all pages that are updated at a time.
const totalsFor = 200 * time.Millisecond

// sums counts everything together.
func (s *summary) sums() totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if age := now.Sub(s.totals); age >= 0 && age < totalsFor && !s.totals.IsZero() {
		return s.all
	}
	t := s.m.Totals()
	s.all = totals{runs: t.Runs, traces: t.Traces, truncated: t.Truncated, copies: t.Copies}
	groups, _ := s.m.Groups(runs.Everything)
	for i := range groups {
		s.all.spansPerSecond += groups[i].PerSecond(now)
	}
	s.countActive(now)
	s.totals = now
	return s.all
}

// countActive counts running runs, and the processes of which something came in the last seconds.
func (s *summary) countActive(now time.Time) {
	active := map[string]bool{}
	since := now.Add(-rateWindow)
	for _, o := range s.m.Outlines() {
		if s.goesOn(o.GoesOn(), o.Progress, o.Last) {
			s.all.running++
		}
		if int64(o.Last) < since.UnixNano() {
			continue
		}
		if r, ok := s.m.RunRow(o.ID); ok {
			for _, name := range r.Services {
				active[name] = true
			}
		}
	}
	for _, x := range s.m.Services(since) {
		active[x.Name] = true
	}
	s.all.processes = len(active)
}
