package rollout

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/metrics"
)

// A watcher hears what runs and what waits while that is so, and at the end that nothing is left.
func TestRun_watched(t *testing.T) {
	f := newFixture(t, inputRows(5))
	f.o.Concurrency, f.o.Repeats = 2, 2
	told := make(chan Progress, 1000) // more than come
	f.o.Watch = func(p Progress) { told <- p }
	open := make(chan struct{})
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, r *http.Request, _ responses.Object) {
		select {
		case <-open:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	plan := f.prepare()
	if want := (Progress{Total: 10, Waiting: 10, Concurrency: 2}); plan.Progress() != want {
		t.Errorf("before the run %+v, want %+v", plan.Progress(), want)
	}
	ended := f.background(t.Context(), plan, a.client(t))
	for p := (Progress{}); p != (Progress{Total: 10, Running: 2, Waiting: 8, Concurrency: 2}); {
		p = receive(t, told, "two rollouts at a time")
	}
	close(open)
	if r := receive(t, ended, "the end"); r.err != nil {
		t.Fatal(r.err)
	}
	close(told)
	var last Progress
	for last = range told {
	}
	if want := (Progress{Total: 10, Concurrency: 2}); last != want {
		t.Errorf("at the end %+v, want %+v", last, want)
	}
}

// What a run that is cut short leaves undone waits for ever: it is told as waiting, with what was running.
func TestRun_watched_and_cut_short(t *testing.T) {
	f := newFixture(t, inputRows(6))
	f.o.Concurrency = 2
	var last Progress
	f.o.Watch = func(p Progress) { last = p }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, r *http.Request, row responses.Object) {
		if n(row) == 0 {
			fmt.Fprint(w, `{"reward":1}`)
			return
		}
		if n(row) == 2 { // row 0 has ended: there are two at a time
			cancel()
		}
		<-r.Context().Done()
	}
	s, err := f.prepare().Run(ctx, a.client(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if want := (Progress{Total: 6, Waiting: s.Missing, Concurrency: 2}); last != want || s.Missing == 0 {
		t.Errorf("at the end %+v, want %+v", last, want)
	}
}

// A rollout that is watched counts itself, and nothing else: who watches reads the counts by the clock.
func TestWatch_costs_no_memory(t *testing.T) {
	p := &Plan{tasks: make([]task, 100), o: Options{Concurrency: 8}}
	r := &run{Plan: p, admission: newAdmission(&Options{Concurrency: 8, Meter: metrics.GymDriver{}})}
	r.stats = &stats{plan: p, remaining: len(p.tasks)}
	if n := testing.AllocsPerRun(100, func() { r.stats.begin(); _ = r.progressNow() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if now := r.progressNow(); now.Running != 101 || now.Total != 100 {
		t.Errorf("%+v", now)
	}
}

// BenchmarkWatched is what a rollout pays for being counted: compare the milliseconds of a rollout.
func BenchmarkWatched(b *testing.B) {
	s := &stats{}
	for b.Loop() {
		s.begin()
	}
}
