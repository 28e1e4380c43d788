package main

import "testing"

// A recording of three whole frames: two with callbacks, in the second of which a handler ran that called others; one without.
func TestFrames(t *testing.T) {
	event := func(name string, at, took, cpu float64) traceEvent {
		return traceEvent{Name: name, Phase: "X", PID: 1, TID: 2, At: at, Took: took, CPU: cpu}
	}
	events := []traceEvent{
		event("FireAnimationFrame", 500, 400, 400), // before the first end: of no whole frame
		event("RunTask", 100, 90_000, 90_000),      // over before it
		event("Commit", 100_000, 10, 10),
		event("RunTask", 101_000, 6000, 4000),
		event("FireAnimationFrame", 101_000, 3000, 2000),
		event("FunctionCall", 101_500, 2000, 1500), // inside
		event("Commit", 110_000, 10, 10),
		event("EventDispatch", 111_000, 1000, 1000),
		event("FunctionCall", 111_000, 900, 900),
		event("FireAnimationFrame", 113_000, 5000, 5000),
		event("RunTask", 112_000, 8000, 7000),
		event("Commit", 120_000, 10, 10),
		event("TimerFire", 121_000, 1000, 1000),
		event("Commit", 130_000, 10, 10),
		{Name: "FireAnimationFrame", Phase: "X", PID: 1, TID: 9, At: 115_000, Took: 50_000, CPU: 50_000}, // another page
		{Name: "RunTask", Phase: "X", PID: 1, TID: 9, At: 115_000, Took: 50_000, CPU: 50_000},
	}
	f, err := framesOf(events)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.script) != 2 || f.script[0] != 3 || f.script[1] != 6 || f.scriptCPU[0] != 2 || f.scriptCPU[1] != 6 {
		t.Errorf("script %v, cpu %v", f.script, f.scriptCPU)
	}
	if f.task != 8 || f.taskCPU != 7 || f.seconds != .03 {
		t.Errorf("task %v, cpu %v, %v s", f.task, f.taskCPU, f.seconds)
	}
	for name, list := range map[string][]traceEvent{"nothing": nil, "no frames": events[:1], "no callbacks": {events[2], events[6], events[11], events[13]}, "no tasks": {events[0], events[2], events[4], events[6], events[11]}} {
		if _, err := framesOf(list); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
