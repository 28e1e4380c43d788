package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lensgo/lens/telemetry/internal/slate"
)

// Limits of a segment. The oldest is dropped as a whole when the spool is full, so it is a small part of the spool.
const (
	leastSegment = 64 << 10
	mostSegment  = 16 << 20
)

// Options size a spool.
type Options struct {
	// MaxBytes bounds the files of one destination that this process holds; 0 is DefaultBytes. The oldest records go first.
	MaxBytes int64
	// Log takes what must be said: records that are damaged, folders that cannot be read. Nil is slog.Default().
	Log *slog.Logger
	// Requests makes requests of what processes that are gone had on their slates. Nil leaves slates where they are.
	Requests func(slate.Content) []Request
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Spool is what waits for one destination. Its methods are safe for concurrent use.
type Spool struct {
	options     Options
	destination Destination
	root, dir   string

	mu       sync.Mutex
	own      *folder  // nil until there is something to keep
	segments []*owned // oldest first; the last may be open for records
	number   int      // of the next segment
	bytes    int64
	stats    Stats
	moved    bool // there is a segment that the folder may not have on the disk itself
	closed   bool
}

// owned is a segment and what became of it.
type owned struct {
	*segment
	takenOver  bool // another process wrote it
	gone       bool // removed, or closed with the spool
	overflowed bool // removed for newer records
	damaged    bool // it was said
}

// Stats counts items, which are spans, data points or log records: those of this process, and those that it took over from
// processes that ended without sending them.
type Stats struct {
	Own, TakenOver Counts
	Truncated      uint64 // of what was taken over, what was on the slate of a process and had not ended
}

// Counts are those of one origin.
type Counts struct {
	Kept       uint64 // what came in
	Waiting    uint64 // they are on disk
	Overflowed uint64 // dropped because the spool was full
	Damaged    uint64 // dropped because the file was, or could not be read
}

// Open takes over what processes that are gone have left for a destination under root. Nothing is made there before something
// is kept: a program whose collector never fails leaves no trace of a spool.
func Open(root string, d Destination, o Options) (*Spool, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Spool{options: o, destination: d, root: root, dir: filepath.Join(root, d.Key)}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("cannot open the spool: %w", err)
	}
	return s, nil
}

// check refuses what is there and cannot be a spool, and takes over what is left in it.
func (s *Spool) check() error {
	for _, dir := range []string{s.root, s.dir} {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := makePrivate(dir); err != nil {
			return err
		}
	}
	left, err := processes(s.dir)
	if err != nil || len(left) == 0 {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.takeOver(left)
	return nil
}

// begin makes the folder of this process, if there is none yet. Another process may just tidy the destination away.
func (s *Spool) begin() (err error) {
	for range 3 {
		if s.own != nil {
			return nil
		}
		if s.own, err = s.newFolder(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func (s *Spool) newFolder() (*folder, error) {
	for _, dir := range []string{s.root, s.dir} {
		if err := makePrivate(dir); err != nil {
			return nil, err
		}
	}
	if err := s.destination.describe(s.dir); err != nil {
		return nil, err
	}
	return newFolder(s.dir, s.options.Now())
}

// takeOver moves what was left behind into the folder of this process. What cannot be taken is said, and no reason to have no
// spool.
func (s *Spool) takeOver(paths []string) {
	for _, path := range paths {
		if path == s.own.path {
			continue
		}
		if err := s.takeFolder(path); err != nil {
			s.options.Log.Warn("telemetry: cannot take over a folder of the spool", "folder", path, "error", err)
		}
	}
	s.dropOldest(0)
	if n := s.stats.TakenOver.Overflowed; n > 0 {
		s.options.Log.Warn("telemetry: more is left in the spool than it may hold, and the oldest is dropped", "folder", s.dir, "items", n)
	}
}

// takeFolder does that with one folder.
func (s *Spool) takeFolder(path string) error {
	left, err := take(path)
	if left == nil {
		return err
	}
	if err := s.takeSlate(left); err != nil {
		return errors.Join(err, left.close())
	}
	paths, err := left.segments()
	for _, p := range paths {
		s.takeSegment(p)
	}
	return errors.Join(err, left.close())
}

// takeSegment does it with one segment.
func (s *Spool) takeSegment(path string) {
	seg, lost, err := openSegment(path)
	if err != nil {
		s.options.Log.Warn("telemetry: a file of the spool cannot be read and is left alone", "file", path, "error", err)
		return
	}
	if lost > 0 {
		s.options.Log.Warn("telemetry: the end of a file of the spool is damaged, as after a power cut; what stands before it is sent",
			"file", path, "bytes", lost)
	}
	seg.path = s.nextPath()
	if err := os.Rename(path, seg.path); err != nil {
		s.options.Log.Warn("telemetry: cannot take over a file of the spool", "file", path, "error", err)
		return
	}
	items := seg.left()
	s.stats.TakenOver.Kept += items
	s.stats.TakenOver.Waiting += items
	s.bytes += seg.size
	s.moved = true
	s.segments = append(s.segments, &owned{segment: seg, takenOver: true})
	s.sweep()
}

// nextPath names the next segment.
func (s *Spool) nextPath() string {
	s.number++
	return filepath.Join(s.own.path, fmt.Sprintf("%08d%s", s.number, segmentSuffix))
}

// segmentSize is when the next segment begins.
func (s *Spool) segmentSize() int64 {
	return min(max(s.options.MaxBytes/16, leastSegment), mostSegment)
}

var errClosedSpool = errors.New("the spool is closed")

// Append keeps a body of so many items. With mayHaveArrived it was already sent once, without an answer. The entry that is
// returned marks it later.
func (s *Spool) Append(items int, body []byte, mayHaveArrived bool) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosedSpool
	}
	size := int64(headerSize + len(body))
	if most := min(s.options.MaxBytes, MostBody); size+int64(len(magic)) > most {
		return nil, fmt.Errorf("a request of %d bytes does not fit into a spool of %d", len(body), most)
	}
	s.dropOldest(size + int64(len(magic)))
	seg, err := s.current(size)
	if err != nil {
		return nil, fmt.Errorf("cannot write the spool: %w", err)
	}
	st := waiting
	if mayHaveArrived {
		st = tried
	}
	i, err := seg.append(uint32(items), body, st)
	if err != nil {
		s.sweep()
		return nil, fmt.Errorf("cannot write the spool: %w", err)
	}
	s.bytes += size
	s.stats.Own.Kept += uint64(items)
	s.stats.Own.Waiting += uint64(items)
	return &Entry{spool: s, segment: seg, index: i, Items: items, Tried: mayHaveArrived}, nil
}

// current is the segment that takes a record of a size.
func (s *Spool) current(size int64) (*owned, error) {
	if n := len(s.segments); n > 0 {
		last := s.segments[n-1]
		if !last.takenOver && last.size+size <= s.segmentSize() && !deleted(last.path) {
			return last, nil
		}
	}
	if s.own != nil && deleted(s.own.path) {
		_ = s.own.lock.Close() // there is nothing left that it would guard
		s.own = nil
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if err := s.destination.describe(s.dir); err != nil { // another process may have tidied it away since
		return nil, err
	}
	seg, err := createSegment(s.nextPath())
	if err != nil {
		return nil, err
	}
	s.moved = true
	s.bytes += seg.size
	o := &owned{segment: seg}
	s.segments = append(s.segments, o)
	return o, nil
}

// deleted reports whether somebody has removed what was there: a file that is open takes records all the same.
func deleted(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// dropOldest makes room.
func (s *Spool) dropOldest(size int64) {
	for len(s.segments) > 0 && s.bytes+size > s.options.MaxBytes {
		first := s.segments[0]
		items := first.left()
		c := s.counts(first)
		c.Overflowed += items
		c.Waiting -= items
		first.overflowed = true
		s.removeFirst()
	}
}

// counts are those that a segment belongs to.
func (s *Spool) counts(seg *owned) *Counts {
	if seg.takenOver {
		return &s.stats.TakenOver
	}
	return &s.stats.Own
}

// removeFirst deletes the oldest segment.
func (s *Spool) removeFirst() {
	first := s.segments[0]
	s.segments = s.segments[1:]
	s.bytes -= first.size
	first.gone = true
	if err := first.remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.options.Log.Warn("telemetry: cannot remove a file of the spool", "error", err)
	}
}

// sweep deletes the segments at the front that are done.
func (s *Spool) sweep() {
	for len(s.segments) > 0 && s.segments[0].over() {
		s.removeFirst()
	}
}

// Oldest returns the first entry that is not done, nil when there is none. A record that is damaged is dropped, counted and
// said.
func (s *Spool) Oldest() *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.segments) > 0 && !s.closed {
		seg := s.segments[0]
		if seg.over() {
			s.sweep()
			continue
		}
		i := seg.next
		r := seg.records[i]
		body, err := seg.body(i)
		if err == nil {
			return &Entry{spool: s, segment: seg, index: i, Items: int(r.items), Tried: r.state == tried, Body: body,
				TakenOver: seg.takenOver}
		}
		if errors.Is(err, errClosed) {
			s.leaveFirst(err)
			continue
		}
		if !seg.damaged {
			seg.damaged = true
			s.options.Log.Warn("telemetry: a record of the spool is damaged and lost; this is said once for a file, Stats counts",
				"items", r.items, "error", err)
		}
		s.counts(seg).Damaged += uint64(r.items)
		s.finish(seg, i)
	}
	return nil
}

// leaveFirst leaves the oldest segment to the next process.
func (s *Spool) leaveFirst(err error) {
	first := s.segments[0]
	items := first.left()
	s.options.Log.Warn("telemetry: a file of the spool is left to the next process", "items", items, "error", err)
	c := s.counts(first)
	c.Damaged += items
	c.Waiting -= items
	s.segments = s.segments[1:]
	s.bytes -= first.size
	first.gone = true
}

// finish marks a record as done.
func (s *Spool) finish(seg *owned, i int) {
	r := &seg.records[i]
	if r.state == done {
		return
	}
	c := s.counts(seg)
	if seg.gone {
		if seg.overflowed { // while it was on its way: it is not lost
			c.Overflowed -= uint64(r.items)
			r.state = done
		}
		return
	}
	c.Waiting -= uint64(r.items)
	if err := seg.mark(i, done); err != nil {
		s.options.Log.Warn("telemetry: cannot mark a record of the spool as sent; a later process may send it again", "error", err)
	}
	s.sweep()
}

// Empty reports whether nothing waits.
func (s *Spool) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.segments) == 0
}

// Stats returns the counts so far.
func (s *Spool) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Sync writes to the disk itself what a power cut would take. It does nothing when nothing was written since the last. A slow
// disk does not keep the other methods waiting.
func (s *Spool) Sync() error {
	s.mu.Lock()
	var files []*os.File
	for _, seg := range s.segments {
		if f := seg.unsynced(); f != nil {
			files = append(files, f)
		}
	}
	moved := s.moved && !s.closed
	s.moved = false
	s.mu.Unlock()
	return s.sync(files, moved)
}

func (s *Spool) sync(files []*os.File, moved bool) error {
	var errs []error
	for _, f := range files {
		if err := f.Sync(); !errors.Is(err, os.ErrClosed) { // what is removed by now needs none
			errs = append(errs, err)
		}
	}
	if moved {
		errs = append(errs, slate.SyncFolders(s.own.path, s.dir, filepath.Dir(s.dir)))
	}
	return errors.Join(errs...)
}

// Close writes everything out and gives the folder up. What waits is there for the next process.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.leaveDeleted()
	var errs []error
	for _, seg := range s.segments {
		if f := seg.unsynced(); f != nil {
			errs = append(errs, f.Sync())
		}
		errs = append(errs, seg.close())
		seg.gone = true
	}
	if s.moved && len(s.segments) > 0 {
		errs = append(errs, slate.SyncFolders(s.own.path, s.dir, filepath.Dir(s.dir)))
	}
	if s.own != nil {
		errs = append(errs, s.own.close())
		tidy(s.dir)
	}
	return errors.Join(errs...)
}

// leaveDeleted counts what waits in files that somebody has removed: no other process can send it.
func (s *Spool) leaveDeleted() {
	var kept []*owned
	items := uint64(0)
	for _, seg := range s.segments {
		if !deleted(seg.path) {
			kept = append(kept, seg)
			continue
		}
		n := seg.left()
		c := s.counts(seg)
		c.Damaged += n
		c.Waiting -= n
		items += n
		seg.gone = true
		_ = seg.close()
	}
	s.segments = kept
	if items > 0 {
		s.options.Log.Warn("telemetry: somebody has deleted files of the spool, and what waited in them is lost", "folder", s.dir, "items", items)
	}
}

// Dir is the folder of the destination.
func (s *Spool) Dir() string { return s.dir }
