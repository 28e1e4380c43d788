package rollout

import "time"

// watchEvery is how often a watcher is told at most.
const watchEvery = 250 * time.Millisecond

// Progress is how far a run is.
type Progress struct {
	Total       int // rollouts to run; of a resumed run, those that were left
	Running     int
	Waiting     int // have not begun; when the run has ended, all that it leaves undone
	Concurrency int // so many at a time; of a run that adapts, now
}

// Progress is how far the plan is before it runs.
func (p *Plan) Progress() Progress {
	n := p.expected - p.before.scored - p.before.givenUp
	return Progress{Total: n, Waiting: n, Concurrency: p.o.Concurrency}
}

// progressNow is how far the run is.
func (r *run) progressNow() Progress {
	s := r.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	return Progress{Total: len(r.tasks), Running: s.running, Waiting: s.remaining - s.running, Concurrency: r.admission.places()}
}

// watch tells Options.Watch what has changed, until stop is called, which tells it the end and waits. It looks at the counts from
// time to time, so that a rollout pays nothing for being watched.
func (r *run) watch() (stop func()) {
	tell := r.o.Watch
	if tell == nil {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		var told Progress
		for {
			if now := r.progressNow(); now != told {
				told = now
				tell(now)
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-gone
		end := r.progressNow()
		end.Running, end.Waiting = 0, end.Running+end.Waiting
		tell(end)
	}
}
