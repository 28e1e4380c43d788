package store

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/lensgo/lens/viewer/otlp"
)

// ErrNotFound says that the store has no span of a trace.
var ErrNotFound = errors.New("trace not found")

// Trace is a whole trace, in columns: element i of Spans, ResourceOf, ScopeOf, ParentOf, Marks and At is about one span. Spans
// are ordered by start, then the longest first, then as they arrived. It shares nothing with the store and does not change.
type Trace struct {
	ID otlp.TraceID

	// OTLP is an ExportTraceServiceRequest that holds each span once, as it was sent. All below are views into it.
	OTLP []byte

	Resources []*otlp.Resource
	Scopes    []*otlp.Scope

	Spans      []otlp.Span
	ResourceOf []int32 // index into Resources
	ScopeOf    []int32 // index into Scopes
	ParentOf   []int32 // index into Spans; -1 for a root, and where Marks has Orphan or Cycle
	Marks      []Mark
	At         []Ref

	// Copies counts spans that came more than once with equal content, resource and scope: each is in the trace once.
	Copies int

	// Damaged counts chunks that have spans of this trace, but for a chance of one in millions, and cannot be read.
	Damaged int
}

// Mark says what is odd about a span.
type Mark uint8

const (
	Orphan Mark = 1 << iota // its parent is not here
	Cycle                   // was cut from its parent, because following parents leads back to it
	SameID                  // another span of the trace has the same id and other content
)

// Trace returns all spans of a trace, wherever they are. It waits for no writer. The error is ErrNotFound when there are none.
func (s *Store) Trace(id otlp.TraceID) (*Trace, error) {
	pieces, damaged := s.gather(id)
	t := assemble(id, pieces)
	t.Damaged = damaged
	if len(t.Spans) == 0 && damaged == 0 {
		return nil, ErrNotFound
	}
	t.connect()
	return t, nil
}

// piece is what one chunk has of a trace.
type piece struct {
	otlp []byte // a request of its spans
	at   []Ref  // of each
	bad  bool
}

// place is where a piece may be.
type place struct {
	seg     *segment // nil when content is at hand
	chunk   *chunk
	number  uint64
	content []byte
}

// places returns the chunks that may have spans of a trace, oldest first.
func (v *view) places(hash uint32) (places []place) {
	var at []uint16
	for _, seg := range v.segments {
		at = at[:0]
		for _, r := range seg.runs {
			at = r.find(hash, at)
		}
		for _, i := range at {
			c := seg.chunks[i]
			places = append(places, place{seg: seg, chunk: c, number: c.number})
		}
	}
	for _, p := range v.pending {
		if _, ok := slices.BinarySearch(p.hashes, hash); ok {
			places = append(places, place{number: p.number, content: p.content})
		}
	}
	if v.head != nil && v.head.holds(hash) {
		places = append(places, place{number: v.head.number, content: v.head.data})
	}
	return places
}

// gather reads the pieces of a trace, several at a time when there are many.
func (s *Store) gather(id otlp.TraceID) (pieces []piece, damaged int) {
	places := s.lanes[Traces].view.Load().places(hashID(id))
	pieces = make([]piece, len(places))
	workers := min(runtime.GOMAXPROCS(0), 1+len(places)/8) // to wake one takes longer than to read a few
	var wg sync.WaitGroup
	for w := range workers {
		from, to := w*len(places)/workers, (w+1)*len(places)/workers
		read := func() { s.readPieces(id, places[from:to], pieces[from:to]) }
		if w == workers-1 {
			read()
			continue
		}
		wg.Go(read)
	}
	wg.Wait()
	for _, p := range pieces {
		if p.bad {
			damaged++
		}
	}
	return pieces, damaged
}

func (s *Store) readPieces(id otlp.TraceID, places []place, pieces []piece) {
	r := reader{s: s, keep: true}
	defer r.close()
	for i, p := range places {
		var data []byte
		data, pieces[i].bad = r.at(p)
		m := match{id: id, chunk: p.number}
		m.request(data)
		pieces[i].otlp, pieces[i].at = m.out, m.at
	}
}

// assemble puts the pieces together: each span once.
func assemble(id otlp.TraceID, pieces []piece) *Trace {
	t := &Trace{ID: id}
	all := newLocated()
	for _, p := range pieces {
		t.Copies += all.addPiece(p)
	}
	t.read(all.build())
	return t
}

// read fills the columns.
func (t *Trace) read(req []byte, at []Ref) {
	n := len(at)
	t.OTLP = req
	rows := make([]row, 0, n)
	_ = otlp.WalkTrusted(req, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		if len(t.Resources) == 0 || t.Resources[len(t.Resources)-1] != r {
			t.Resources = append(t.Resources, r)
		}
		if len(t.Scopes) == 0 || t.Scopes[len(t.Scopes)-1] != sc {
			t.Scopes = append(t.Scopes, sc)
		}
		rows = append(rows, row{*s, at[len(rows)], int32(len(t.Resources) - 1), int32(len(t.Scopes) - 1)})
		return nil
	})
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &rows[i], &rows[j]
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(b.span.End, a.span.End), a.at.compare(b.at))
	})
	t.Spans, t.At = make([]otlp.Span, n), make([]Ref, n)
	t.ResourceOf, t.ScopeOf = make([]int32, n), make([]int32, n)
	for i, j := range order {
		t.Spans[i], t.At[i], t.ResourceOf[i], t.ScopeOf[i] = rows[j].span, rows[j].at, rows[j].resource, rows[j].scope
	}
}

// row is what the columns say about one span.
type row struct {
	span            otlp.Span
	at              Ref
	resource, scope int32
}

func (r Ref) compare(o Ref) int {
	return cmp.Or(cmp.Compare(r.Chunk, o.Chunk), cmp.Compare(r.Span, o.Span))
}

// connect finds parents and marks what is odd.
func (t *Trace) connect() {
	t.ParentOf, t.Marks = make([]int32, len(t.Spans)), make([]Mark, len(t.Spans))
	byID := make(map[otlp.SpanID]int32, len(t.Spans))
	for i := range t.Spans {
		id := t.Spans[i].SpanID
		if id.IsZero() {
			continue
		}
		if first, ok := byID[id]; ok {
			t.Marks[first] |= SameID
			t.Marks[i] |= SameID
			continue
		}
		byID[id] = int32(i)
	}
	for i := range t.Spans {
		t.ParentOf[i] = -1
		id := t.Spans[i].Parent
		if id.IsZero() {
			continue
		}
		if parent, ok := byID[id]; ok {
			t.ParentOf[i] = parent
		} else {
			t.Marks[i] |= Orphan
		}
	}
	t.cut()
}

// cut opens each cycle at its earliest span.
func (t *Trace) cut() {
	const walking, done = 1, 2
	state := make([]uint8, len(t.Spans))
	for i := range t.Spans {
		at := int32(i)
		for at >= 0 && state[at] == 0 {
			state[at] = walking
			at = t.ParentOf[at]
		}
		cycle := int32(-1)
		if at >= 0 && state[at] == walking {
			cycle = at
		}
		for at := int32(i); at >= 0 && state[at] == walking; at = t.ParentOf[at] {
			state[at] = done
		}
		if cycle >= 0 {
			t.cutAt(cycle)
		}
	}
}

// cutAt opens the cycle that a span is in.
func (t *Trace) cutAt(at int32) {
	first := at
	for next := t.ParentOf[at]; next != at; next = t.ParentOf[next] {
		first = min(first, next)
	}
	t.ParentOf[first] = -1
	t.Marks[first] |= Cycle
}
