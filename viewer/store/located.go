package store

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

var seed = maphash.MakeSeed()

// located collects spans, and where they were, for one request that holds them all.
type located struct {
	spans []locatedSpan

	// seen is the last span of each content.
	seen map[uint64]int32

	resources, scopes map[identity]int32
	lastResource      *otlp.Resource
	lastScope         *otlp.Scope
	resource, scope   int32
}

type locatedSpan struct {
	found
	at                  Ref
	resourceNo, scopeNo int32
	next                int32 // another span whose content hashes alike, -1 when there is none
}

// identity is what a resource, or a scope under a resource, says.
type identity struct {
	under       int32
	raw, schema string
}

func newLocated() *located {
	return &located{seen: make(map[uint64]int32), resources: make(map[identity]int32), scopes: make(map[identity]int32)}
}

// add takes a span, but when an equal one is there: then it is false.
func (l *located) add(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span, at Ref) bool {
	if r != l.lastResource || sc != l.lastScope {
		l.group(r, sc)
	}
	n := locatedSpan{found: found{r, sc, *s}, at: at, resourceNo: l.resource, scopeNo: l.scope, next: -1}
	hash := maphash.Bytes(seed, s.Raw())
	last, ok := l.seen[hash]
	if !ok {
		last = -1
	}
	for i := last; i >= 0; i = l.spans[i].next {
		if l.spans[i].equal(&n) {
			return false
		}
	}
	n.next = last
	l.seen[hash] = int32(len(l.spans))
	l.spans = append(l.spans, n)
	return true
}

// addPiece takes the spans of a piece and counts those that were there.
func (l *located) addPiece(p piece) (copies int) {
	i := 0
	_ = otlp.WalkTrusted(p.otlp, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		if !l.add(r, sc, s, p.at[i]) {
			copies++
		}
		i++
		return nil
	})
	return copies
}

func (a *locatedSpan) equal(b *locatedSpan) bool {
	return a.resourceNo == b.resourceNo && a.scopeNo == b.scopeNo && bytes.Equal(a.span.Raw(), b.span.Raw())
}

// group numbers a resource and a scope by their content.
func (l *located) group(r *otlp.Resource, sc *otlp.Scope) {
	l.lastResource, l.lastScope = r, sc
	l.resource = number(l.resources, identity{0, string(r.Raw()), r.SchemaURL})
	l.scope = number(l.scopes, identity{l.resource, string(sc.Raw()), sc.SchemaURL})
}

func number(m map[identity]int32, id identity) int32 {
	n, ok := m[id]
	if !ok {
		n = int32(len(m))
		m[id] = n
	}
	return n
}

// build returns a request of the spans, and where each span of it was, in its order.
func (l *located) build() ([]byte, []Ref) {
	if len(l.spans) == 0 {
		return nil, nil
	}
	// Sorted as the Builder sorts, so that what comes out is in the order of what goes in.
	order := make([]int32, len(l.spans))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &l.spans[i], &l.spans[j]
		return cmp.Or(cmp.Compare(a.resourceNo, b.resourceNo), cmp.Compare(a.scopeNo, b.scopeNo), cmp.Compare(i, j))
	})
	var b otlp.Builder
	at := make([]Ref, len(order))
	for i, j := range order {
		n := &l.spans[j]
		b.Add(n.resource, n.scope, &n.span)
		at[i] = n.at
	}
	return b.AppendTo(nil), at
}
