package telemetry

import (
	"context"
	"errors"
	"sync"
)

// Handle is a set-up of telemetry: what [Setup] returns, and what a program shuts down before it ends. A disabled set-up
// has a Handle too, on which everything is a quick no-op. All methods are safe for concurrent use, also on a nil Handle.
type Handle struct {
	runID   string
	signals []signal
	retire  func()  // takes the set-up out of the process; runs once, before anything is flushed
	shared  *Handle // set: this one only borrows

	pipeline

	once   sync.Once
	closed chan struct{} // closed when the shutdown began
	done   chan struct{} // closed when the result is there
	err    error
}

// signal is one kind of telemetry with its own pipeline.
type signal struct {
	flush    func(context.Context) error
	shutdown func(context.Context) error
}

// Stats counts the spans of a set-up. Ended is the sum of Exported, Spooled, Dropped, Failed and of those that still wait in
// memory. With an exporter that a program brings itself, Exported is what that took.
type Stats struct {
	Ended    uint64 // recorded spans that ended
	Exported uint64 // the collector took them
	Spooled  uint64 // on disk, until the collector takes them
	Dropped  uint64 // lost because the queue or the spool was full, a file of it damaged, or ended after the shutdown
	Failed   uint64 // lost because the collector refused them, or none took them in time and there is no spool

	// Repeated counts those that were sent again because a request got no answer. Some of them may have arrived twice.
	Repeated uint64
	// Recovered counts those that an earlier process had left in the spool and that the collector has taken now. They did not
	// end in this process.
	Recovered uint64
	// Truncated counts those that an earlier process had open when it was killed, and that this one has found by their start
	// records and marked with nemo.span.truncated. When the collector has taken them they are Recovered.
	Truncated uint64
	// Unrecorded counts those that have no start record, or none of their end, because the files of records were full or could
	// not be written.
	Unrecorded uint64
}

func newHandle(runID string) *Handle {
	return &Handle{runID: runID, retire: func() {}, closed: make(chan struct{}), done: make(chan struct{})}
}

// Exporting reports whether this set-up exports anything: it is enabled, and a signal that has an exporter is on. It stays
// true after Shutdown.
func (h *Handle) Exporting() bool { return h != nil && len(h.owner().signals) > 0 }

// Tracing reports whether this set-up exports traces. It stays true after Shutdown.
func (h *Handle) Tracing() bool { return h != nil && h.owner().tracing() }

// PrometheusAddr is where Prometheus fetches the metrics of this set-up, as host:port of the listener that the port 0 may have chosen.
// It is empty when there is none, also because the port was taken.
func (h *Handle) PrometheusAddr() string {
	if h == nil {
		return ""
	}
	return h.owner().scraped()
}

// RunID returns nemo.run.id of this set-up; also a disabled one has it.
func (h *Handle) RunID() string {
	if h == nil {
		return ""
	}
	return h.owner().runID
}

// Closed reports whether Shutdown has been called.
func (h *Handle) Closed() bool {
	if h == nil {
		return true
	}
	select {
	case <-h.closed:
		return true
	default:
		return h.shared != nil && h.shared.Closed()
	}
}

// Stats returns the counts so far.
func (h *Handle) Stats() Stats {
	if h == nil {
		return Stats{}
	}
	return h.owner().pipeline.stats()
}

// ForceFlush exports what has ended so far, all signals at once, and returns when that is done or ctx ends. Spans that are
// open stay open.
func (h *Handle) ForceFlush(ctx context.Context) error {
	if h == nil || h.Closed() {
		return nil
	}
	return h.owner().all(ctx, func(s signal) func(context.Context) error { return s.flush })
}

// Shutdown ends telemetry in this process: groups go off, spans that are still open end, children before parents, marked
// with nemo.span.truncated; then all signals are flushed at once and their exporters shut down. The budget is ctx and
// nothing else: give it a deadline (five seconds are usual), or a collector that never answers keeps Shutdown until the
// exporter itself gives up. When ctx ends, Shutdown returns its error, with what the exporter says to that if it answers
// within 100 ms, and what was not exported is lost and counts as dropped.
//
// The first call does the work. Every other call waits for it, under its own ctx, and returns the same result. After it
// Setup may be called again.
func (h *Handle) Shutdown(ctx context.Context) error {
	if h == nil {
		return nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	first := false
	h.once.Do(func() { first = true; close(h.closed) })
	if first {
		h.err = h.shutdown(ctx)
		close(h.done)
		return h.err
	}
	select {
	case <-h.done:
		return h.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (h *Handle) shutdown(ctx context.Context) error {
	if h.shared != nil {
		return h.shared.ForceFlush(ctx)
	}
	h.retire()
	err := h.all(ctx, func(s signal) func(context.Context) error { return s.shutdown })
	h.report()
	return err
}

// Borrow returns a Handle for a library inside a program that has set telemetry up by itself: it reads and flushes this
// set-up, and its Shutdown only flushes.
func (h *Handle) Borrow() *Handle {
	if h == nil {
		return nil
	}
	b := newHandle("")
	b.shared = h.owner()
	return b
}

func (h *Handle) owner() *Handle {
	if h.shared != nil {
		return h.shared
	}
	return h
}

// all does one thing to every signal, in parallel, under one ctx.
func (h *Handle) all(ctx context.Context, what func(signal) func(context.Context) error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	errs := make([]error, len(h.signals))
	var wg sync.WaitGroup
	for i, s := range h.signals {
		wg.Go(func() { errs[i] = what(s)(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
