package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

// maxWaiting is how many bytes of traces that are not complete [Store.EachTrace] holds. Beyond, they are read again when they are.
const maxWaiting = 64 << 20

// EachTrace calls fn for each trace, or for those in ids when that is not nil, as [Store.Trace] returns it, but that Damaged is
// not counted. Traces come in the order of their latest chunks, so that each chunk is read once as a rule, and memory is
// bounded whatever the store holds: about 64 MiB, the largest trace, and eight bytes a trace. fn may keep the trace.
//
// It walks over what the store holds at the time of the call. unread counts the chunks that it could not read: damaged ones, and those
// that retention took away meanwhile. An error of fn, or of ctx, ends it and is returned.
func (s *Store) EachTrace(ctx context.Context, ids map[otlp.TraceID]struct{}, fn func(*Trace) error) (unread int, err error) {
	return s.eachTrace(ctx, ids, maxWaiting, fn)
}

func (s *Store) eachTrace(ctx context.Context, ids map[otlp.TraceID]struct{}, room int, fn func(*Trace) error) (unread int, err error) {
	if ids != nil && len(ids) == 0 {
		return 0, nil
	}
	w := traceWalk{
		s: s, view: s.lanes[Traces].view.Load(), ids: ids, room: room, fn: fn, r: reader{s: s},
		waiting: map[otlp.TraceID]*waiting{}, due: map[int][]otlp.TraceID{},
	}
	defer w.r.close()
	err = w.walk(ctx)
	return w.unread, err
}

// traceWalk puts traces together on the way through the chunks.
type traceWalk struct {
	s    *Store
	view *view
	ids  map[otlp.TraceID]struct{}
	room int
	fn   func(*Trace) error
	r    reader

	places []place
	ends   []uint64 // hash of a trace, and the place of its last chunk in the low half; sorted
	wanted []bool   // places that may have spans of ids; nil when all are wanted
	seen   []int    // those places, while they are looked for

	waiting map[otlp.TraceID]*waiting
	due     map[int][]otlp.TraceID // by the place after which they are complete
	held    int                    // bytes in waiting
	unread  int
}

// waiting is a trace of which more is to come.
type waiting struct {
	pieces  []piece
	copies  int
	size    int
	dropped bool       // the pieces were let go, to be read again
	fresh   []sighting // in the chunk at hand
}

// sighting is a span in a chunk, by views into it.
type sighting struct {
	found
	at Ref
}

// keep makes a piece of what the chunk at hand has, so that the chunk can go.
func (t *waiting) keep() {
	if len(t.fresh) == 0 {
		return
	}
	all := newLocated()
	t.copies += all.addFresh(t.fresh)
	t.fresh = nil
	var p piece
	p.otlp, p.at = all.build()
	t.pieces = append(t.pieces, p)
	t.size += len(p.otlp)
}

// complete puts the trace together.
func (t *waiting) complete(id otlp.TraceID) *Trace {
	all := newLocated()
	trace := &Trace{ID: id, Copies: t.copies}
	for _, p := range t.pieces {
		trace.Copies += all.addPiece(p)
	}
	trace.Copies += all.addFresh(t.fresh)
	trace.read(all.build())
	trace.connect()
	return trace
}

func (l *located) addFresh(fresh []sighting) (copies int) {
	for i := range fresh {
		if !l.add(fresh[i].resource, fresh[i].scope, &fresh[i].span, fresh[i].at) {
			copies++
		}
	}
	return copies
}

func (w *traceWalk) walk(ctx context.Context) error {
	w.index()
	for i := range w.places {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if w.wanted != nil && !w.wanted[i] {
			continue
		}
		if data, _ := w.r.at(w.places[i]); data != nil {
			w.take(i, data)
		} else {
			w.unread++
		}
		if err := w.release(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// index lists the chunks, and finds where each trace ends.
func (w *traceWalk) index() {
	hashes := w.hashes()
	for _, seg := range w.view.segments {
		first := len(w.places)
		for _, c := range seg.chunks {
			w.places = append(w.places, place{seg: seg, chunk: c, number: c.number})
		}
		for _, r := range seg.runs {
			for i, h := range r.hash {
				w.note(hashes, h, first+int(r.chunk[i]))
			}
		}
	}
	for _, p := range w.view.pending {
		w.unsealed(hashes, place{number: p.number, content: p.content}, p.hashes)
	}
	if head := w.view.head; head != nil {
		w.unsealed(hashes, place{number: head.number, content: head.data}, head.hashes...)
	}
	w.keepLast()
	if hashes == nil {
		return
	}
	w.wanted = make([]bool, len(w.places))
	for _, at := range w.seen {
		w.wanted[at] = true
	}
	w.seen = nil
}

// hashes are those of ids, nil when all traces are wanted.
func (w *traceWalk) hashes() map[uint32]struct{} {
	if w.ids == nil {
		return nil
	}
	hashes := make(map[uint32]struct{}, len(w.ids))
	for id := range w.ids {
		hashes[hashID(id)] = struct{}{}
	}
	return hashes
}

// unsealed lists a chunk that is in no segment.
func (w *traceWalk) unsealed(wanted map[uint32]struct{}, p place, lists ...[]uint32) {
	at := len(w.places)
	w.places = append(w.places, p)
	for _, list := range lists {
		for _, h := range list {
			w.note(wanted, h, at)
		}
	}
}

// note takes that a chunk may have spans of a trace.
func (w *traceWalk) note(wanted map[uint32]struct{}, h uint32, at int) {
	if wanted != nil {
		if _, ok := wanted[h]; !ok {
			return
		}
		w.seen = append(w.seen, at)
	}
	w.ends = append(w.ends, uint64(h)<<32|uint64(at))
}

// keepLast leaves the last chunk of each trace.
func (w *traceWalk) keepLast() {
	slices.Sort(w.ends)
	last := w.ends[:0]
	for i, e := range w.ends {
		if i == len(w.ends)-1 || e>>32 != w.ends[i+1]>>32 {
			last = append(last, e)
		}
	}
	w.ends = last
}

// end is the place of the last chunk that may have spans of a trace.
func (w *traceWalk) end(id otlp.TraceID, at int) int {
	h := hashID(id)
	i, ok := slices.BinarySearchFunc(w.ends, h, func(e uint64, h uint32) int { return cmp.Compare(uint32(e>>32), h) })
	if !ok { // the index does not know it: then no other chunk has it
		return at
	}
	return max(at, int(uint32(w.ends[i])))
}

// take adds what a chunk has to the traces that wait.
func (w *traceWalk) take(at int, data []byte) {
	for _, p := range split(data, w.places[at].number, w.want) {
		t := w.waiting[p.id]
		if t == nil {
			t = &waiting{}
			w.waiting[p.id] = t
			end := w.end(p.id, at)
			w.due[end] = append(w.due[end], p.id)
		}
		if t.dropped {
			continue
		}
		t.fresh = p.spans
		if w.end(p.id, at) > at {
			w.held -= t.size
			t.keep()
			w.held += t.size
		}
	}
	if w.held > w.room {
		w.drop(at)
	}
}

func (w *traceWalk) want(id otlp.TraceID) bool {
	if w.ids == nil {
		return true
	}
	_, ok := w.ids[id]
	return ok
}

// part is what a chunk has of a trace.
type part struct {
	id    otlp.TraceID
	spans []sighting
}

// split takes a chunk apart, in the order in which its traces appear.
func split(data []byte, number uint64, want func(otlp.TraceID) bool) (parts []*part) {
	byID := map[otlp.TraceID]*part{}
	next := Ref{Chunk: number}
	_ = otlp.WalkTrusted(data, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		at := next
		next.Span++
		p := byID[s.TraceID]
		if p == nil {
			if !want(s.TraceID) {
				return nil
			}
			p = &part{id: s.TraceID}
			byID[p.id] = p
			parts = append(parts, p)
		}
		p.spans = append(p.spans, sighting{found{r, sc, *s}, at})
		return nil
	})
	return parts
}

// drop lets go of the pieces of all traces that are not complete yet.
func (w *traceWalk) drop(at int) {
	now := map[otlp.TraceID]bool{}
	for _, id := range w.due[at] {
		now[id] = true
	}
	for id, t := range w.waiting {
		if !now[id] {
			w.held -= t.size
			*t = waiting{dropped: true}
		}
	}
}

// release hands out the traces that are complete after a chunk.
func (w *traceWalk) release(ctx context.Context, at int) error {
	ids := w.due[at]
	delete(w.due, at)
	w.readAgain(ids)
	for _, id := range ids {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := w.waiting[id]
		delete(w.waiting, id)
		w.held -= t.size
		if err := w.fn(t.complete(id)); err != nil {
			return err
		}
	}
	return nil
}

// readAgain reads the pieces that were let go, each chunk once for all of the traces.
func (w *traceWalk) readAgain(ids []otlp.TraceID) {
	again := map[otlp.TraceID]*waiting{}
	places := map[uint64]place{}
	for _, id := range ids {
		if t := w.waiting[id]; t.dropped {
			again[id] = t
			for _, p := range w.view.places(hashID(id)) {
				places[p.number] = p
			}
		}
	}
	want := func(id otlp.TraceID) bool { return again[id] != nil }
	for _, number := range slices.Sorted(maps.Keys(places)) {
		data, _ := w.r.at(places[number]) // what cannot be read was counted before
		for _, p := range split(data, number, want) {
			t := again[p.id]
			t.fresh = p.spans
			t.keep()
		}
	}
	for _, t := range again {
		w.held += t.size
	}
}
