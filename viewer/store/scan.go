package store

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// sealed is a chunk as it was found in a file.
type sealed struct {
	*footer
	offset int64 // of its frame
	end    int64 // of its footer
}

// gap is a part of a file that belongs to no whole chunk.
type gap struct{ from, to int64 }

// readChunks finds the chunks of a segment. It reads the footers only, from the last to the first, each of which says
// where the one before it ends. Where that chain breaks the rest is read whole and searched, so that a
// damaged byte costs the chunk that it is in and no other.
func readChunks(f io.ReaderAt, size int64, kind Kind) ([]sealed, []gap, error) {
	var chunks []sealed
	w := window{f: f}
	end := size
	for end > 0 {
		c, err := w.chunkBefore(end, kind)
		if err != nil {
			return nil, nil, err
		}
		if c.footer == nil {
			break
		}
		chunks = append(chunks, c)
		end = c.offset
	}
	slices.Reverse(chunks)
	if end == 0 {
		return chunks, nil, nil
	}
	b := make([]byte, end)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	front, gaps := scan(b[:n], kind)
	return append(front, chunks...), gaps, nil
}

// window is the part of a file that was read last.
type window struct {
	f    io.ReaderAt
	b    []byte
	from int64
	want int64 // how much to read before an end: what the last footer took, and some more
}

const leastWindow = 4 << 10

// chunkBefore returns the chunk that ends at end. It has no footer when there is none that can be trusted.
func (w *window) chunkBefore(end int64, kind Kind) (sealed, error) {
	tail, err := w.read(end, trailerSize)
	if err != nil {
		return sealed{}, err
	}
	n, ok := footerSizeAtEnd(tail)
	if !ok || int64(n) > end {
		return sealed{}, nil
	}
	w.want = int64(n) + int64(n)/8
	b, err := w.read(end, int64(n))
	if err != nil {
		return sealed{}, err
	}
	f, err := parseFooter(b)
	if err != nil || f.kind != kind || f.frame == 0 || int64(f.frame) > end-int64(n) {
		return sealed{}, nil
	}
	return sealed{f, end - int64(n) - int64(f.frame), end}, nil
}

// read returns the n bytes before end, fewer at the beginning of the file.
func (w *window) read(end, n int64) ([]byte, error) {
	n = min(n, end)
	if end-n < w.from || end > w.from+int64(len(w.b)) {
		size := min(end, max(n, w.want, leastWindow))
		w.b = slices.Grow(w.b[:0], int(size))[:size]
		w.from = end - size
		if m, err := w.f.ReadAt(w.b, w.from); m < len(w.b) && err != nil && err != io.EOF {
			return nil, err
		}
	}
	return w.b[end-n-w.from : end-w.from], nil
}

// scan finds the chunks of a file from its beginning, and what is between them.
func scan(b []byte, kind Kind) (chunks []sealed, gaps []gap) {
	for at := 0; at < len(b); {
		if f, n := firstChunk(b[at:], kind); f != nil {
			chunks = append(chunks, sealed{f, int64(at), int64(at + n)})
			at += n
			continue
		}
		next := at + 1
		for next < len(b) {
			i := bytes.Index(b[next:], frameMark)
			if i < 0 {
				next = len(b)
				break
			}
			next += i
			if f, _ := firstChunk(b[next:], kind); f != nil {
				break
			}
			next++
		}
		gaps = append(gaps, gap{int64(at), int64(next)})
		at = next
	}
	return chunks, gaps
}

var frameMark = binary.LittleEndian.AppendUint32(nil, frameMagic)

// firstChunk returns the footer and the length of the chunk that b begins with.
func firstChunk(b []byte, kind Kind) (*footer, int) {
	n, ok := frameSize(b)
	if !ok {
		return nil, 0
	}
	m, ok := footerSize(b[n:])
	if !ok || m > len(b)-n {
		return nil, 0
	}
	f, err := parseFooter(b[n : n+m])
	if err != nil || f.kind != kind || int(f.frame) != n {
		return nil, 0
	}
	return f, n + m
}
