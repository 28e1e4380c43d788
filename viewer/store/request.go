package store

import (
	"slices"
	"sync"

	"github.com/lensgo/lens/viewer/otlp"
)

// request is one request and what the store has to know of it before it takes the writer's lock.
type request struct {
	data        []byte
	spans       []found // only when there is a Summary to give them to
	items       uint32
	nameless    uint32   // spans without an id
	hashes      []uint32 // of its trace ids, sorted, each once
	first, last uint64
	batch       Batch  // of what is not traces
	sum         uint64 // hash of data; 0 where two that are alike may be two events: nothing in it has a time
	repeated    bool   // it came before, and was not kept again
}

// found is a span with what it was sent under.
type found struct {
	resource *otlp.Resource
	scope    *otlp.Scope
	span     otlp.Span
}

var requests = sync.Pool{New: func() any { return new(request) }}

// maxPooled is the most spans for which a request keeps its memory.
const maxPooled = 8192

// release gives the request back. Nothing of it may be in use.
func (q *request) release() {
	if cap(q.spans) > maxPooled || cap(q.hashes) > maxPooled {
		return
	}
	clear(q.spans)
	*q = request{spans: q.spans[:0], hashes: q.hashes[:0]}
	requests.Put(q)
}

// newTraces reads a request that was checked.
func newTraces(data []byte, spans bool) *request {
	q := requests.Get().(*request)
	q.data = data
	var last otlp.TraceID
	_ = otlp.WalkTrusted(data, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		if q.items == 0 || s.TraceID != last {
			last = s.TraceID
			q.hashes = append(q.hashes, hashID(last))
		}
		q.items++
		if s.SpanID.IsZero() || s.TraceID.IsZero() {
			q.nameless++
		}
		q.first, q.last = around(q.first, q.last, s.Start, s.End)
		if spans {
			q.spans = append(q.spans, found{r, sc, *s})
		}
		return nil
	})
	q.hashes = sortedOnce(q.hashes)
	return q
}

// newOther takes a request of another kind.
func newOther(data []byte) *request {
	q := requests.Get().(*request)
	q.data = data
	return q
}

// around widens a range of times. Zero is no time.
func around(first, last, start, end uint64) (uint64, uint64) {
	if start != 0 && (first == 0 || start < first) {
		first = start
	}
	return first, max(last, start, end)
}

func sortedOnce(hashes []uint32) []uint32 {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}
