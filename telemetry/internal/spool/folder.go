package spool

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lensgo/lens/telemetry/internal/slate"
)

// Names inside a spool.
const (
	destinationFile = "destination.json"
	lockName        = "lock"
	segmentSuffix   = ".seg"
	unfinished      = ".new-" // begins the name of a folder whose lock is not taken yet, or of a file that is not whole
)

// Destination is where the records of a spool go. Headers are no part of it but of its key: what was meant for one tenant
// must not be sent to another.
type Destination struct {
	Key    string `json:"-"`      // the name of its folder
	Signal string `json:"signal"` // traces, metrics or logs
	URL    string `json:"url"`    // without user and password
}

// folder is that of one process.
type folder struct {
	path string
	lock *os.File
}

// makePrivate makes a folder that only this user can look into, and refuses one that others can.
func makePrivate(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return checkPrivate(path)
}

// checkPrivate refuses what is no folder, or one that others can look into.
func checkPrivate(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || !private(info) {
		return fmt.Errorf("%s is not private to this user, and a spool holds attributes; it must be a folder of this user with mode 0700", path)
	}
	return nil
}

// describe leaves a note of the destination, for people and for lens recover.
func (d Destination) describe(dir string) error {
	path := filepath.Join(dir, destinationFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished) // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// newFolder makes that of this process. It gets its name when its lock is held, so that nobody takes it for one left behind.
func newFolder(dir string, now time.Time) (*folder, error) {
	var b [4]byte
	_, _ = rand.Read(b[:])
	name := fmt.Sprintf("%s-%d-%s", now.UTC().Format("20060102T150405.000000000"), os.Getpid(), hex.EncodeToString(b[:]))
	early := filepath.Join(dir, unfinished+name)
	if err := os.Mkdir(early, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(early, lockName))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(early))
	}
	f := &folder{path: filepath.Join(dir, name), lock: lock}
	if err := os.Rename(early, f.path); err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(early))
	}
	return f, nil
}

// close gives the folder up: with segments or a slate in it the next process takes it over, and with anything else it stays.
func (f *folder) close() error {
	names, err := f.segments()
	if err == nil && len(names) == 0 && !slate.Exists(f.path) {
		if err = os.Remove(filepath.Join(f.path, lockName)); errors.Is(err, fs.ErrNotExist) {
			err = nil // its owner removed it before we took it
		}
		_ = os.Remove(f.path)
	}
	return errors.Join(err, f.lock.Close())
}

// segments are the paths of its segments, oldest first.
func (f *folder) segments() ([]string, error) {
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentSuffix) {
			paths = append(paths, filepath.Join(f.path, e.Name()))
		}
	}
	return paths, nil
}

// processes are the folders of a destination, oldest first, those that are held among them.
func processes(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir) // by name, which begins with the time
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), unfinished) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// tidy removes the folder of a destination in which nothing is left. Who begins to use it meanwhile makes it again.
func tidy(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != destinationFile {
		return
	}
	_ = os.Remove(filepath.Join(dir, destinationFile))
	_ = os.Remove(dir)
}

// take takes a folder when nobody holds it any more; else there is none.
func take(path string) (*folder, error) {
	lock, err := lockFile(filepath.Join(path, lockName))
	switch {
	case errors.Is(err, errHeld), errors.Is(err, fs.ErrNotExist): // its owner lives, or has just removed it
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &folder{path: path, lock: lock}, nil
}
