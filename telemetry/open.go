//go:build !lens_off

package telemetry

import (
	"context"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/semconv"
)

// openSpans is the processor that remembers the spans that are open, so that a shutdown can end them instead of losing
// them. It keeps those that other instrumentations start; package lens keeps its own, because it must write their
// buffered attributes before they end.
//
// The reference is strong on purpose: a span that the program has lost is the case to save.
type openSpans struct {
	closed atomic.Bool
	shards [16]openShard
}

type openShard struct {
	mu    sync.Mutex
	spans map[trace.SpanID]openSpan
	_     [48]byte // a cache line a shard
}

type openSpan struct {
	order uint64
	span  trace.Span
}

var _ sdktrace.SpanProcessor = (*openSpans)(nil)

func (o *openSpans) shard(id trace.SpanID) *openShard { return &o.shards[id[7]%uint8(len(o.shards))] }

// OnStart remembers s, unless package lens started it.
func (o *openSpans) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	if o.closed.Load() || startedByLens(s) {
		return
	}
	id := s.SpanContext().SpanID()
	sh := o.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.spans == nil {
		sh.spans = map[trace.SpanID]openSpan{}
	}
	sh.spans[id] = openSpan{order: seam.NextOrder(), span: s}
}

// OnEnd forgets s.
func (o *openSpans) OnEnd(s sdktrace.ReadOnlySpan) {
	if startedByLens(s) {
		return
	}
	id := s.SpanContext().SpanID()
	sh := o.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.spans, id)
}

// ForceFlush ends nothing: a flush in mid-run must not cut the spans of the run.
func (o *openSpans) ForceFlush(context.Context) error { return nil }

// Shutdown stops the tracking.
func (o *openSpans) Shutdown(context.Context) error {
	o.take()
	return nil
}

// take returns the spans that are open, for the one sweep at shutdown, and stops the tracking. A second take is empty.
func (o *openSpans) take() []seam.Open {
	o.closed.Store(true)
	var open []seam.Open
	for i := range o.shards {
		sh := &o.shards[i]
		sh.mu.Lock()
		for _, s := range sh.spans {
			open = append(open, seam.Open{Order: s.order, Close: func(reason string) { truncate(s.span, reason) }})
		}
		sh.spans = nil
		sh.mu.Unlock()
	}
	return open
}

// truncate marks a span as cut off and ends it. It leaves the status alone: nothing failed.
func truncate(span trace.Span, reason string) {
	span.SetAttributes(attribute.Bool(semconv.SpanTruncated, true))
	span.AddEvent(semconv.SpanTruncated, trace.WithAttributes(attribute.String(semconv.SpanTruncatedReason, reason)))
	span.End()
}

// startedByLens says whether package lens keeps a record of the span. What it starts on behalf of a foreign package, behind
// lensotel.TracerProvider, it hands over.
func startedByLens(s sdktrace.ReadOnlySpan) bool {
	scope := s.InstrumentationScope()
	return throughLens(s) && !scope.Attributes.HasValue(semconv.LensBridge)
}

// throughLens tells by the instrumentation scope: lens writes the group on it, or its own name.
func throughLens(s sdktrace.ReadOnlySpan) bool {
	scope := s.InstrumentationScope()
	return scope.Name == semconv.ScopeLens || scope.Attributes.HasValue(semconv.LensGroup)
}
