package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/lensgo/lens/bench"
)

// traceEvent is one of Chromium's trace event format. Times are microseconds.
type traceEvent struct {
	Name  string  `json:"name"`
	Phase string  `json:"ph"`
	PID   int     `json:"pid"`
	TID   int     `json:"tid"`
	At    float64 `json:"ts"`
	Took  float64 `json:"dur"`
	CPU   float64 `json:"tdur"`
}

func parseTrace(raw []json.RawMessage) ([]traceEvent, error) {
	out := make([]traceEvent, len(raw))
	for i := range raw {
		if err := json.Unmarshal(raw[i], &out[i]); err != nil {
			return nil, fmt.Errorf("cannot read an event of the browser: %w", err)
		}
	}
	return out, nil
}

// scriptEvents are what the page's own code runs in.
var scriptEvents = []string{"FunctionCall", "EvaluateScript", "v8.evaluateModule", "v8.callFunction", "FireAnimationFrame", "EventDispatch", "TimerFire", "RunMicrotasks"}

// frames is how a page did while it was recorded, in milliseconds: as time went by, and as the main thread worked (cpu).
type frames struct {
	script, scriptCPU []float64 // of each frame that had an animation callback, sorted
	task, taskCPU     float64   // the longest of the main thread, whatever it did
	seconds           float64
}

// framesOf finds the frames of the page's main thread. A frame ends when it is handed on to be drawn, and its script time is all that
// ran since the one before.
func framesOf(events []traceEvent) (f frames, err error) {
	main, ok := mainThread(events)
	if !ok {
		return f, errors.New("the recording has no animation frames")
	}
	var ends []float64
	var scripts, tasks []traceEvent
	for _, e := range events {
		if e.PID != main.PID || e.TID != main.TID || e.Phase != "X" {
			continue
		}
		switch {
		case e.Name == "Commit":
			ends = append(ends, e.At)
		case e.Name == "RunTask":
			tasks = append(tasks, e)
		case slices.Contains(scriptEvents, e.Name):
			scripts = append(scripts, e)
		}
	}
	if len(ends) < 3 {
		return f, fmt.Errorf("the recording has %d frames", len(ends))
	}
	sort.Float64s(ends)
	first, last := ends[0], ends[len(ends)-1]
	f.seconds = (last - first) / 1e6
	for _, t := range tasks {
		if t.At+t.Took > first && t.At < last {
			f.task, f.taskCPU = max(f.task, t.Took/1e3), max(f.taskCPU, t.CPU/1e3)
		}
	}
	f.fill(ends, scripts)
	if len(f.script) == 0 || f.task == 0 {
		return f, errors.New("the recording has no frames with a callback, or no tasks")
	}
	return f, nil
}

// fill sums the script time of each frame that had a callback. What ran before the first end belongs to no whole frame.
func (f *frames) fill(ends []float64, scripts []traceEvent) {
	n := len(ends) - 1
	script, work, called := make([]float64, n), make([]float64, n), make([]bool, n)
	frame := func(e traceEvent) (int, bool) {
		k := sort.SearchFloat64s(ends, e.At) - 1
		return k, k >= 0 && k < n
	}
	for _, e := range scripts {
		if k, ok := frame(e); ok && e.Name == "FireAnimationFrame" {
			called[k] = true
		}
	}
	for _, e := range outermost(scripts) {
		if k, ok := frame(e); ok {
			script[k] += e.Took / 1e3
			work[k] += e.CPU / 1e3
		}
	}
	for k := range n {
		if called[k] {
			f.script, f.scriptCPU = append(f.script, script[k]), append(f.scriptCPU, work[k])
		}
	}
	sort.Float64s(f.script)
	sort.Float64s(f.scriptCPU)
}

func (f frames) row() []bench.Spread {
	out := []bench.Spread{one(float64(len(f.script)) / f.seconds)}
	for _, values := range [][]float64{f.scriptCPU, f.script} {
		for _, q := range []float64{.5, .95, 1} {
			out = append(out, one(bench.Quantile(values, q)))
		}
	}
	return append(out, one(f.taskCPU), one(f.task))
}

// mainThread is that of the page: the one with the most animation callbacks.
func mainThread(events []traceEvent) (best traceEvent, ok bool) {
	count, most := map[[2]int]int{}, 0
	for _, e := range events {
		if e.Name != "FireAnimationFrame" {
			continue
		}
		key := [2]int{e.PID, e.TID}
		count[key]++
		if count[key] > most {
			most, best, ok = count[key], e, true
		}
	}
	return best, ok
}

// outermost leaves out events that lie in others.
func outermost(list []traceEvent) (out []traceEvent) {
	slices.SortFunc(list, func(a, b traceEvent) int {
		if a.At != b.At {
			return cmp.Compare(a.At, b.At)
		}
		return cmp.Compare(b.Took, a.Took)
	})
	end := -1.0
	for _, e := range list {
		if e.At >= end {
			out = append(out, e)
			end = e.At + e.Took
		}
	}
	return out
}
