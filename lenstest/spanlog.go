package lenstest

import (
	"context"
	"slices"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// spanLog is the processor that remembers spans, in the order in which they start.
type spanLog struct {
	mu      sync.Mutex
	entries []entry
	at      map[spanKey]int // where an open span stands
	change  chan struct{}   // closed when the next span ends
}

type entry struct {
	span  sdktrace.ReadOnlySpan
	ended bool
}

// spanKey tells spans apart, also those of several traces that were given by hand.
type spanKey struct {
	trace trace.TraceID
	span  trace.SpanID
}

func keyOf(s sdktrace.ReadOnlySpan) spanKey {
	return spanKey{trace: s.SpanContext().TraceID(), span: s.SpanContext().SpanID()}
}

var _ sdktrace.SpanProcessor = (*spanLog)(nil)

func newSpanLog() *spanLog {
	l := &spanLog{}
	l.reset()
	return l
}

// OnStart remembers a span that is open. It is live: what is set on it is seen.
func (l *spanLog) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[keyOf(s)] = len(l.entries)
	l.entries = append(l.entries, entry{span: s})
}

// OnEnd puts the ended span in the place of the open one. One that started before a reset has none.
func (l *spanLog) OnEnd(s sdktrace.ReadOnlySpan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.at[keyOf(s)]
	if !ok {
		return
	}
	delete(l.at, keyOf(s))
	l.entries[i] = entry{span: s, ended: true}
	close(l.change)
	l.change = make(chan struct{})
}

// ForceFlush does nothing: spans are here when they end.
func (l *spanLog) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing, so that what was recorded can be read after it.
func (l *spanLog) Shutdown(context.Context) error { return nil }

// changed gives a channel that is closed when a span ends.
func (l *spanLog) changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.change
}

func (l *spanLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.at = nil, map[spanKey]int{}
	if l.change == nil {
		l.change = make(chan struct{})
	}
}

func (l *spanLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// all gives the entries so far.
func (l *spanLog) all() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// list reads the entries for which keep says yes.
func (l *spanLog) list(keep func(entry) bool) []Span {
	spans := []Span{}
	for _, e := range l.all() {
		if keep(e) {
			spans = append(spans, spanOf(e.span))
		}
	}
	return spans
}
