package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errClosed   = errors.New("store is closed")
	errReadOnly = errors.New("data folder is open for reading only")
)

// maxPending is how many chunks may wait to be sealed before senders wait too.
const maxPending = 64

// maxRequest bounds what is taken at a time.
const maxRequest = 512 << 20

// view is what a lane holds at one moment. It never changes, so a reader that has one waits for nobody.
type view struct {
	segments []*segment
	pending  []*pending
	head     *headView // nil when nothing came since the last chunk
}

// segment is a file of sealed chunks at one moment.
type segment struct {
	path        string
	chunks      []*chunk
	runs        []run
	size        int64
	first, last uint64
	arrived     uint64
}

// lane keeps one kind.
type lane struct {
	s      *Store
	kind   Kind
	digest Digest // may be nil
	view   atomic.Pointer[view]

	mu     sync.Mutex // of the writer: everything below, storing view, calling the Summary
	head   *head
	log    *openLog // of the head, and of the one that comes
	next   uint64   // number of the next chunk
	record []byte
	room   chan struct{} // closed when a pending chunk was sealed
	closed bool
	repeats

	keeper
	counts
}

// counts are totals of what a lane holds.
type counts struct {
	requests, items, raw, segmentBytes, logBytes atomic.Int64
}

func (c *counts) add(m *meta, sign int64) {
	c.requests.Add(sign * int64(m.requests))
	c.items.Add(sign * int64(m.items))
	c.raw.Add(sign * int64(m.raw))
}

// add keeps one request, if it did not come before. It is on disk, if not synced, when it returns.
func (l *lane) add(ctx context.Context, q *request) error {
	if len(q.data) > maxRequest {
		return fmt.Errorf("request has %d bytes, must have at most %d", len(q.data), maxRequest)
	}
	l.mu.Lock()
	for !l.closed && l.head != nil && !l.head.fits(len(q.data)) {
		if len(l.view.Load().pending) < maxPending {
			l.rotate()
			break
		}
		room := l.room
		l.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return fmt.Errorf("sealing is behind by %d chunks: %w", maxPending, context.Cause(ctx))
		}
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if l.closed {
		return errClosed
	}
	if q.repeated = q.sum != 0 && l.repeats.holds(q.sum); q.repeated {
		return nil
	}
	if err := l.write(q); err != nil {
		return err
	}
	if q.sum != 0 {
		l.repeats.add(q.sum)
	}
	return nil
}

// write appends a request to the log, then to what readers see, then tells the Summary.
func (l *lane) write(q *request) error {
	if l.head == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	h := l.head
	arrived := uint64(time.Now().UnixNano())
	if err := h.log.append(l.encode(q, arrived)); err != nil {
		return err
	}
	l.logBytes.Add(int64(len(l.record)))
	before := h.now.items
	now := h.take(q, arrived, l.s.o.ChunkBytes)
	v := *l.view.Load()
	v.head = now
	l.view.Store(&v)
	l.counts.add(&meta{requests: 1, items: q.items, raw: uint32(len(q.data))}, 1)
	for i := range q.spans {
		f := &q.spans[i]
		l.s.o.Summary.Add(f.resource, f.scope, &f.span, Ref{h.number, before + uint32(i)})
	}
	if l.digest != nil {
		l.digest.Add(q.batch, h.number, arrived)
	}
	if cap(l.record) > 4<<20 {
		l.record = nil
	}
	l.s.poke(l.s.dirty)
	return nil
}

// encode makes the log's record of a request.
func (l *lane) encode(q *request, arrived uint64) []byte {
	l.record = appendStored(l.record[:0], q.data)
	f := footer{kind: l.kind, meta: meta{
		number: l.head.number, first: q.first, last: q.last, arrived: arrived,
		frame: uint32(len(l.record)), raw: uint32(len(q.data)), requests: 1, items: q.items, sum: checksum(l.record),
	}}
	l.record = f.append(l.record)
	return l.record
}

// open begins a chunk.
func (l *lane) open() error {
	if l.log == nil {
		path := l.path(l.next, logSuffix)
		f, err := l.s.create(path)
		if err != nil {
			return fmt.Errorf("cannot begin log: %w", err)
		}
		l.log = &openLog{appender: appender{path: path, f: f}}
		l.s.newFiles.Store(true)
	}
	l.head = &head{number: l.next, log: l.log}
	l.log.live++
	l.next++
	return nil
}

// rotate ends the chunk that grows and hands it to the keeper.
func (l *lane) rotate() {
	h := l.head
	l.head = nil
	if l.log.size >= min(maxLog, l.s.o.SegmentBytes) || l.closed {
		l.log = nil
	}
	if h.now.requests == 0 { // nothing could be written
		l.release(h.log)
		return
	}
	p := h.now.freeze(h.log)
	p.summary, p.summed = l.sealed()
	v := *l.view.Load()
	v.pending = append(slices.Clip(v.pending), p)
	v.head = nil
	l.view.Store(&v)
	l.s.poke(l.s.full)
}

// sealed asks for what the requests of a chunk came to.
func (l *lane) sealed() (summary []byte, ok bool) {
	switch {
	case l.digest != nil:
		return slices.Clone(l.digest.Seal()), true
	case l.kind == Traces && l.s.o.Summary != nil:
		return slices.Clone(l.s.o.Summary.Seal()), true
	}
	return nil, false
}

// end takes no more requests, and hands what there is to the keeper.
func (l *lane) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.head != nil {
		l.rotate()
	} else if log := l.log; log != nil {
		l.log = nil
		log.live++
		l.release(log)
	}
}

// release says that a chunk does not need its log any more. The last one takes it away.
func (l *lane) release(log *openLog) {
	log.live--
	if log.live > 0 || log == l.log {
		return
	}
	log.close()
	if err := os.Remove(log.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		l.s.log.Error("cannot remove log; it is read again at the next start", "file", log.path, "error", err)
	}
	l.logBytes.Add(-log.size)
}

const (
	segmentSuffix = ".zst"
	logSuffix     = ".open.zst"
)

// path names the file that begins with a chunk.
func (l *lane) path(number uint64, suffix string) string {
	return filepath.Join(l.s.dir, fmt.Sprintf("%s-%012d%s", l.kind, number, suffix))
}
