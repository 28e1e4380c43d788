package store

import (
	"iter"

	"github.com/lensgo/lens/viewer/otlp"
)

// Summary is what a model of the traces gives to the store, so that it can be rebuilt at start without reading a span: the
// store calls Add for every span that it takes, asks with Seal for what the spans of a chunk came to, keeps that in the
// chunk's footer, and hands it to Merge when the folder is opened again.
//
// The store calls one method at a time, under its writer, so an implementation need not guard against the store. It
// must not call back into the store, and it delays whoever sends spans.
type Summary interface {
	// Add takes one span. The three are views into the request: copy what is kept.
	Add(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span, at Ref)

	// Seal returns what the Adds since the last Seal came to; the store keeps the bytes with the chunk of these spans.
	// Empty is a valid answer. The store copies it.
	Seal() []byte

	// Merge takes what Seal of an earlier process returned, oldest chunk first. When it returns an error the store reads
	// the spans of the chunk and calls Add for each, then Seal, whose answer it drops.
	Merge(footer []byte) error

	// Forget says that retention removed a chunk, oldest first; footer is what Seal returned for it, nil when it is not known.
	Forget(removed Removed, footer []byte)
}

// Preparer is a [Summary] that reads footers apart from what it knows already, so that a start has several segments read at a time.
type Preparer interface {
	// Prepare reads what Seal of an earlier process returned for some chunks, oldest first; each is valid until the next. It may
	// be called by any number of goroutines at a time, also while another method runs. The function that it returns does what
	// Merge of each would do, and is called as Merge is. When it returns an error the store calls Merge for each.
	Prepare(footers iter.Seq[[]byte]) (merge func(), err error)
}

// Ref is where a span is. It stays the same when the store is opened again.
type Ref struct {
	Chunk uint64 // number of the chunk, growing with time of arrival
	Span  uint32 // index of the span in its chunk
}

// Removed describes a chunk that retention took away.
type Removed struct {
	Chunk       uint64
	Spans       int    // or data points, or log records
	Bytes       int64  // on disk
	First, Last uint64 // earliest start and latest end of its spans, unix nanoseconds
}
