package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lensgo/lens/telemetry/internal/slate"
)

// Left is what a spool holds for one destination.
type Left struct {
	Destination Destination
	Dir         string
	Items       uint64 // that wait, those of living processes among them, and what killed ones had noted
	Bytes       int64  // of files
	Living      int    // processes that keep something there now
	Unread      int    // segments that cannot be read
}

// Look says what the spool under root holds, and changes nothing there. Where there is no such folder it holds nothing. What keeps
// it from being used as a spool is an error.
func Look(root string) (all []Left, err error) {
	if err := check(root); err != nil {
		return nil, fmt.Errorf("cannot use the spool: %w", err)
	}
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if d, ok := ReadDestination(dir); ok {
			all = append(all, lookInto(dir, d))
			err = errors.Join(err, checkPrivate(dir))
		}
	}
	return all, err
}

// check refuses a root that cannot be a spool. Of one that is not there, the folder in which it will be made counts.
func check(root string) error {
	err := checkPrivate(root)
	if err == nil {
		return writable(root)
	}
	for dir := root; errors.Is(err, fs.ErrNotExist); {
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		if _, err = os.Stat(parent); err == nil {
			return writable(parent)
		}
		dir = parent
	}
	return err
}

// ReadDestination reads the note in the folder of one. It is none without a note.
func ReadDestination(dir string) (d Destination, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, destinationFile))
	if err != nil || json.Unmarshal(text, &d) != nil {
		return d, false
	}
	d.Key = filepath.Base(dir)
	return d, true
}

// lookInto counts what the folder of a destination holds.
func lookInto(dir string, d Destination) Left {
	l := Left{Destination: d, Dir: dir}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what goes away meanwhile is not there
		}
		if info, err := e.Info(); err == nil {
			l.Bytes += info.Size()
		}
		switch {
		case e.Name() == lockName && held(path):
			l.Living++
		case strings.HasSuffix(e.Name(), segmentSuffix):
			l.count(path)
		}
		return nil
	})
	folders, _ := processes(dir)
	for _, path := range folders {
		l.countSlate(path)
	}
	return l
}

// countSlate adds what a process had noted that was killed. That of a living one is in its memory too.
func (l *Left) countSlate(dir string) {
	if held(filepath.Join(dir, lockName)) || !slate.Exists(dir) {
		return
	}
	if _, err := os.Lstat(filepath.Join(dir, slateSegment)); err == nil {
		return // its notes are there
	}
	content, err := slate.Load(dir)
	if err != nil {
		l.Unread++
		return
	}
	for _, n := range content.Notes {
		if n.State != slate.Shared {
			l.Items++
		}
	}
}

// count adds the items of a segment.
func (l *Left) count(path string) {
	seg, _, err := openSegment(path)
	switch {
	case err == nil:
		l.Items += seg.left()
	case !errors.Is(err, fs.ErrNotExist):
		l.Unread++
	}
}
