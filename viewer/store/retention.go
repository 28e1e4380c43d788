package store

import (
	"io"
	"os"
	"slices"
	"time"
)

// retain removes the oldest segments, whole, while there is too much or they are too old. Age counts from when data came,
// not from what it says of itself: a file of last year's traces is not gone as soon as it is read, and clocks are wrong.
func (s *Store) retain() {
	for {
		l := s.oldest()
		if l == nil {
			return
		}
		seg := l.view.Load().segments[0]
		tooMuch := s.o.MaxBytes > 0 && s.bytes() > s.o.MaxBytes
		tooOld := s.o.MaxAge > 0 && time.Since(time.Unix(0, int64(seg.arrived))) > s.o.MaxAge
		if !tooMuch && !tooOld || !l.remove(seg) {
			return
		}
	}
}

// oldest returns the lane whose first segment is the oldest of all, nil when there is none.
func (s *Store) oldest() (lane *lane) {
	var least uint64
	for _, l := range s.lanes {
		if v := l.view.Load(); len(v.segments) > 0 && (lane == nil || v.segments[0].arrived < least) {
			lane, least = l, v.segments[0].arrived
		}
	}
	return lane
}

// bytes returns what all files take.
func (s *Store) bytes() (n int64) {
	for _, l := range s.lanes {
		n += l.segmentBytes.Load() + l.logBytes.Load()
	}
	return n
}

// remove takes the first segment away.
func (l *lane) remove(seg *segment) bool {
	if l.out != nil && l.out.path == seg.path {
		l.finish()
		if len(l.stale) > 0 {
			return false // its logs could not go yet, and would bring it back
		}
		seg = l.view.Load().segments[0]
	}
	footers := l.footers(seg)
	if err := os.Remove(seg.path); err != nil && !os.IsNotExist(err) {
		l.s.fail("cannot remove old segment; the data folder grows beyond its bounds", err)
		return false
	}
	l.mu.Lock()
	v := *l.view.Load()
	v.segments = slices.Clone(v.segments[1:])
	l.view.Store(&v)
	l.mu.Unlock()
	l.segmentBytes.Add(-seg.size)
	l.s.cache.forget(seg.chunks)
	for i, c := range seg.chunks {
		l.counts.add(&c.meta, -1)
		l.s.removedChunks.Add(1)
		if l.kind == Traces {
			l.s.removedSpans.Add(int64(c.items))
		}
		var summary []byte
		if f := footers[i]; f != nil {
			f.unpackSummary(l.s.codec)
			summary = f.summary
		}
		l.mu.Lock() // for one at a time: senders need not wait for a whole segment
		l.forget(c, summary)
		l.mu.Unlock()
	}
	l.s.removedBytes.Add(seg.size)
	l.s.changed()
	return true
}

// forget says that a chunk was removed.
func (l *lane) forget(c *chunk, summary []byte) {
	removed := Removed{Chunk: c.number, Spans: int(c.items), Bytes: int64(c.frame), First: c.first, Last: c.last}
	switch {
	case l.digest != nil:
		l.digest.Forget(removed, summary)
	case l.summed():
		l.s.o.Summary.Forget(removed, summary)
	}
}

// footers reads what a Summary or Digest said of the chunks of a segment; nil where that is not to be had.
func (l *lane) footers(seg *segment) []*footer {
	footers := make([]*footer, len(seg.chunks))
	if !l.summed() {
		return footers
	}
	f, err := os.Open(seg.path)
	if err != nil {
		return footers
	}
	defer f.Close()
	for i, c := range seg.chunks {
		if ft, err := readFooter(f, c.offset+int64(c.frame), seg.size); err == nil {
			ft.hashes = nil
			footers[i] = ft
		}
	}
	return footers
}

// readFooter reads the footer that begins at an offset of a file of that size.
func readFooter(f io.ReaderAt, offset, size int64) (*footer, error) {
	b := make([]byte, minFooter)
	if _, err := f.ReadAt(b, offset); err != nil {
		return nil, err
	}
	n, ok := footerSize(b)
	if !ok || int64(n) > size-offset {
		return nil, errNoFooter
	}
	b = make([]byte, n)
	if _, err := f.ReadAt(b, offset); err != nil && err != io.EOF {
		return nil, err
	}
	return parseFooter(b)
}
