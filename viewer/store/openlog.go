package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// file is what the store asks of a file that it writes to.
type file interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// newFile and syncFolder are createFile and syncDir, but in tests of disks that fail.
var (
	newFile    = createFile
	syncFolder = syncDir
)

// createFile makes a file that must not be there yet.
func createFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

// appender is a file that gets whole records or nothing.
type appender struct {
	path string
	f    file
	size int64
	torn bool // a part of a record is behind size
	// dirty is set by whoever appends and cleared by whoever syncs, which are not always the same goroutine.
	dirty atomic.Bool
}

// openLog is a file of requests as they came, each in a frame of its own, with a footer. It has those of a few chunks, each
// whole, and goes when all of them are safe in segments: to make and remove a file for each chunk would take longer than to
// compress it.
type openLog struct {
	appender
	live int // chunks that are not safe in a segment; guarded by the lane's lock
}

// maxLog is the size at which a log gets no more chunks, less where segments are smaller.
const maxLog = 4 << 20

// append writes one record, or nothing.
func (a *appender) append(record []byte) error {
	if err := a.takeBack(); err != nil {
		return err
	}
	n, err := a.f.Write(record)
	if err == nil && n < len(record) {
		err = io.ErrShortWrite
	}
	if err == nil {
		a.size += int64(n)
		a.dirty.Store(true)
		return nil
	}
	a.torn = n > 0
	return errors.Join(fmt.Errorf("cannot write %d bytes to %s: %w", len(record), a.path, err), a.takeBack())
}

// takeBack removes the part of a record that a failed write left. While it fails nothing else is written.
func (a *appender) takeBack() error {
	if !a.torn {
		return nil
	}
	if err := a.f.Truncate(a.size); err != nil {
		return fmt.Errorf("cannot cut torn record of %s: %w", a.path, err)
	}
	a.torn = false
	return nil
}

// sync makes durable what was appended before.
func (a *appender) sync() error {
	if a.f == nil || !a.dirty.Swap(false) {
		return nil
	}
	if err := a.f.Sync(); err != nil {
		a.dirty.Store(true)
		return fmt.Errorf("cannot sync %s: %w", a.path, err)
	}
	return nil
}

func (a *appender) close() error {
	if a.f == nil {
		return nil
	}
	err := a.f.Close()
	a.f = nil
	return err
}
