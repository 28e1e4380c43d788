package store

import "slices"

// head is the chunk that grows. Its writer holds the lane's lock; readers see what was published last.
type head struct {
	number uint64
	log    *openLog
	buf    []byte // never moves: published parts of it stay where they are
	now    headView
}

// headView is a head at one moment. Its slices grow behind what this view sees of them.
type headView struct {
	meta
	data   []byte
	hashes [][]uint32 // of each request
}

// fits reports whether another request belongs into this chunk. One alone always does.
func (h *head) fits(size int) bool {
	return len(h.buf) == 0 || len(h.buf)+size <= cap(h.buf)
}

// take appends a request that is on disk, and returns the view that has it.
func (h *head) take(q *request, arrived uint64, room int) *headView {
	if len(h.buf) == 0 {
		h.buf = make([]byte, 0, max(room, len(q.data)))
	}
	h.buf = append(h.buf, q.data...)
	v := h.now
	v.number = h.number
	v.first, v.last = around(v.first, v.last, q.first, q.last)
	v.arrived = arrived
	v.requests++
	v.items += q.items
	v.raw = uint32(len(h.buf))
	v.data = h.buf
	if len(q.hashes) > 0 {
		v.hashes = append(v.hashes, slices.Clone(q.hashes))
	}
	h.now = v
	return &v
}

// holds reports whether some trace of this hash is in the head.
func (v *headView) holds(hash uint32) bool {
	for _, hashes := range v.hashes {
		if _, ok := slices.BinarySearch(hashes, hash); ok {
			return true
		}
	}
	return false
}

// pending is a chunk that grows no more and is not in a segment yet.
type pending struct {
	*chunk
	content []byte
	hashes  []uint32
	summary []byte
	summed  bool
	log     *openLog
}

// freeze makes a pending chunk of what a head has.
func (v *headView) freeze(log *openLog) *pending {
	return &pending{chunk: &chunk{meta: v.meta}, content: v.data, hashes: sortedOnce(slices.Concat(v.hashes...)), log: log}
}
