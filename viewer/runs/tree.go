package runs

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

// tree is how the spans of a bundle hang together. It is made at once of what is here, and says the same in whichever order they came.
// Its memory is used again for the next one.
type tree struct {
	*bundle
	t      *table
	links  []link   // of each node
	queue  []int32  // of the walk from the roots
	lost   []int32  // roots whose parents are missing
	places []int32  // a hash table by id: 1 + the span that children hang on
	shapes []uint32 // of a rollout, some more than once
	odd    bool     // an id stands twice, or there are circles: one more span may change anything
}

// link is what hangs on a span, and what it hangs on.
type link struct {
	up          int32 // parent, -1: none here
	first, next int32 // children; the sibling
	outer       int32 // the outermost gym.rollout above, or itself; -1: none
	place       int32 // of the last layout
	copy        bool  // another span of this id is the one that children hang on
	cut         bool  // from its parent, which is its descendant
	walked      bool
	trail       bool
	changed     bool
}

// build finds out how the spans of a bundle hang together.
func (t *tree) build(b *bundle) {
	n := len(b.nodes)
	t.bundle, t.odd = b, false
	t.links = slices.Grow(t.links[:0], n)[:n]
	for i := range t.links {
		t.links[i] = link{up: -1, first: -1, next: -1, outer: -1}
	}
	t.queue, t.lost = t.queue[:0], t.lost[:0]
	t.index()
	for i := n - 1; i >= 0; i-- {
		t.attach(int32(i))
	}
	for i := range t.nodes {
		if t.links[i].up < 0 {
			t.walk(int32(i))
		}
	}
	for i := 0; len(t.queue) < n; i++ {
		if !t.links[i].walked {
			t.odd = true
			t.walk(t.cut(int32(i)))
		}
	}
}

// spread makes it unlikely that somebody's ids meet in one place.
var spread = rand.Uint64() | 1

func (t *tree) placeOf(id otlp.SpanID) uint64 {
	return binary.LittleEndian.Uint64(id[:]) * spread >> (64 - bits.Len(uint(len(t.places)-1)))
}

// index fills the hash table.
func (t *tree) index() {
	size := 1 << bits.Len(uint(2*len(t.nodes)+1))
	t.places = slices.Grow(t.places[:0], size)[:size]
	clear(t.places)
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.id.IsZero() {
			continue
		}
		at := t.probe(n.id)
		old := t.places[at] - 1
		if old < 0 {
			t.places[at] = int32(i + 1)
			continue
		}
		t.odd = true
		if t.t.before(n, &t.nodes[old]) {
			t.links[old].copy = true
			t.places[at] = int32(i + 1)
		} else {
			t.links[i].copy = true
		}
	}
}

// probe returns the place of an id, or the free one where it would be.
func (t *tree) probe(id otlp.SpanID) uint64 {
	mask := uint64(len(t.places) - 1)
	at := t.placeOf(id)
	for t.places[at] != 0 && t.nodes[t.places[at]-1].id != id {
		at = (at + 1) & mask
	}
	return at
}

// find returns the span of an id that children hang on, or -1.
func (t *tree) find(id otlp.SpanID) int32 {
	if id.IsZero() {
		return -1
	}
	return t.places[t.probe(id)] - 1
}

// attach hangs a span on its parent.
func (t *tree) attach(i int32) {
	n, l := &t.nodes[i], &t.links[i]
	switch {
	case n.parent.IsZero():
	case n.parent == n.id:
		l.cut, t.odd = true, true
	default:
		if l.up = t.find(n.parent); l.up < 0 {
			t.lost = append(t.lost, i)
			return
		}
		l.next, t.links[l.up].first = t.links[l.up].first, i
	}
}

// walk goes down from a root and says to all below which rollout they are in.
func (t *tree) walk(root int32) {
	from := len(t.queue)
	t.visit(root, -1)
	for ; from < len(t.queue); from++ {
		i := t.queue[from]
		for c := t.links[i].first; c >= 0; c = t.links[c].next {
			t.visit(c, t.links[i].outer)
		}
	}
}

func (t *tree) visit(i, outer int32) {
	l := &t.links[i]
	if outer < 0 && t.nodes[i].flags&isRollout != 0 && !l.copy {
		outer = i
	}
	l.outer, l.walked = outer, true
	t.queue = append(t.queue, i)
}

// cut opens the circle above a span at its earliest and returns that.
func (t *tree) cut(at int32) int32 {
	for ; !t.links[at].trail; at = t.links[at].up {
		t.links[at].trail = true
	}
	earliest := at
	for i := t.links[at].up; i != at; i = t.links[i].up {
		if t.t.before(&t.nodes[i], &t.nodes[earliest]) {
			earliest = i
		}
	}
	l := &t.links[earliest]
	link := &t.links[l.up].first
	for *link != earliest {
		link = &t.links[*link].next
	}
	*link = l.next
	l.up, l.next, l.cut = -1, -1, true
	return earliest
}

// changed lists the outermost gym.rollout spans whose subtree is not as it was when only the first spans were here.
func (t *tree) changed(first int, list []int32) []int32 {
	if t.odd {
		first = 0
	}
	for i := first; i < len(t.links); i++ {
		if outer := t.links[i].outer; outer >= 0 && !t.links[outer].changed {
			t.links[outer].changed = true
			list = append(list, outer)
		}
	}
	return list
}

// isOutermost tells whether a span of an id is an outermost gym.rollout.
func (t *tree) isOutermost(id otlp.SpanID) bool {
	i := t.find(id)
	return i >= 0 && t.links[i].outer == i
}

// fragments are what is here of a rollout whose gym.rollout is not.
type fragments struct {
	id   string
	tops []int32
}

// unfinished groups what hangs below missing parents by rollout, for the rollouts of which no span gym.rollout is here.
func (t *tree) unfinished() []fragments {
	if len(t.ids) <= 1 || len(t.lost) == 0 {
		return nil
	}
	here := make([]bool, len(t.ids))
	for i := range t.nodes {
		if n := &t.nodes[i]; n.flags&isRollout != 0 {
			here[n.rollout] = true
		}
	}
	tops := make([][]int32, len(t.ids))
	for _, top := range t.lost {
		if id := t.belongs(top); id != 0 && !here[id] {
			tops[id] = append(tops[id], top)
		}
	}
	var out []fragments
	for id, list := range tops {
		if len(list) > 0 {
			out = append(out, fragments{t.ids[id], list})
		}
	}
	return out
}

// belongs returns the rollout of a fragment: the one that its spans name, the least when they disagree, and none when one of them is
// a gym.rollout.
func (t *tree) belongs(top int32) uint32 {
	var id uint32
	todo := append(t.queue[:0], top)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &t.nodes[i]
		if n.flags&isRollout != 0 {
			return 0
		}
		if n.rollout != 0 && (id == 0 || t.ids[n.rollout] < t.ids[id]) {
			id = n.rollout
		}
		for c := t.links[i].first; c >= 0; c = t.links[c].next {
			todo = append(todo, c)
		}
	}
	t.queue = todo
	return id
}
