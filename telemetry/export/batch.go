package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Batch is a span processor that queues ended spans and exports them in batches from a goroutine of its own.
//
// It differs from the SDK's in what happens when spans come faster than they leave. OnEnd never waits: there is room for
// 32,768 spans, so that the end of a wave of work fits, and what does not fit is dropped, counted in [Batch.Stats] and
// warned about once. ForceFlush and Shutdown end with their context, whatever the exporter does.
//
// A batch leaves when it is full, when the schedule delay has passed since the last export, on ForceFlush and on Shutdown.
// Batches go one at a time and in the order in which spans ended. An export that fails is not repeated: retrying is
// the exporter's business. All methods are safe for concurrent use.
type Batch struct {
	exporter sdktrace.SpanExporter
	config   BatchConfig
	keeps    bool // the exporter loses nothing when its context has ended
	forget   func(sdktrace.ReadOnlySpan)
	ring     *ring

	wakeAt   atomic.Uint64 // a writer that reaches this position has filled a batch
	wake     chan struct{}
	requests chan request

	ctx     context.Context // of the exports; ends when a shutdown runs out of time
	cancel  context.CancelFunc
	closed  atomic.Bool // nothing is taken any more
	done    chan struct{}
	once    sync.Once
	stopped chan struct{} // the first Shutdown has its result
	err     error         // that result
	last    error         // of the latest export that failed; the goroutine's own until done

	exported, failed, dropped, failures atomic.Uint64
	saidDropped, saidFailed             atomic.Bool
}

// Stats counts spans. Ended is the sum of Exported, Failed, Dropped and of those that still wait.
type Stats struct {
	Ended    uint64 // spans that came in; those that the sampler left out do not
	Exported uint64 // the exporter took them
	Failed   uint64 // the exporter gave an error
	Dropped  uint64 // the queue was full, the shutdown ran out of time, or they came after or during it
	Failures uint64 // how often the exporter gave an error
}

// request asks the goroutine to export everything up to a position.
type request struct {
	ctx   context.Context
	end   uint64
	last  bool // and then to shut the exporter down and to end
	reply chan error
}

var _ sdktrace.SpanProcessor = (*Batch)(nil)

var (
	// errTimeout is the cause when an export takes longer than [BatchConfig.Timeout].
	errTimeout = errors.New("the export timeout (OTEL_BSP_EXPORT_TIMEOUT) has passed")
	// errStopped is what a flush gets whose Batch ends under it.
	errStopped = errors.New("the batch processor was shut down meanwhile")
)

// parting is what a Shutdown that ran out of time grants a cancelled export to return in. An exporter that heeds its
// context needs microseconds, and brings the reason why the time did not suffice.
const parting = 100 * time.Millisecond

// partingToDisk is what it grants an exporter with a spool: writing a full queue to the disk takes a good part of it.
const partingToDisk = 2 * time.Second

// NewBatch starts a Batch before e, which it owns from then on: Shutdown shuts e down, and e is never called by two
// goroutines at once. A nil e takes every span and forgets it.
func NewBatch(e sdktrace.SpanExporter, c BatchConfig) *Batch {
	if e == nil {
		e = discard{}
	}
	c = c.complete()
	b := &Batch{
		exporter: e,
		config:   c,
		ring:     newRing(c.QueueSize),
		wake:     make(chan struct{}, 1),
		requests: make(chan request),
		done:     make(chan struct{}),
		stopped:  make(chan struct{}),
	}
	b.forget = func(sdktrace.ReadOnlySpan) {}
	if f, ok := e.(interface{ Forget(sdktrace.ReadOnlySpan) }); ok {
		b.forget = f.Forget
	}
	if k, ok := e.(interface{ Keeps() bool }); ok {
		b.keeps = k.Keeps()
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.wakeAt.Store(uint64(c.BatchSize))
	go b.run()
	return b
}

// OnStart does nothing.
func (b *Batch) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd queues s. It takes no lock and never waits.
func (b *Batch) OnEnd(s sdktrace.ReadOnlySpan) {
	if s == nil || !s.SpanContext().IsSampled() {
		return
	}
	if b.closed.Load() {
		b.dropped.Add(1)
		b.forget(s)
		return
	}
	pos, ok := b.ring.push(s)
	if !ok {
		b.drop()
		b.forget(s)
		return
	}
	if pos+1 >= b.wakeAt.Load() {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	}
}

// drop counts a span that found the queue full. The warning comes before any lock or channel of the Batch, since a
// logger may itself end spans.
func (b *Batch) drop() {
	b.dropped.Add(1)
	if b.saidDropped.CompareAndSwap(false, true) {
		b.config.logger().Warn("telemetry: the span queue is full and spans are being dropped; this is said once, Stats counts them. "+
			"Does the collector answer? A larger OTEL_BSP_MAX_QUEUE_SIZE holds longer bursts",
			"queue_size", b.config.QueueSize)
	}
}

// Stats returns the counts so far. After Shutdown nothing waits any more: what did not leave counts as dropped, and so
// does the batch that an exporter still holds, deaf to its context, until it returns.
func (b *Batch) Stats() Stats {
	stopped := false
	select { // first, so that the counts below are those after the last export
	case <-b.stopped:
		stopped = true
	default:
	}
	dropped := b.dropped.Load()
	s := Stats{
		Exported: b.exported.Load(),
		Failed:   b.failed.Load(),
		Dropped:  dropped,
		Failures: b.failures.Load(),
	}
	// Read last, so that the sum of the others is never more.
	queued := b.ring.tail.Load()
	s.Ended = queued + dropped
	if stopped {
		s.Dropped = s.Ended - s.Exported - s.Failed
	}
	return s
}

// Queue returns how many spans wait, and how many may.
func (b *Batch) Queue() (size, capacity int) {
	s := b.Stats()
	return int(s.Ended - min(s.Ended, s.Exported+s.Failed+s.Dropped)), b.config.QueueSize
}

// ForceFlush exports the spans that ended before the call. It returns the errors of these exports, or that of ctx as soon
// as ctx ends, which also ends the export that is under way for it. After Shutdown it does nothing.
func (b *Batch) ForceFlush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("cannot flush spans: %w", err)
	}
	if err := b.ask(request{ctx: ctx, end: b.ring.tail.Load()}); err != nil {
		return fmt.Errorf("cannot flush spans: %w", err)
	}
	return nil
}

// Shutdown exports what is queued, shuts the exporter down and ends the goroutine. When ctx ends first, the export under
// way is cancelled, what is left is dropped, and Shutdown returns with the error as soon as the exporter does, or 100 ms
// later when it does not; the goroutine is gone as soon as it does. Further calls wait for the first, under their own ctx,
// and return its result.
func (b *Batch) Shutdown(ctx context.Context) error {
	first := false
	b.once.Do(func() { first = true })
	if first {
		b.closed.Store(true)
		b.err = b.stop(ctx)
		close(b.stopped)
		return b.err
	}
	select {
	case <-b.stopped:
		return b.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *Batch) stop(ctx context.Context) error {
	defer b.cancel()
	err := b.ask(request{ctx: ctx, end: b.ring.tail.Load(), last: true})
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		return fmt.Errorf("cannot export the last spans: %w", err)
	}
	s := b.Stats()
	b.cancel()
	wait := time.NewTimer(b.parting())
	defer wait.Stop()
	select {
	case <-b.done:
		if b.keeps && b.last == nil {
			return nil
		}
		if b.last != nil && !errors.Is(err, b.last) {
			err = fmt.Errorf("%w (%w)", err, b.last)
		}
	case <-wait.C:
	}
	return fmt.Errorf("cannot export the last %d spans: %w", s.Ended-s.Exported-s.Failed-s.Dropped, err)
}

func (b *Batch) parting() time.Duration {
	if b.keeps {
		return partingToDisk
	}
	return parting
}

// ask hands r to the goroutine and waits for its answer, no longer than r.ctx.
func (b *Batch) ask(r request) error {
	r.reply = make(chan error, 1)
	select {
	case b.requests <- r:
	case <-b.done:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	select {
	case err := <-r.reply:
		return err
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// run is the goroutine: the only one that reads the ring and calls the exporter.
func (b *Batch) run() {
	defer close(b.done)
	timer := time.NewTimer(b.config.Delay)
	defer timer.Stop()
	buf := make([]sdktrace.ReadOnlySpan, 0, b.config.BatchSize)
	for {
		select {
		case <-b.wake:
			b.say(b.exportFull(buf))
		case <-timer.C:
			b.say(b.export(b.ctx, buf, b.ring.tail.Load()))
		case r := <-b.requests:
			if r.last {
				err := b.export(Last(r.ctx), buf, r.end)
				r.reply <- errors.Join(err, b.close(r.ctx))
				return
			}
			r.reply <- b.export(r.ctx, buf, r.end)
		case <-b.ctx.Done(): // a shutdown ran out of time before its request was taken
			if b.keeps {
				_ = b.export(b.ctx, buf, b.ring.tail.Load())
			}
			_ = b.close(b.ctx)
			return
		}
		timer.Reset(b.config.Delay)
	}
}

// exportFull exports the whole batches that there are. Those that fill meanwhile have their own wake: a program that is
// faster than its exporter must not keep a flush waiting for ever.
func (b *Batch) exportFull(buf []sdktrace.ReadOnlySpan) error {
	size := uint64(b.config.BatchSize)
	batches := (b.ring.tail.Load() - b.ring.head) / size
	return b.export(b.ctx, buf, b.ring.head+batches*size)
}

// export exports everything below position end, in batches. It goes on after an error, and stops when ctx or the Batch
// ends.
func (b *Batch) export(ctx context.Context, buf []sdktrace.ReadOnlySpan, end uint64) error {
	var first error
	for b.ring.head < end {
		if !b.keeps && (ctx.Err() != nil || b.ctx.Err() != nil) {
			return errors.Join(first, cmp.Or(context.Cause(ctx), errStopped))
		}
		spans := b.ring.pop(buf[:0], end)
		b.wakeAt.Store(b.ring.head + uint64(b.config.BatchSize))
		first = cmp.Or(first, b.exportOne(ctx, spans))
		clear(spans) // the buffer must not keep them alive
	}
	return first
}

func (b *Batch) exportOne(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if b.config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.config.Timeout, errTimeout)
		defer cancel()
	}
	// The end of the Batch ends the export of a caller, too.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	err := protect(func() error { return b.exporter.ExportSpans(ctx, spans) })
	if err != nil {
		b.failures.Add(1)
		b.failed.Add(uint64(len(spans)))
		if context.Cause(ctx) == errTimeout {
			err = fmt.Errorf("%w: %w", errTimeout, err)
		}
		b.last = err
		return err
	}
	b.exported.Add(uint64(len(spans)))
	return nil
}

// say logs the error of an export that nobody asked for. It does so once: the counts tell the rest.
func (b *Batch) say(err error) {
	if err != nil && b.ctx.Err() == nil && b.saidFailed.CompareAndSwap(false, true) {
		b.config.logger().Warn("telemetry: cannot export spans; this is said once, Stats counts those that failed", "error", err)
	}
}

func (b *Batch) close(ctx context.Context) error {
	return protect(func() error { return b.exporter.Shutdown(ctx) })
}

// protect turns a panic of an exporter into an error: telemetry does not end the program that it watches.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the exporter panicked: %v", v)
		}
	}()
	return f()
}

type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }
