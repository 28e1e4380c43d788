package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/telemetry/internal/slate"
)

// Names of the segment that a slate becomes.
const (
	slateSegment      = "slate" + segmentSuffix // behind those with numbers
	slateSegmentEarly = unfinished + "slate"
)

// Request is one that was made of notes which a process had on its slate when it ended.
type Request struct {
	Items     int
	Truncated int // of these, what had not ended
	Tried     bool
	Body      []byte
}

// Slate makes the slate of this process. Its files are in the process's folder, and beyond MaxBytes. It is the caller's to close,
// before the spool; what it leaves there then the next process takes over.
func (s *Spool) Slate(most int64) (*slate.Slate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosedSpool
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	return slate.Create(s.own.path, most)
}

// takeSlate makes a segment of the slate in a folder whose process is gone. The segment gets its name when it is whole, and the
// slate goes after that, so whoever is killed here sends nothing twice.
func (s *Spool) takeSlate(f *folder) error {
	if s.options.Requests == nil || !slate.Exists(f.path) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(f.path, slateSegment)); err == nil {
		return slate.Remove(f.path)
	}
	content, err := slate.Load(f.path)
	if err != nil {
		return err
	}
	requests := s.options.Requests(content)
	if err := writeRequests(f.path, requests); err != nil {
		return err
	}
	if n := content.Damaged; n > 0 {
		s.stats.TakenOver.Kept += uint64(n)
		s.stats.TakenOver.Damaged += uint64(n)
		s.options.Log.Warn("telemetry: what a process had in memory when it ended is damaged in part, and that is lost", "folder", f.path, "items", n)
	}
	for _, r := range requests {
		s.stats.Truncated += uint64(r.Truncated)
	}
	return slate.Remove(f.path)
}

// writeRequests writes a segment as a whole, on the disk itself.
func writeRequests(dir string, requests []Request) error {
	if len(requests) == 0 {
		return nil
	}
	early := filepath.Join(dir, slateSegmentEarly)
	if err := os.Remove(early); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	seg, err := createSegment(early)
	if err != nil {
		return err
	}
	for _, r := range requests {
		st := waiting
		if r.Tried {
			st = tried
		}
		if _, err = seg.append(uint32(r.Items), r.Body, st); err != nil {
			break
		}
	}
	if err == nil {
		err = seg.file.Sync()
	}
	if err = errors.Join(err, seg.close()); err != nil {
		return errors.Join(err, os.Remove(early))
	}
	return errors.Join(os.Rename(early, filepath.Join(dir, slateSegment)), slate.SyncFolders(dir))
}
