package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// chunk is some requests of one kind, one behind the other, and what is known about them without a look inside. It is in a
// segment, or waits to be written to one.
type chunk struct {
	meta
	offset int64 // of its frame in the segment

	data atomic.Pointer[[]byte] // uncompressed, while it is one of the newest
	bad  atomic.Bool            // was found to be damaged
}

// meta is the part of a footer that stays in memory.
type meta struct {
	number   uint64
	first    uint64 // earliest start, unix nanoseconds
	last     uint64 // latest end
	arrived  uint64 // of its last request
	frame    uint32 // length of the frame
	raw      uint32 // length of what the frame holds
	requests uint32
	items    uint32 // spans
	sum      uint32 // checksum of the frame
}

var errDamaged = errors.New("chunk is damaged")

// readFrame reads a frame from its segment and unpacks it.
func (c codec) readFrame(f io.ReaderAt, m *meta, offset int64) ([]byte, error) {
	frame := make([]byte, m.frame)
	if n, err := f.ReadAt(frame, offset); n < len(frame) {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: file ends inside of it", errDamaged)
		}
		return nil, err
	}
	return c.open(m, frame)
}

// open checks and unpacks a frame.
func (c codec) open(m *meta, frame []byte) ([]byte, error) {
	if sum := checksum(frame); sum != m.sum {
		return nil, fmt.Errorf("%w: checksum is %08x, must be %08x", errDamaged, sum, m.sum)
	}
	data, err := c.unpack(frame, int(m.raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if len(data) != int(m.raw) {
		return nil, fmt.Errorf("%w: it holds %d bytes, must be %d", errDamaged, len(data), m.raw)
	}
	return data, nil
}

// reader gives the content of chunks, of one segment at a time. The file is opened when it is needed: retention may take it away at
// any time, and hundreds of segments need no open file each.
type reader struct {
	s    *Store
	seg  *segment
	keep bool // what is read is likely to be read again soon
	f    *os.File
}

// at returns the content of a place as load does, and goes to its segment where that is another one.
func (r *reader) at(p place) (data []byte, bad bool) {
	if p.content != nil || p.seg == nil {
		return p.content, false
	}
	if p.seg != r.seg {
		r.close()
		r.seg, r.f = p.seg, nil
	}
	return r.load(p.chunk)
}

// load returns the content of a chunk, nil when it cannot be had: bad says that it is there but damaged.
func (r *reader) load(c *chunk) (data []byte, bad bool) {
	if p := c.data.Load(); p != nil {
		return *p, false
	}
	if c.bad.Load() {
		return nil, true
	}
	if data := r.s.cache.get(c); data != nil {
		return data, false
	}
	data, err := r.read(c)
	switch {
	case err == nil:
		if r.keep {
			r.s.cache.put(c, data)
		}
		return data, false
	case errors.Is(err, os.ErrNotExist):
		return nil, false // retention was quicker
	}
	if errors.Is(err, errDamaged) && c.bad.CompareAndSwap(false, true) {
		r.s.damaged.Add(1)
	}
	r.s.log.Error("cannot read chunk; its data is left out", "file", r.seg.path, "offset", c.offset, "error", err)
	return nil, true
}

func (r *reader) read(c *chunk) ([]byte, error) {
	if r.f == nil {
		f, err := os.Open(r.seg.path)
		if err != nil {
			return nil, err
		}
		r.f = f
	}
	return r.s.readFrame(r.f, &c.meta, c.offset)
}

func (r *reader) close() {
	if r.f != nil {
		r.f.Close()
	}
}
