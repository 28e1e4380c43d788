//go:build !lens_off

package lens

import (
	"cmp"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
)

func init() {
	seam.Install(seam.Hooks{
		SetProvider: func(reg any, tp trace.TracerProvider) { registryOf(reg).setProvider(tp) },
		CloseOpen: func(reg any, reason string, others []seam.Open) {
			r := registryOf(reg)
			open := r.open.appendTo(slices.Clone(others))
			if r == defaultRegistry {
				open = globalOpen.appendTo(open)
			}
			closeAll(open, reason)
		},
		WriteOpen: func(reg any) {
			r := registryOf(reg)
			r.open.write()
			if r == defaultRegistry {
				globalOpen.write()
			}
		},
		With:     withAttributes,
		Bridge:   newBridge,
		FromSpan: fromSpan,
		ToSpan:   toSpan,
	})
}

func registryOf(reg any) *Registry {
	if r, _ := reg.(*Registry); r != nil {
		return r
	}
	return defaultRegistry
}

// openShards is how many locks the list of open spans is spread over: more than processors commonly start spans at the
// same moment.
const openShards = 32

// globalOpen has the open spans of all registries that have no provider of their own and so record to the global one.
// Whoever shuts that one down knows the default registry only, so they are closed with that registry's.
var globalOpen openList

// openList holds the spans that have started and not ended. It holds them strongly: a span that the program has lost is
// just what shutdown must find.
type openList struct {
	shards [openShards]openShard
}

type openShard struct {
	mu   sync.Mutex
	head *record
	_    [48]byte // a cache line of its own
}

// entry is a record's place in its shard.
type entry struct {
	order      uint64
	prev, next *record
}

// add takes the record in. It is called after the provider has started the span; see seam.NextOrder.
func (l *openList) add(r *record) {
	r.order = seam.NextOrder()
	s := &l.shards[r.order%openShards]
	s.mu.Lock()
	r.next = s.head
	if s.head != nil {
		s.head.prev = r
	}
	s.head = r
	s.mu.Unlock()
}

func (l *openList) remove(r *record) {
	s := &l.shards[r.order%openShards]
	s.mu.Lock()
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		s.head = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	s.mu.Unlock()
}

// appendTo adds the spans that are open at the moment to a list.
func (l *openList) appendTo(list []seam.Open) []seam.Open {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for r := s.head; r != nil; r = r.next {
			list = append(list, seam.Open{Order: r.order, Close: r.truncate})
		}
		s.mu.Unlock()
	}
	return list
}

// write hands over what the spans that are open have collected.
func (l *openList) write() {
	var list []*record
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for r := s.head; r != nil; r = r.next {
			list = append(list, r)
		}
		s.mu.Unlock()
		for _, r := range list {
			r.flush()
		}
		clear(list)
		list = list[:0]
	}
}

// closeAll ends spans newest first, so that children end before their parents. It sorts the list.
func closeAll(open []seam.Open, reason string) {
	slices.SortFunc(open, func(a, b seam.Open) int { return cmp.Compare(b.Order, a.Order) })
	for _, o := range open {
		closeOne(o, reason)
	}
}

// closeOne keeps a provider that panics from stopping the others' spans, and the shutdown.
func closeOne(o seam.Open, reason string) {
	defer func() { _ = recover() }()
	o.Close(reason)
}
