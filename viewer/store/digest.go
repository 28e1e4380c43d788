package store

import (
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
)

// Digest is for metrics, or logs, what [Summary] is for traces: a model of them that is rebuilt at start without decoding them,
// and the keys by which [Store.Holding] finds the chunks of something.
//
// Read may be called by any number of goroutines at a time. Of the others the store calls one at a time, under the writer
// of this kind; they delay who sends it, and nobody who sends another. None may call back into the store.
type Digest interface {
	// Read decodes a request before the writer is locked. It may be anything that was acknowledged, also no request at all.
	Read(req []byte) Batch

	// Add takes what Read returned; the store keeps the request in a chunk, whose number only grows. arrived is in unix nanoseconds.
	Add(b Batch, chunk, arrived uint64)

	// Seal returns what the Adds since the last Seal came to, as [Summary].Seal does.
	Seal() []byte

	// Merge takes what Seal of an earlier process returned for a chunk, oldest first. When it returns an error the store reads
	// the chunk, and calls Read, Add and Seal instead.
	Merge(chunk uint64, footer []byte) error

	// Forget says that retention removed a chunk, oldest first; footer is what Seal returned for it, nil when it is not known.
	Forget(removed Removed, footer []byte)
}

// Batch is a request as a [Digest] read it.
type Batch struct {
	Items       int    // data points, or log records
	First, Last uint64 // earliest and latest time of any, unix nanoseconds; 0 is none
	Keys        []Key  // what is in it; a key may stand there more than once
	Content     any    // the Digest's own
}

// Key is a hash of something that is in a chunk: the trace of log records, say, or their run. Two things of one key cost a look into
// a chunk that has only the other. Keys are part of the file format.
type Key uint32

// TraceKey is the key of a trace.
func TraceKey(id otlp.TraceID) Key { return Key(hashID(id)) }

// TextKey is the key of a text, FNV-1a over 64 bits, folded.
func TextKey(s string) Key {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return Key(h>>32 ^ h)
}

// Chunk is some requests of one kind, as they were at one moment: a chunk that grows is another Chunk later, which
// begins with the same bytes.
type Chunk struct {
	Number uint64 // grows with the time of arrival
	Items  int    // log records, or data points; 0 when that is not known
	place  place
}

// Holding returns the chunks of a kind that may hold what the key names, oldest first. Chunks that were written without a
// [Digest] are among them: any of these may.
func (s *Store) Holding(k Kind, key Key) (chunks []Chunk) {
	v := s.lanes[k].view.Load()
	for _, seg := range v.segments {
		chunks = seg.holding(key, chunks)
	}
	for _, p := range v.pending {
		if _, ok := slices.BinarySearch(p.hashes, uint32(key)); ok || p.items == 0 {
			chunks = append(chunks, Chunk{p.number, int(p.items), place{number: p.number, content: p.content}})
		}
	}
	if h := v.head; h != nil && (h.holds(uint32(key)) || h.items == 0) {
		chunks = append(chunks, Chunk{h.number, int(h.items), place{number: h.number, content: h.data}})
	}
	return chunks
}

// holding appends the chunks of a segment.
func (g *segment) holding(key Key, chunks []Chunk) []Chunk {
	var at []uint16 // sorted: runs are in the order of their chunks
	for _, r := range g.runs {
		at = r.find(uint32(key), at)
	}
	for i, c := range g.chunks {
		held := len(at) > 0 && int(at[0]) == i
		if held {
			at = at[1:]
		}
		if held || c.items == 0 {
			chunks = append(chunks, Chunk{c.number, int(c.items), place{seg: g, chunk: c, number: c.number}})
		}
	}
	return chunks
}

// Load returns the OTLP bytes of a chunk: one valid message of many requests, which nobody may change. They are nil when retention
// was quicker; damaged says that the chunk is there and cannot be read.
func (s *Store) Load(c Chunk) (otlp []byte, damaged bool) {
	r := reader{s: s, keep: true}
	defer r.close()
	return r.at(c.place)
}

// digest is what a lane has of a [Digest], nil in the lane of traces and where there is none.
func (o *Options) digest(k Kind) Digest {
	switch k {
	case Metrics:
		return o.Metrics
	case Logs:
		return o.Logs
	}
	return nil
}

// read puts what a Digest reads in a request beside it.
func (q *request) read(d Digest) {
	if d == nil {
		return
	}
	q.batch = d.Read(q.data)
	q.items, q.first, q.last = uint32(q.batch.Items), q.batch.First, q.batch.Last
	for _, k := range q.batch.Keys {
		q.hashes = append(q.hashes, uint32(k))
	}
	q.hashes = sortedOnce(q.hashes)
}
