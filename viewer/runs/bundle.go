package runs

import (
	"bytes"
	"cmp"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// node is a span of a bundle.
type node struct {
	id, parent otlp.SpanID
	start, end uint64
	hash       uint64
	shape      uint32
	rollout    uint32 // index into ids
	more       int32  // index into more, -1: nothing
	older      int32  // the span of the same id that came before; -1: none; only where bundle.last is
	flags      flags
}

// more is what few spans have.
type more struct {
	pool    int64
	in, out int64 // tokens
	facts   *Facts
}

type flags uint8

const (
	isError flags = 1 << iota
	isTruncated
	isRollout // gym.rollout
)

// bundle is the spans of a trace as far as they are here, each once, in the order in which they came. To add one costs next to
// nothing: how they hang together is found out when somebody wants to know, by a [tree].
type bundle struct {
	nodes  []node
	more   []more
	ids    []string              // rollout ids; the first is none
	number map[string]uint32     // of many ids
	last   map[otlp.SpanID]int32 // the latest of each id; of many spans
	ended  bool                  // has a gym.rollout
	hashes uint64                // a bit for each span: where there is none, it is no copy
}

// small is the size up to which things are found by looking at all.
const small = 32

// reset empties a bundle for another trace; it keeps its memory unless that is much.
func (b *bundle) reset() {
	nodes := b.nodes[:0]
	if cap(nodes) > 256 {
		nodes = nil
	}
	clear(b.more)
	clear(b.ids)
	*b = bundle{nodes: nodes, more: b.more[:0], ids: b.ids[:0]}
}

// gym tells whether there may be rollouts in it.
func (b *bundle) gym() bool { return len(b.ids) > 0 }

// add takes a span of a shape. It is false when an equal one is here.
func (b *bundle) add(s *Span, shape uint32) bool {
	n := node{
		id: s.ID, parent: s.Parent, start: s.Start, end: s.End, hash: s.Hash, shape: shape, more: -1, older: -1,
	}
	bit := uint64(1) << (s.Hash >> 1 & 63)
	if b.hashes&bit != 0 && b.has(&n) {
		return false
	}
	b.hashes |= bit
	if s.Error {
		n.flags |= isError
	}
	if s.Truncated {
		n.flags |= isTruncated
	}
	rollout := s.Name == semconv.SpanGymRollout
	if rollout {
		n.flags |= isRollout
		b.ended = true
	}
	if rollout || s.Rollout != "" {
		n.rollout = b.idOf(s.Rollout)
	}
	if rollout || s.Pool != 0 || s.TokensIn != 0 || s.TokensOut != 0 {
		n.more = int32(len(b.more))
		b.more = append(b.more, more{int64(s.Pool), s.TokensIn, s.TokensOut, s.Facts})
	}
	b.index(&n)
	b.nodes = append(b.nodes, n)
	return true
}

// index makes the next span findable, in a bundle of many.
func (b *bundle) index(n *node) {
	if len(b.nodes) < small {
		return
	}
	if b.last == nil {
		b.last = make(map[otlp.SpanID]int32, 2*small)
		for i := range b.nodes {
			b.follow(&b.nodes[i], int32(i))
		}
	}
	b.follow(n, int32(len(b.nodes)))
}

func (b *bundle) follow(n *node, i int32) {
	if older, ok := b.last[n.id]; ok {
		n.older = older
	}
	b.last[n.id] = i
}

// has tells whether an equal span is here. One without an id is like no other.
func (b *bundle) has(n *node) bool {
	if n.id.IsZero() {
		return false
	}
	if b.last != nil {
		i, ok := b.last[n.id]
		for ; ok && i >= 0; i = b.nodes[i].older {
			if b.nodes[i].like(n) {
				return true
			}
		}
		return false
	}
	for i := range b.nodes {
		if o := &b.nodes[i]; o.id == n.id && o.like(n) {
			return true
		}
	}
	return false
}

func (n *node) like(o *node) bool {
	return n.hash == o.hash && n.shape == o.shape && n.start == o.start && n.end == o.end && n.parent == o.parent
}

// idOf numbers a rollout id within the trace; there are few, and the last one is the most likely.
func (b *bundle) idOf(id string) uint32 {
	if len(b.ids) == 0 {
		b.ids = append(b.ids, "")
	}
	if id == "" {
		return 0
	}
	if i, ok := b.number[id]; ok {
		return i
	}
	if b.number == nil {
		for i := len(b.ids) - 1; i > 0; i-- {
			if b.ids[i] == id {
				return uint32(i)
			}
		}
	}
	i := uint32(len(b.ids))
	b.ids = append(b.ids, keep(id))
	switch {
	case b.number != nil:
		b.number[b.ids[i]] = i
	case len(b.ids) > small:
		b.number = make(map[string]uint32, 2*small)
		for i, id := range b.ids[1:] {
			b.number[id] = uint32(i + 1)
		}
	}
	return i
}

// moreOf is what few spans have; of most it is nothing.
func (b *bundle) moreOf(n *node) more {
	if n.more < 0 {
		return more{}
	}
	return b.more[n.more]
}

// before orders spans by start. Of spans with one id the first is the one that children hang on.
func (t *table) before(n, o *node) bool {
	if n.start != o.start {
		return n.start < o.start
	}
	if c := bytes.Compare(n.id[:], o.id[:]); c != 0 {
		return c < 0
	}
	return cmp.Or(cmp.Compare(o.end, n.end), t.compare(n.shape, o.shape), cmp.Compare(n.hash, o.hash)) < 0
}
