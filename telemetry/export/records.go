package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/telemetry/export/internal/protospan"
	"github.com/lensgo/lens/telemetry/internal/slate"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// Records is the span processor that keeps a record of each span on disk while only this process has the span: from its start,
// with what it has then, to its end, and from there, as a whole, until the collector or the spool has it. Whoever takes over the
// spool of a process that was killed finds them there.
//
// Spans that stay open are looked at once a second, and their records brought up to date. It comes after the processors that
// write attributes and before the [Batch]. Its methods are safe for concurrent use.
type Records struct {
	spool  *spool.Spool
	slate  *slate.Slate
	log    *slog.Logger
	shards [slate.Parts]recordShard

	mu      sync.Mutex
	origins map[origin]uint32

	unrecorded atomic.Uint64
	said       struct{ full, lost, unsynced sync.Once }

	stop chan struct{}
	done chan struct{}
	once sync.Once
}

// recordShard is a share of the spans. The lock of its part guards it.
type recordShard struct {
	*slate.Part
	spans   map[trace.SpanID]recorded
	origins map[origin]uint32
	last    origin // mostly it is the next one too
	number  uint32 // its
}

// recorded is a span with a record.
type recorded struct {
	slot  slate.Slot
	span  sdktrace.ReadOnlySpan // nil once it has ended
	whole bool                  // the record is one of the ended span
}

// origin is what a span does not say itself. It is compared with each start and end, so attributes are compared by their hash, as
// the stock exporter does.
type origin struct {
	resource              *resource.Resource
	name, version, schema string
	attributes            attribute.Distinct
}

func originOf(s sdktrace.ReadOnlySpan) (origin, instrumentation.Scope) {
	scope := s.InstrumentationScope()
	return origin{resource: s.Resource(), name: scope.Name, version: scope.Version, schema: scope.SchemaURL,
		attributes: scope.Attributes.Equivalent()}, scope
}

var _ sdktrace.SpanProcessor = (*Records)(nil)

// newRecords starts the keeping of records in a spool.
func newRecords(s *spool.Spool, most int64, log *slog.Logger) (*Records, error) {
	sl, err := s.Slate(most)
	if err != nil {
		return nil, err
	}
	r := &Records{spool: s, slate: sl, log: log, origins: map[origin]uint32{}, stop: make(chan struct{}), done: make(chan struct{})}
	for i := range r.shards {
		r.shards[i] = recordShard{Part: sl.Part(i), spans: map[trace.SpanID]recorded{}, origins: map[origin]uint32{}}
	}
	go r.run()
	return r, nil
}

func (r *Records) shard(s sdktrace.ReadOnlySpan) (*recordShard, trace.SpanID) {
	id := s.SpanContext().SpanID()
	return &r.shards[id[7]%slate.Parts], id
}

// encoded is a span as bytes, in memory that is used again.
type encoded struct{ bytes []byte }

var encodings = sync.Pool{New: func() any { return &encoded{bytes: make([]byte, 0, 1<<10)} }}

func encode(s sdktrace.ReadOnlySpan) *encoded {
	e := encodings.Get().(*encoded)
	e.bytes = protospan.Append(e.bytes[:0], s)
	return e
}

func (e *encoded) free() {
	if cap(e.bytes) <= 64<<10 { // a large one is rare, and not worth its memory
		encodings.Put(e)
	}
}

// OnStart leaves a record of a span.
func (r *Records) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	e := encode(s)
	defer e.free()
	sh, id := r.shard(s)
	sh.Lock()
	defer sh.Unlock()
	slot, err := r.put(sh, s, slate.Open, e.bytes)
	if err != nil {
		r.fail(err)
		return
	}
	sh.spans[id] = recorded{slot: slot, span: s}
}

// OnEnd makes the record one of the whole span. When there is no room for that, that of its start stays.
func (r *Records) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	e := encode(s)
	defer e.free()
	sh, id := r.shard(s)
	sh.Lock()
	defer sh.Unlock()
	before, there := sh.spans[id]
	slot, err := r.put(sh, s, slate.Ended, e.bytes)
	switch {
	case err == nil:
		sh.spans[id] = recorded{slot: slot, whole: true}
		if there {
			sh.Wipe(before.slot)
		}
	case there:
		before.span = nil
		sh.spans[id] = before
		r.fail(err)
	}
}

// put writes a record.
func (r *Records) put(sh *recordShard, s sdktrace.ReadOnlySpan, state slate.State, body []byte) (slate.Slot, error) {
	o, scope := originOf(s)
	if o != sh.last || sh.number == 0 {
		n, err := r.origin(sh, o, scope)
		if err != nil {
			return slate.Slot{}, err
		}
		sh.last, sh.number = o, n
	}
	return sh.Put(state, sh.number, body)
}

// origin returns the number of an origin, which has a record of its own.
func (r *Records) origin(sh *recordShard, o origin, scope instrumentation.Scope) (uint32, error) {
	if n, ok := sh.origins[o]; ok {
		return n, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.origins[o]
	if !ok {
		n = uint32(len(r.origins)) + 1
		if _, err := sh.Put(slate.Shared, n, protospan.AppendOrigin(nil, o.resource, scope)); err != nil {
			return 0, err
		}
		r.origins[o] = n
	}
	sh.origins[o] = n
	return n, nil
}

// fail counts a record that could not be written.
func (r *Records) fail(err error) {
	if errors.Is(err, slate.ErrClosed) {
		return // the program goes on to start spans after the shutdown
	}
	r.unrecorded.Add(1)
	if errors.Is(err, slate.ErrLost) {
		r.sayLost(err)
		return
	}
	r.said.full.Do(func() {
		r.log.Warn("telemetry: cannot keep a record of a span; should this process be killed, it is lost or comes back as it began. "+
			"This is said once, Stats counts", "error", err)
	})
}

// forget drops the record of a span that needs none any more.
func (r *Records) forget(s sdktrace.ReadOnlySpan) {
	sh, id := r.shard(s)
	sh.Lock()
	defer sh.Unlock()
	if rec, ok := sh.spans[id]; ok {
		delete(sh.spans, id)
		sh.Wipe(rec.slot)
	}
}

// sending notes that spans may arrive from now on.
func (r *Records) sending(spans []sdktrace.ReadOnlySpan) {
	for _, s := range spans {
		sh, id := r.shard(s)
		sh.Lock()
		if rec := sh.spans[id]; rec.whole {
			sh.Mark(rec.slot, slate.Sending)
		}
		sh.Unlock()
	}
}

// settled drops the records of spans that have arrived, or are elsewhere on disk, or are lost and counted.
func (r *Records) settled(spans []sdktrace.ReadOnlySpan) {
	for _, s := range spans {
		r.forget(s)
	}
}

// run is the goroutine that brings records up to date and writes them out to the disk.
func (r *Records) run() {
	defer close(r.done)
	ticker := time.NewTicker(syncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.look()
		case <-r.stop:
			return
		}
	}
}

// look does what is to be done once a second.
func (r *Records) look() {
	r.slate.Beat(time.Now())
	_ = protect(func() error { // it may reach a provider that panics
		seam.WriteOpen(nil)
		return nil
	})
	for i := range r.shards {
		sh := &r.shards[i]
		for id, s := range sh.open() {
			r.update(sh, id, s)
		}
	}
	err := r.slate.Sync(r.spool.Sync)
	switch {
	case errors.Is(err, slate.ErrLost):
		r.sayLost(err)
	case err != nil:
		r.said.unsynced.Do(func() {
			r.log.Warn("telemetry: cannot write the records of spans out to the disk; a power cut would take more than a second of them. "+
				"This is said once", "error", err)
		})
	}
}

// sayLost says that no record that there was will be found, nor will there be one of what starts from now on.
func (r *Records) sayLost(err error) {
	r.said.lost.Do(func() {
		r.log.Warn("telemetry: the records of spans are lost; should this process be killed, so is what is open or in memory. This is said once, "+
			"Stats counts what has none from now on", "error", err)
	})
}

// open are the spans that have not ended.
func (sh *recordShard) open() map[trace.SpanID]sdktrace.ReadOnlySpan {
	sh.Lock()
	defer sh.Unlock()
	list := map[trace.SpanID]sdktrace.ReadOnlySpan{}
	for id, rec := range sh.spans {
		if rec.span != nil {
			list[id] = rec.span
		}
	}
	return list
}

// update writes the record of an open span anew when the span says more by now.
func (r *Records) update(sh *recordShard, id trace.SpanID, s sdktrace.ReadOnlySpan) {
	e := encode(s)
	defer e.free()
	sh.Lock()
	defer sh.Unlock()
	rec, ok := sh.spans[id]
	if !ok || rec.span == nil || sh.Same(rec.slot, e.bytes) {
		return
	}
	slot, err := r.put(sh, s, slate.Open, e.bytes)
	if err != nil {
		return // the record of before stays
	}
	sh.Wipe(rec.slot)
	rec.slot = slot
	sh.spans[id] = rec
}

// ForceFlush does nothing.
func (r *Records) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing: spans that are on their way out still have records, and the exporter closes them.
func (r *Records) Shutdown(context.Context) error { return nil }

// close ends the keeping of records. Those that are left, of spans that nobody has ended, stay for the next process.
func (r *Records) close() (err error) {
	r.once.Do(func() {
		close(r.stop)
		<-r.done
		if err = r.slate.Close(); err != nil {
			err = fmt.Errorf("cannot close the records of spans: %w", err)
		}
	})
	return err
}
