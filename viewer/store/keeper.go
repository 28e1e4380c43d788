package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// keeper is what the goroutine that seals has to itself in each lane.
type keeper struct {
	out   *appender  // the segment that grows
	stale []*openLog // one for each chunk that is in it, but perhaps not durably
	kept  []*openLog // of chunks that may never be durable: they stay for the next start
	buf   []byte
}

// keep seals chunks, syncs files and removes what is too much or too old. It is the only goroutine of a store, and the only
// one that writes segments and removes files.
func (s *Store) keep() {
	defer close(s.kept)
	timer := time.NewTimer(0) // of the next sync
	if !timer.Stop() {
		<-timer.C
	}
	armed := false
	ages := time.NewTicker(ageCheck)
	defer ages.Stop()
	if s.o.MaxAge == 0 {
		ages.Stop()
	}
	for {
		select {
		case <-s.full:
			s.sealAll()
		case <-s.dirty:
			if !armed {
				armed = true
				timer.Reset(s.o.SyncEvery)
			}
			continue
		case <-timer.C:
			armed = false
			s.sealAll() // what failed the last time
			s.syncAll()
		case <-ages.C:
		case <-s.stop:
			timer.Stop()
			s.sealAll()
			s.syncAll()
			s.closeFiles()
			return
		}
		s.retain()
	}
}

// ageCheck is how often the age of segments is looked at while nothing comes.
const ageCheck = time.Minute

// sealAll seals what is pending, a chunk of each lane in turn: none waits behind another that never ends.
func (s *Store) sealAll() {
	for more := true; more && !s.hurry.Load(); {
		more = false
		for _, l := range s.lanes {
			pending := l.view.Load().pending
			if len(pending) == 0 {
				continue
			}
			if err := l.seal(pending[0]); err != nil {
				s.fail("cannot seal chunk; it stays in its log, and is tried again", err)
				s.poke(s.dirty)
				continue
			}
			more = true
		}
		if time.Since(s.synced) >= s.o.SyncEvery {
			s.syncAll()
			s.retain()
		}
	}
}

// seal compresses a chunk into the segment that grows.
func (l *lane) seal(p *pending) error {
	l.buf = l.s.pack(p.content, l.buf[:0])
	p.frame, p.sum = uint32(len(l.buf)), checksum(l.buf)
	f := footer{meta: p.meta, kind: l.kind, hashes: p.hashes}
	if p.summed {
		f.setSummary(l.s.codec, p.summary)
	}
	l.buf = f.append(l.buf)
	if l.out == nil {
		if err := l.begin(p.number); err != nil {
			return err
		}
	}
	p.offset = l.out.size
	if err := l.out.append(l.buf); err != nil {
		return err
	}
	l.segmentBytes.Add(int64(len(l.buf)))
	p.data.Store(&p.content)
	l.publish(p)
	l.stale = append(l.stale, p.log)
	l.s.remember(p.chunk)
	if cap(l.buf) > 8<<20 {
		l.buf = nil
	}
	if l.out.size >= l.s.o.SegmentBytes || len(l.last().chunks) == maxChunks {
		l.finish()
	}
	return nil
}

// begin makes the file of a new segment. It has the number of its first chunk, but where a damaged one has that already.
func (l *lane) begin(number uint64) error {
	path := l.path(number, segmentSuffix)
	w, err := l.s.create(path)
	if errors.Is(err, os.ErrExist) {
		l.mu.Lock()
		path = l.path(l.next, segmentSuffix)
		l.next++
		l.mu.Unlock()
		w, err = l.s.create(path)
	}
	if err != nil {
		return fmt.Errorf("cannot begin segment: %w", err)
	}
	l.s.newFiles.Store(true)
	l.out = &appender{path: path, f: w}
	return nil
}

// publish moves the first pending chunk into its segment, for readers.
func (l *lane) publish(p *pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := *l.view.Load()
	v.pending = v.pending[1:]
	seg := &segment{path: l.out.path}
	segments := v.segments
	if last := v.last(); last != nil && last.path == l.out.path {
		*seg = *last
		segments = segments[:len(segments)-1]
	}
	seg.add(p.chunk, p.hashes)
	seg.size = l.out.size
	v.segments = append(slices.Clip(segments), seg)
	l.view.Store(&v)
	close(l.room)
	l.room = make(chan struct{})
}

// add appends a chunk. Copies of the segment made before do not see it.
func (g *segment) add(c *chunk, hashes []uint32) {
	if len(hashes) > 0 {
		g.runs = addRun(g.runs, newRun(hashes, len(g.chunks)))
	}
	g.chunks = append(g.chunks, c)
	g.widen(&c.meta)
}

func (g *segment) widen(m *meta) {
	g.first, g.last = around(g.first, g.last, m.first, m.last)
	g.arrived = max(g.arrived, m.arrived)
}

func (v *view) last() *segment {
	if len(v.segments) == 0 {
		return nil
	}
	return v.segments[len(v.segments)-1]
}

func (l *lane) last() *segment { return l.view.Load().last() }

// finish ends the segment that grows: it is full.
func (l *lane) finish() {
	if l.out == nil {
		return
	}
	l.syncOut()
	l.out.close()
	l.out = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	v := *l.view.Load()
	seg := *v.last()
	seg.runs = []run{mergeRuns(seg.runs)}
	v.segments = slices.Clone(v.segments)
	v.segments[len(v.segments)-1] = &seg
	l.view.Store(&v)
}

// syncAll makes durable what was taken until now, and removes the logs that are not needed any more.
func (s *Store) syncAll() {
	s.synced = time.Now()
	for _, l := range s.lanes {
		for _, log := range l.logs() {
			if err := log.sync(); err != nil {
				s.fail("cannot sync log; a power cut would lose it", err)
				s.poke(s.dirty)
			}
		}
		l.syncOut()
	}
	if s.newFiles.Swap(false) {
		if err := syncFolder(s.dir); err != nil {
			s.fail("cannot sync data folder; a power cut would lose new files", err)
		}
	}
}

// logs returns the logs of chunks that are in no segment.
func (l *lane) logs() (logs []*openLog) {
	for _, p := range l.view.Load().pending {
		logs = append(logs, p.log)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log != nil {
		logs = append(logs, l.log)
	}
	return slices.Compact(logs)
}

// syncOut makes the segment that grows durable, and removes the logs of its chunks.
func (l *lane) syncOut() {
	if l.out == nil {
		return
	}
	if err := l.out.sync(); err != nil {
		// What was not written may be gone, though the next sync succeeds.
		l.s.fail("cannot sync segment; the logs of its chunks stay for the next start", err)
		l.kept = append(l.kept, l.stale...)
		l.stale = l.stale[:0]
		return
	}
	if len(l.stale) > 0 && l.s.newFiles.Swap(false) { // the segment's name before the logs go
		if err := syncFolder(l.s.dir); err != nil {
			l.s.newFiles.Store(true)
			l.s.fail("cannot sync data folder; logs stay", err)
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, log := range l.stale {
		l.release(log)
	}
	l.stale = l.stale[:0]
}

// closeFiles closes what is open when the store is.
func (s *Store) closeFiles() {
	for _, l := range s.lanes {
		if l.out != nil {
			l.out.close()
		}
		for _, log := range slices.Concat(l.stale, l.kept, l.logs()) {
			log.close()
		}
	}
}

// remember keeps the newest chunks in memory, within bounds.
func (s *Store) remember(c *chunk) {
	s.recent = append(s.recent, c)
	s.recentBytes += int64(c.raw)
	for s.recentBytes > s.o.MemoryBytes && len(s.recent) > 0 {
		old := s.recent[0]
		old.data.Store(nil)
		s.recentBytes -= int64(old.raw)
		s.recent[0] = nil
		s.recent = s.recent[1:]
	}
}

// fail says a mistake of the keeper once, until it is another one.
func (s *Store) fail(what string, err error) {
	if text := what + err.Error(); text != s.failed {
		s.failed = text
		s.log.Error(what, "error", err)
	}
}
