package store

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// wreck is a segment that an earlier process left, with the parts of it that are no whole chunk. As a rule there are none.
type wreck struct {
	*lane
	file   numbered
	f      io.ReaderAt
	size   int64
	chunks []sealed
	gaps   []gap
}

// mend leaves whole chunks. In the middle of a file a gap stays where it is; at its end it is cut off, so that every
// tool can read the file again.
func (w *wreck) mend(logged map[uint64]*oldChunk) error {
	if err := w.unsynced(logged); err != nil {
		return err
	}
	for _, g := range w.gaps {
		b, err := w.bytes(g)
		if err != nil {
			return err
		}
		saved := w.rescue(b, g.from)
		if len(saved) > 0 {
			w.s.log.Warn("made new footers for chunks that had lost them", "file", w.file.path, "offset", g.from, "chunks", len(saved))
		}
		if g.to == w.size && !w.s.readOnly {
			saved, err = w.rewrite(g, b, saved)
			if err != nil {
				return err
			}
		} else if len(saved) == 0 && (g.to != w.size || !isLocked(filepath.Join(w.s.dir, lockName))) { // else a writer is at it
			w.s.damaged.Add(1)
			w.s.log.Error("part of a segment is damaged; its data is left out", "file", w.file.path, "offset", g.from, "bytes", g.to-g.from)
		}
		w.chunks = append(w.chunks, saved...)
		slices.SortFunc(w.chunks, func(a, b sealed) int { return int(a.offset - b.offset) })
	}
	return nil
}

// unsynced looks at the chunks whose logs are still there: it may be that they never reached the disk. Those that did not come
// back from their logs. Logs are removed in order, when the segment is safe, so the rest of the file does too.
func (w *wreck) unsynced(logged map[uint64]*oldChunk) error {
	if len(logged) == 0 {
		return nil
	}
	lost := w.size
	w.gaps = slices.DeleteFunc(w.gaps, func(g gap) bool {
		there := logged[w.expected(g.from)] != nil
		if there {
			lost = min(lost, g.from)
		}
		return there
	})
	w.chunks = slices.DeleteFunc(w.chunks, func(c sealed) bool {
		if logged[c.number] == nil {
			return false
		}
		_, err := w.s.readFrame(w.f, &c.meta, c.offset)
		if err != nil {
			lost = min(lost, c.offset)
		}
		return err != nil
	})
	if !slices.ContainsFunc(w.chunks, func(c sealed) bool { return c.offset > lost && logged[c.number] == nil }) {
		if err := w.cut(lost); err != nil {
			return err
		}
	}
	for _, c := range w.chunks {
		if o := logged[c.number]; o != nil {
			o.sealed = true
		}
	}
	return nil
}

// cut forgets everything from an offset on.
func (w *wreck) cut(size int64) error {
	if size == w.size {
		return nil
	}
	w.chunks = slices.DeleteFunc(w.chunks, func(c sealed) bool { return c.offset >= size })
	w.gaps = slices.DeleteFunc(w.gaps, func(g gap) bool { return g.from >= size })
	w.size = size
	if w.s.readOnly {
		return nil
	}
	return os.Truncate(w.file.path, size)
}

// expected is the number of the chunk that should begin at an offset.
func (w *wreck) expected(offset int64) uint64 {
	number := w.file.number
	for _, c := range w.chunks {
		if c.offset < offset {
			number = c.number + 1
		}
	}
	return number
}

func (w *wreck) bytes(g gap) ([]byte, error) {
	b := make([]byte, g.to-g.from)
	if _, err := w.f.ReadAt(b, g.from); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

// rewrite cuts off the end of the file and appends the chunks of it that were rescued.
func (w *wreck) rewrite(g gap, b []byte, saved []sealed) ([]sealed, error) {
	if err := w.s.quarantine(w.file.path, g.from, b); err != nil {
		return nil, err
	}
	if err := os.Truncate(w.file.path, g.from); err != nil {
		return nil, err
	}
	var whole []byte
	for i := range saved {
		c := &saved[i]
		frame := b[c.offset-g.from:][:c.frame]
		c.offset = g.from + int64(len(whole))
		whole = c.footer.append(append(whole, frame...))
		c.end = g.from + int64(len(whole))
	}
	w.size = g.from + int64(len(whole))
	if len(whole) == 0 {
		return nil, nil
	}
	f, err := os.OpenFile(w.file.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(whole); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return saved, err
}

// rescue makes footers for the frames in a gap that are whole by their own checksum.
func (w *wreck) rescue(b []byte, offset int64) (saved []sealed) {
	number := w.expected(offset)
	for at := 0; ; {
		i := bytes.Index(b[at:], frameMark)
		if i < 0 {
			return saved
		}
		at += i
		f := w.newFooter(b[at:], number)
		if f == nil {
			at++
			continue
		}
		from := at
		at += int(f.frame)
		saved = append(saved, sealed{f, offset + int64(from), offset + int64(at)})
		number++
	}
}

// newFooter makes the footer of the frame that b begins with, nil when it is not whole.
func (w *wreck) newFooter(b []byte, number uint64) *footer {
	n, ok := frameSize(b)
	if !ok || b[4]>>2&1 == 0 { // without a checksum
		return nil
	}
	data, err := w.s.unpack(b[:n], 0)
	if err != nil || len(data) == 0 {
		return nil
	}
	f := &footer{kind: w.kind, meta: meta{
		number: number, arrived: uint64(time.Now().UnixNano()),
		frame: uint32(n), raw: uint32(len(data)), requests: 1, sum: checksum(b[:n]),
	}}
	if w.kind != Traces && !wellFormed(data) || w.kind == Traces && otlp.Validate(data) != nil {
		return nil
	}
	q := w.read(data)
	defer q.release()
	f.first, f.last, f.items, f.hashes = q.first, q.last, q.items, slices.Clone(q.hashes)
	return f
}
