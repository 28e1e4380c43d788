package runs

import (
	"cmp"
	"slices"
	"time"
)

// Segment is a piece of a critical path: from Start to End the work of one span decided how long the whole took.
type Segment struct {
	Span       int // index into the spans that were analysed; -1: a root that is not here
	Part       Part
	Start, End uint64
}

// Duration is the length of the segment.
func (s Segment) Duration() time.Duration { return time.Duration(s.End - s.Start) }

// layout is a subtree, ready for walking. Its memory is used again.
type layout struct {
	nodes  []int32 // breadth first; nodes[0] is the root, -1 when it is not here
	class  []class
	offset []int32 // the children of nodes[i] are kids[offset[i]:offset[i+1]]
	kids   []kid   // with a duration, by end, latest first
	frames []frame
	lo, hi uint64 // of the whole
}

// kid is a child, with its place in the layout.
type kid struct {
	start, end uint64
	place      int32
	early      int32 // index of the earliest start among this and the kids before it
}

// frame is a stretch of time that a span decides about, walked from its end.
type frame struct {
	place int32
	kid   int32  // the first one that may have ended before the point
	lo, p uint64 // the beginning, and the point
}

// lay prepares the subtree of a root, or of several tops whose root is missing.
func (l *layout) lay(t *tree, root int32, tops []int32) {
	l.nodes, l.class, l.kids, l.offset = append(l.nodes[:0], root), append(l.class[:0], classOf(PartOther)), l.kids[:0], l.offset[:0]
	if root >= 0 {
		l.class[0] = t.t.shapes[t.nodes[root].shape].class.or(classOf(PartOther))
	}
	l.span(t, root, tops)
	for i := 0; i < len(l.nodes); i++ {
		l.offset = append(l.offset, int32(len(l.kids)))
		if l.nodes[i] < 0 {
			for _, c := range tops {
				l.child(t, i, c)
			}
		} else {
			for c := t.links[l.nodes[i]].first; c >= 0; c = t.links[c].next {
				l.child(t, i, c)
			}
		}
		l.order(t, int(l.offset[i]))
	}
	l.offset = append(l.offset, int32(len(l.kids)))
}

// child appends a child of the span at a place.
func (l *layout) child(t *tree, parent int, c int32) {
	n := &t.nodes[c]
	place := int32(len(l.nodes))
	t.links[c].place = place
	l.nodes = append(l.nodes, c)
	l.class = append(l.class, t.t.shapes[n.shape].class.or(l.class[parent]))
	end := n.end
	if end == 0 {
		end = l.hi // still running
	}
	if end > n.start {
		l.kids = append(l.kids, kid{start: n.start, end: end, place: place})
	}
}

// order sorts the children of one span.
func (l *layout) order(t *tree, from int) {
	kids := l.kids[from:]
	if len(kids) > 1 {
		slices.SortFunc(kids, func(a, b kid) int {
			x, y := &t.nodes[l.nodes[a.place]], &t.nodes[l.nodes[b.place]]
			return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(a.start, b.start), slices.Compare(x.id[:], y.id[:]), cmp.Compare(x.hash, y.hash))
		})
	}
	for i := range kids {
		kids[i].early = int32(from + i)
		if i > 0 {
			if e := kids[i-1].early; l.kids[e].start <= kids[i].start {
				kids[i].early = e
			}
		}
	}
}

// span sets the time that the whole takes: that of the root, or of what is here when the root is missing or has not ended.
func (l *layout) span(t *tree, root int32, tops []int32) {
	if root >= 0 {
		l.lo, l.hi = t.nodes[root].start, t.nodes[root].end
		if l.hi != 0 {
			l.hi = max(l.hi, l.lo)
			return
		}
		tops = []int32{root}
	} else {
		l.lo, l.hi = ^uint64(0), 0
	}
	for todo := slices.Clone(tops); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &t.nodes[i]
		l.lo, l.hi = min(l.lo, n.start), max(l.hi, n.end, n.start)
		for c := t.links[i].first; c >= 0; c = t.links[c].next {
			todo = append(todo, c)
		}
	}
	if root >= 0 {
		l.lo = t.nodes[root].start
	}
}

// walk follows the critical path from the end of the root to its start and calls back for each piece of it, latest first.
//
// From a point backwards the path is in the child that ended last before the point, and goes on from that child's start. Where
// that leaves time which another child covers (one that also ran after the point), it is in that child, the earliest if there
// are several. What no child covers belongs to the span itself. Children are cut at the ends of their parents. So every
// moment of the root belongs to exactly one span.
func (l *layout) walk(piece func(place int32, start, end uint64)) {
	l.frames = append(l.frames[:0], frame{0, l.offset[0], l.lo, l.hi})
	for len(l.frames) > 0 {
		f := &l.frames[len(l.frames)-1]
		if f.p <= f.lo {
			l.frames = l.frames[:len(l.frames)-1]
			continue
		}
		next, ok := l.step(f)
		if ok {
			l.frames = append(l.frames, next)
			continue
		}
		piece(next.place, next.lo, next.p)
	}
}

// step moves the point of a frame back. It returns the stretch that a child decides about and true, or a piece of the span's own.
func (l *layout) step(f *frame) (next frame, ok bool) {
	begin, end := l.offset[f.place], l.offset[f.place+1]
	for f.kid < end && l.kids[f.kid].end > f.p {
		f.kid++
	}
	ended := f.lo // when the last child before the point ended
	if f.kid < end {
		ended = max(ended, l.kids[f.kid].end)
	}
	if ended == f.p && f.kid < end {
		k := l.kids[f.kid]
		f.kid++
		return l.enter(f, k, f.lo), true
	}
	if f.kid > begin {
		if k := l.kids[l.kids[f.kid-1].early]; k.start < f.p {
			return l.enter(f, k, ended), true
		}
	}
	own := frame{place: f.place, lo: ended, p: f.p}
	f.p = ended
	return own, false
}

// enter moves the point to the start of a child, not before a bound, and returns the child's stretch.
func (l *layout) enter(f *frame, k kid, bound uint64) frame {
	start := max(k.start, bound)
	next := frame{place: k.place, lo: start, p: f.p}
	next.kid = l.firstBefore(k.place, f.p)
	f.p = start
	return next
}

// firstBefore finds the first child of a span that ended at a point or before.
func (l *layout) firstBefore(place int32, p uint64) int32 {
	begin := l.offset[place]
	kids := l.kids[begin:l.offset[place+1]]
	i, _ := slices.BinarySearchFunc(kids, p, func(k kid, p uint64) int {
		if k.end > p {
			return -1
		}
		return 1
	})
	return begin + int32(i)
}

// pieces calls back for each part of the path, latest first; the wait for a connection is a part of its own.
func (l *layout) pieces(t *tree, piece func(place int32, part Part, start, end uint64)) {
	l.walk(func(place int32, start, end uint64) {
		part := l.class[place].part()
		if pool := l.poolOf(t, place); pool > 0 {
			got := min(max(t.nodes[l.nodes[place]].start+uint64(pool), start), end) // the connection
			if got < end {
				piece(place, part, got, end)
			}
			if end = got; start == end {
				return
			}
			part = PartPool
		}
		piece(place, part, start, end)
	})
}

// poolOf is how long the span at a place waited for a connection.
func (l *layout) poolOf(t *tree, place int32) int64 {
	if i := l.nodes[place]; i >= 0 {
		return t.moreOf(&t.nodes[i]).pool
	}
	return 0
}

// split sums up the path.
func (l *layout) split(t *tree) (s Split) {
	l.pieces(t, func(_ int32, part Part, start, end uint64) { s[part] += time.Duration(end - start) })
	return s
}

// segments lists the path in the order of time. of maps nodes to the caller's spans.
func (l *layout) segments(t *tree, of []int) (out []Segment) {
	l.pieces(t, func(place int32, part Part, start, end uint64) {
		span := -1
		if i := l.nodes[place]; i >= 0 {
			span = of[i]
		}
		if n := len(out); n > 0 && out[n-1].Span == span && out[n-1].Part == part && out[n-1].Start == end {
			out[n-1].Start = start
			return
		}
		out = append(out, Segment{span, part, start, end})
	})
	slices.Reverse(out)
	return out
}
