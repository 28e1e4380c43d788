package runs

import (
	"bytes"
	"cmp"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// node is a span of a tree.
type node struct {
	id, parent  otlp.SpanID
	start, end  uint64
	hash        uint64
	pool        int64
	in, out     int64 // tokens
	shape       uint32
	rollout     uint32 // index into ids
	up          int32  // parent, -1: none here
	first, next int32  // children; the sibling
	place       int32  // of the last layout
	stamp       uint32 // of the last climb
	epoch       uint32 // of the tree when outer and lost were found
	outer       int32  // the outermost gym.rollout above, or itself
	flags       flags
	lost        bool // the parent of the last span above is missing
}

type flags uint8

const (
	isError flags = 1 << iota
	isTruncated
	isRollout // gym.rollout
	isCopy    // another span of this id is the one that children hang on
	isCut     // from its parent, which was its descendant
	isDirty   // in tree.dirty
)

// tree is the spans of a trace as far as they are here. What it says at the end does not depend on the order in which
// they came.
type tree struct {
	t       *table
	nodes   []node
	byID    map[otlp.SpanID]int32 // only of large trees
	waiting map[otlp.SpanID]int32 // children of parents that are not here
	copies  map[otlp.SpanID][]int32
	facts   map[int32]*Facts
	ids     []string          // rollout ids; the first is none
	idIndex map[string]uint32 // of many
	dirty   []int32           // outermost gym.rollout spans whose subtree has changed
	orphans bool              // something has changed below a missing parent
	moved   bool              // a span that was here has other ancestors or children than it had: look at everything
	stamp   uint32
	epoch   uint32 // grows when spans get other ancestors
	cuts    int
}

// small is the size up to which ids are found by looking at all.
const small = 24

func newTree(t *table) *tree { return &tree{t: t, ids: []string{""}, epoch: 1} }

// reset empties a tree for another trace; it keeps its memory unless that is much.
func (t *tree) reset() {
	nodes := t.nodes[:0]
	if cap(nodes) > 256 {
		nodes = nil
	}
	*t = tree{t: t.t, nodes: nodes, ids: t.ids[:1], dirty: t.dirty[:0], epoch: 1}
}

// find returns the span of an id that children hang on, or -1.
func (t *tree) find(id otlp.SpanID) int32 {
	if id.IsZero() {
		return -1
	}
	if t.byID != nil {
		if i, ok := t.byID[id]; ok {
			return i
		}
		return -1
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.id == id && n.flags&isCopy == 0 {
			return int32(i)
		}
	}
	return -1
}

// add takes a span. It returns -1 when it is an equal copy of one that is here. shape is that of the span.
func (t *tree) add(s *Span, shape uint32) int32 {
	n := node{
		id: s.ID, parent: s.Parent, start: s.Start, end: s.End, hash: s.Hash, pool: int64(s.Pool), in: s.TokensIn, out: s.TokensOut,
		shape: shape, up: -1, first: -1, next: -1,
	}
	if s.Error {
		n.flags |= isError
	}
	if s.Truncated {
		n.flags |= isTruncated
	}
	old := t.find(s.ID)
	if old >= 0 && t.hasCopy(old, &n) {
		return -1
	}
	n.rollout = t.idOf(s.Rollout)
	i := int32(len(t.nodes))
	if s.Name == semconv.SpanGymRollout {
		n.flags |= isRollout
		if t.facts == nil {
			t.facts = map[int32]*Facts{}
		}
		t.facts[i] = s.Facts
		t.orphans = true // if it is what a fragment has waited for
	}
	t.nodes = append(t.nodes, n)
	moved := t.index(i, old)
	t.attach(i)
	t.changed(i)
	if moved {
		t.moved, t.orphans = true, true
		t.changed(old)
		if t.cuts > 0 {
			t.rebuild() // the circle may have been another
		}
	}
	return i
}

// rebuild hangs all spans on their parents anew.
func (t *tree) rebuild() {
	t.waiting, t.cuts, t.orphans = nil, 0, true
	t.epoch++
	for i := range t.nodes {
		n := &t.nodes[i]
		n.up, n.first, n.next = -1, -1, -1
		n.flags &^= isCut
	}
	for i := range t.nodes {
		t.attach(int32(i))
	}
	for i := range t.nodes {
		t.changed(int32(i))
		if n := &t.nodes[i]; n.flags&(isRollout|isDirty) == isRollout {
			n.flags |= isDirty
			t.dirty = append(t.dirty, int32(i))
		}
	}
}

// hasCopy tells whether a span like n is here.
func (t *tree) hasCopy(first int32, n *node) bool {
	if t.nodes[first].like(n) {
		return true
	}
	for _, i := range t.copies[n.id] {
		if t.nodes[i].like(n) {
			return true
		}
	}
	return false
}

func (n *node) like(o *node) bool {
	return n.hash == o.hash && n.shape == o.shape && n.start == o.start && n.end == o.end && n.parent == o.parent
}

// before orders spans by start. Of spans with one id the first is the one that children hang on.
func (t *tree) before(n, o *node) bool {
	if n.start != o.start {
		return n.start < o.start
	}
	if c := bytes.Compare(n.id[:], o.id[:]); c != 0 {
		return c < 0
	}
	return cmp.Or(cmp.Compare(o.end, n.end), t.t.compare(n.shape, o.shape), cmp.Compare(n.hash, o.hash)) < 0
}

// idOf numbers a rollout id within the trace; there are few, and the last one is the most likely.
func (t *tree) idOf(id string) uint32 {
	if id == "" {
		return 0
	}
	if len(t.ids) <= small {
		for i := len(t.ids) - 1; i > 0; i-- {
			if t.ids[i] == id {
				return uint32(i)
			}
		}
	} else if i, ok := t.idIndex[id]; ok {
		return i
	}
	t.ids = append(t.ids, keep(id))
	if len(t.ids) > small {
		if t.idIndex == nil {
			t.idIndex = map[string]uint32{}
			for i, id := range t.ids[1:] {
				t.idIndex[id] = uint32(i + 1)
			}
		}
		t.idIndex[t.ids[len(t.ids)-1]] = uint32(len(t.ids) - 1)
	}
	return uint32(len(t.ids) - 1)
}

// index makes a new span findable, or a copy of the old one of its id. It tells whether the children of the old one moved to it.
func (t *tree) index(i, old int32) (moved bool) {
	if t.byID == nil && len(t.nodes) > small {
		t.byID = make(map[otlp.SpanID]int32, 2*small)
		for j := range t.nodes {
			if n := &t.nodes[j]; n.flags&isCopy == 0 && int32(j) != i && !n.id.IsZero() {
				t.byID[n.id] = int32(j)
			}
		}
	}
	n := &t.nodes[i]
	if n.id.IsZero() {
		return false
	}
	if old >= 0 {
		if t.copies == nil {
			t.copies = map[otlp.SpanID][]int32{}
		}
		if o := &t.nodes[old]; t.before(n, o) {
			o.flags |= isCopy
			n.first, o.first = o.first, -1
			for c := n.first; c >= 0; c = t.nodes[c].next {
				t.nodes[c].up = i
			}
			t.copies[n.id] = append(t.copies[n.id], old)
			moved = true
			t.epoch++
		} else {
			n.flags |= isCopy
			t.copies[n.id] = append(t.copies[n.id], i)
			return false
		}
	}
	if t.byID != nil {
		t.byID[n.id] = i
	}
	return moved
}

// attach hangs a span on its parent, and on it what has waited for it.
func (t *tree) attach(i int32) {
	n := &t.nodes[i]
	if first, ok := t.waiting[n.id]; ok && n.flags&isCopy == 0 {
		delete(t.waiting, n.id)
		n.first = first
		for c := first; c >= 0; c = t.nodes[c].next {
			t.nodes[c].up = i
		}
		t.orphans = true
		t.epoch++
	}
	switch p := t.find(n.parent); {
	case n.parent.IsZero():
	case n.parent == n.id:
		n.flags |= isCut
		t.cuts++
	case p >= 0:
		n.up = p
		n.next, t.nodes[p].first = t.nodes[p].first, i
	default:
		if t.waiting == nil {
			t.waiting = map[otlp.SpanID]int32{}
		}
		if first, ok := t.waiting[n.parent]; ok {
			n.next = first
		}
		t.waiting[n.parent] = i
	}
}

// changed notes whose analysis a new span changes.
func (t *tree) changed(i int32) {
	outer, orphan := t.climb(i)
	if orphan {
		t.orphans = true
	}
	if outer >= 0 && t.nodes[outer].flags&isDirty == 0 {
		t.nodes[outer].flags |= isDirty
		t.dirty = append(t.dirty, outer)
	}
}

// climb follows the parents. It returns the outermost gym.rollout on the way, -1 without one, and whether the last span's
// parent is missing. A circle is cut at its earliest span. What was found is remembered for as long as no span gets new
// ancestors, so that a leaf of a deep tree is cheap.
func (t *tree) climb(i int32) (outer int32, orphan bool) {
	for {
		t.stamp++
		top := i
		for n := &t.nodes[top]; n.epoch != t.epoch && n.stamp != t.stamp && n.up >= 0; n = &t.nodes[top] {
			n.stamp = t.stamp
			top = n.up
		}
		n := &t.nodes[top]
		if n.epoch != t.epoch && n.up >= 0 { // been here
			t.cut(top)
			continue
		}
		if n.epoch != t.epoch {
			n.epoch, n.outer, n.lost = t.epoch, -1, !n.parent.IsZero() && n.flags&isCut == 0
			if n.flags&(isRollout|isCopy) == isRollout {
				n.outer = top
			}
		}
		t.remember(i, top)
		return t.nodes[i].outer, n.lost
	}
}

func (t *tree) isOutermost(i int32) bool {
	outer, _ := t.climb(i)
	return outer == i
}

// remember writes what is known of an ancestor to the spans on the way to it.
func (t *tree) remember(i, top int32) {
	known := &t.nodes[top]
	outer := known.outer
	if outer < 0 { // the outermost is then the last one on the way
		for at := i; at != top; at = t.nodes[at].up {
			if t.nodes[at].flags&(isRollout|isCopy) == isRollout {
				outer = at
			}
		}
	}
	for at := i; at != top; {
		n := &t.nodes[at]
		n.epoch, n.outer, n.lost = t.epoch, outer, known.lost
		if at == outer {
			outer = known.outer // above it there is none
		}
		at = n.up
	}
}

// cut opens the circle that a span is in.
func (t *tree) cut(at int32) {
	earliest := at
	for i := t.nodes[at].up; i != at; i = t.nodes[i].up {
		if t.before(&t.nodes[i], &t.nodes[earliest]) {
			earliest = i
		}
	}
	n := &t.nodes[earliest]
	link := &t.nodes[n.up].first
	for *link != earliest {
		link = &t.nodes[*link].next
	}
	*link = n.next
	n.up, n.next = -1, -1
	n.flags |= isCut
	t.cuts++
	t.epoch++
	t.moved = true
}
