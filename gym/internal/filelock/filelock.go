// Package filelock takes the lock of an open file, so that processes of one machine do not write the same file at once.
//
// A lock is advisory: it keeps out only those that ask for it. It belongs to the open file and ends when that is closed, or with
// the process, however it ends; two files opened from one path in one process keep each other out as two processes do.
//
// Where a system or a file system has no locks, each function returns an error that is [errors.ErrUnsupported], and the caller
// says whether it can do without.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked says that somebody else holds a lock that excludes the one asked for.
var ErrLocked = errors.New("somebody else holds its lock")

// Lock takes the file for this holder alone, as long as that takes.
func Lock(f *os.File) error { return lock(f) }

// Try takes the file for this holder alone, or gives [ErrLocked] at once.
func Try(f *os.File) error { return try(f) }

// TryShared takes the file together with others that share it, or gives [ErrLocked] at once.
func TryShared(f *os.File) error { return tryShared(f) }
