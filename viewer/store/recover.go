package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
)

// folder is the files of a data folder, each sorted by number.
type folder struct {
	segments, logs [kinds][]numbered
}

type numbered struct {
	path   string
	number uint64
}

// list reads the names of a data folder. Others than its own are none of its business.
func list(dir string) (folder, error) {
	var d folder
	entries, err := os.ReadDir(dir)
	if err != nil {
		return d, err
	}
	for _, e := range entries {
		for k := range Kind(kinds) {
			rest, ok := strings.CutPrefix(e.Name(), k.String()+"-")
			if !ok || !e.Type().IsRegular() {
				continue
			}
			to := &d.logs[k]
			digits, ok := strings.CutSuffix(rest, logSuffix)
			if !ok {
				to = &d.segments[k]
				digits, ok = strings.CutSuffix(rest, segmentSuffix)
			}
			n, err := strconv.ParseUint(digits, 10, 63)
			if ok && err == nil {
				*to = append(*to, numbered{filepath.Join(dir, e.Name()), n})
			}
		}
	}
	for k := range kinds {
		for _, files := range [][]numbered{d.segments[k], d.logs[k]} {
			slices.SortFunc(files, func(a, b numbered) int { return strings.Compare(a.path, b.path) })
		}
	}
	return d, nil
}

// recover reads what is in the folder.
func (s *Store) recover() error {
	// The logs are listed and read before the segments are listed: a running writer moves chunks from the first to the
	// second, and a reader must see each at least once.
	d, err := list(s.dir)
	if err != nil {
		return err
	}
	var logs [kinds][]*oldLog
	for k := range kinds {
		if logs[k], err = s.readLogs(d.logs[k], Kind(k)); err != nil {
			return err
		}
	}
	if s.readOnly {
		if d, err = list(s.dir); err != nil {
			return err
		}
	}
	for k, l := range s.lanes {
		logged := make(map[uint64]*oldChunk)
		for _, o := range logs[k] {
			for _, c := range o.chunks {
				logged[c.number] = c
			}
		}
		l.recoverSegments(d.segments[k], logged)
		for _, o := range logs[k] {
			if err := l.recoverLog(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// oldLog is a log of an earlier process.
type oldLog struct {
	numbered
	size   int64
	chunks []*oldChunk
	unread bool // could not be read, and stays
}

// oldChunk is a chunk in such a log.
type oldChunk struct {
	meta
	content []byte // its requests, one behind the other
	sealed  bool   // it is in a segment as well
}

// readLogs reads the logs of a kind.
func (s *Store) readLogs(files []numbered, kind Kind) (logs []*oldLog, err error) {
	for _, file := range files {
		b, err := os.ReadFile(file.path)
		if errors.Is(err, os.ErrNotExist) {
			continue // sealed meanwhile
		}
		o := &oldLog{numbered: file, size: int64(len(b))}
		logs = append(logs, o)
		if err != nil {
			s.damaged.Add(1)
			s.log.Error("cannot read log; its data is left out", "file", file.path, "error", err)
			o.unread = true
			continue
		}
		records, gaps := scan(b, kind)
		for _, r := range records {
			data, err := s.open(&r.meta, b[r.offset:r.offset+int64(r.frame)])
			if err != nil {
				gaps = append(gaps, gap{r.offset, r.end})
				continue
			}
			o.add(&r.meta, data)
			s.lanes[kind].repeats.add(sumOf(data))
		}
		for _, g := range gaps {
			if err := s.quarantine(file.path, g.from, b[g.from:g.to]); err != nil {
				return nil, err
			}
		}
	}
	return logs, nil
}

// add takes a record. Those of a chunk stand behind each other.
func (o *oldLog) add(m *meta, data []byte) {
	if n := len(o.chunks); n == 0 || o.chunks[n-1].number != m.number {
		o.chunks = append(o.chunks, &oldChunk{meta: meta{number: m.number}})
	}
	c := o.chunks[len(o.chunks)-1]
	c.content = append(c.content, data...)
	c.raw = uint32(len(c.content))
	c.first, c.last = around(c.first, c.last, m.first, m.last)
	c.arrived = max(c.arrived, m.arrived)
	c.requests += m.requests
	c.items += m.items
}

// recoverSegments reads the footers of all segments, several at a time, and merges them in their order.
func (l *lane) recoverSegments(files []numbered, logged map[uint64]*oldChunk) {
	turn := make(chan struct{}, runtime.GOMAXPROCS(0)+1)
	read := make([]chan loaded, len(files))
	for i := range read {
		read[i] = make(chan loaded, 1)
	}
	go func() {
		for i, file := range files {
			turn <- struct{}{}
			go func() { read[i] <- l.load(file, logged) }()
		}
	}()
	for i, file := range files {
		got := <-read[i]
		<-turn
		if errors.Is(got.err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		l.next = max(l.next, file.number+1)
		if got.err != nil {
			l.s.damaged.Add(1)
			l.s.log.Error("cannot read segment; its data is left out", "file", file.path, "error", got.err)
			continue
		}
		l.merge(got)
	}
}

// loaded is a segment that was read.
type loaded struct {
	*segment
	footers []*footer
	merge   func() // does it for all footers; nil when they have to be merged one by one
	err     error
}

// load reads the footers of one segment.
func (l *lane) load(file numbered, logged map[uint64]*oldChunk) (got loaded) {
	got.segment = &segment{path: file.path}
	f, err := os.Open(file.path)
	if err != nil {
		got.err = err
		return got
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		got.err = err
		return got
	}
	chunks, gaps, err := readChunks(f, info.Size(), l.kind)
	if err != nil {
		got.err = err
		return got
	}
	w := wreck{lane: l, f: f, file: file, size: info.Size(), chunks: chunks, gaps: gaps}
	if err := w.mend(logged); err != nil {
		got.err = err
		return got
	}
	chunks, got.size = w.chunks, w.size
	runs := make([]run, 0, len(chunks))
	for i, c := range chunks {
		got.chunks = append(got.chunks, &chunk{meta: c.meta, offset: c.offset})
		got.widen(&c.meta)
		runs = append(runs, newRun(c.hashes, i))
		c.hashes = nil
		got.footers = append(got.footers, c.footer)
	}
	got.runs = []run{mergeRuns(runs)}
	got.prepare(l)
	return got
}

// prepare has the Summary read the footers ahead of its turn, if it can.
func (got *loaded) prepare(l *lane) {
	p, ok := l.s.o.Summary.(Preparer)
	if !ok || l.kind != Traces || slices.ContainsFunc(got.footers, func(f *footer) bool { return !f.summed }) {
		return
	}
	var unpacked []byte
	whole := true
	merge, err := p.Prepare(func(yield func([]byte) bool) {
		for _, f := range got.footers {
			summary := f.summary
			if f.packed {
				var err error
				if unpacked, err = l.s.decoder().DecodeAll(f.summary, unpacked[:0]); err != nil {
					whole = false
					return
				}
				summary = unpacked
			}
			if !yield(summary) {
				return
			}
		}
	})
	if err == nil && whole {
		got.merge, got.footers = merge, nil
	}
}

// merge takes a segment that was read into the view, and tells the Summary.
func (l *lane) merge(got loaded) {
	if len(got.chunks) == 0 {
		if got.size == 0 && !l.s.readOnly {
			os.Remove(got.path)
		}
		return
	}
	r := reader{s: l.s, seg: got.segment}
	defer r.close()
	for i, c := range got.chunks {
		l.counts.add(&c.meta, 1)
		l.next = max(l.next, c.number+1)
		if l.summed() && got.merge == nil {
			l.summarize(&r, c, got.footers[i])
		}
	}
	if got.merge != nil {
		got.merge()
	}
	l.segmentBytes.Add(got.size)
	v := *l.view.Load()
	v.segments = append(v.segments, got.segment)
	l.view.Store(&v)
}

// summarize gives the Summary what it said of a chunk, or the chunk's spans when it did not, or does not know it any more.
func (l *lane) summarize(r *reader, c *chunk, f *footer) {
	f.unpackSummary(l.s.codec)
	if f.summed {
		err := l.mergeSummary(c, f)
		if err == nil {
			return
		}
		l.s.log.Warn("cannot merge summary of a chunk; the chunk is read", "file", r.seg.path, "offset", c.offset, "error", err)
	}
	if data, _ := r.load(c); data != nil {
		l.replay(data, &c.meta)
		l.sealed()
	}
}

func (l *lane) mergeSummary(c *chunk, f *footer) error {
	if l.digest != nil {
		return l.digest.Merge(c.number, f.summary)
	}
	return l.s.o.Summary.Merge(f.summary)
}

// summed reports whether there is somebody who wants to know what is in the chunks.
func (l *lane) summed() bool { return l.digest != nil || l.kind == Traces && l.s.o.Summary != nil }

// replay gives what is in a chunk to the Digest or the Summary.
func (l *lane) replay(data []byte, m *meta) {
	if l.digest != nil {
		l.digest.Add(l.digest.Read(data), m.number, m.arrived)
		return
	}
	var i uint32
	_ = otlp.WalkTrusted(data, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		l.s.o.Summary.Add(r, sc, s, Ref{m.number, i})
		i++
		return nil
	})
}

// recoverLog makes pending chunks of those in a log that are in no segment.
func (l *lane) recoverLog(o *oldLog) error {
	l.next = max(l.next, o.number+1)
	log := &openLog{appender: appender{path: o.path, size: o.size}}
	for _, c := range o.chunks {
		l.next = max(l.next, c.number+1)
		if !c.sealed {
			log.live++
			l.adopt(c, log)
		}
	}
	if log.live > 0 {
		l.logBytes.Add(o.size)
		return nil
	}
	if l.s.readOnly || o.unread {
		return nil
	}
	return os.Remove(o.path)
}

// adopt makes a pending chunk of one that was found in a log.
func (l *lane) adopt(c *oldChunk, log *openLog) {
	p := &pending{chunk: &chunk{meta: c.meta}, content: c.content, log: log}
	q := l.read(c.content)
	p.hashes, p.items = slices.Clone(q.hashes), q.items
	q.release()
	if l.summed() {
		l.replay(c.content, &p.meta)
		p.summary, p.summed = l.sealed()
	}
	l.s.recovered += int64(c.requests)
	l.counts.add(&p.meta, 1)
	v := *l.view.Load()
	v.pending = append(v.pending, p)
	l.view.Store(&v)
}

// read reads requests of the lane's kind, without the spans themselves.
func (l *lane) read(data []byte) *request {
	if l.kind == Traces {
		return newTraces(data, false)
	}
	q := newOther(data)
	q.read(l.digest)
	return q
}

// quarantine keeps bytes that belong to no whole chunk, for a person to look at, and says so.
func (s *Store) quarantine(path string, offset int64, b []byte) error {
	if s.readOnly {
		return nil
	}
	dir := filepath.Join(s.dir, "quarantine")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to := filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(path), offset))
	if err := os.WriteFile(to, b, 0o600); err != nil {
		return err
	}
	s.torn.Add(int64(len(b)))
	s.log.Warn("moved bytes of no whole chunk away", "file", path, "offset", offset, "bytes", len(b), "to", to)
	return nil
}
