//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package spool

import (
	"errors"
	"fmt"
	"os"
)

var errHeld = errors.New("another process holds it")

// lockFile fails: without locks that end with their process nobody could tell what a dead one has left.
func lockFile(path string) (*os.File, error) {
	return nil, fmt.Errorf("cannot lock %s: %w on this system", path, errors.ErrUnsupported)
}

func private(os.FileInfo) bool { return true }

// held cannot be told without locks.
func held(string) bool { return false }

// writable is found out by writing.
func writable(string) error { return nil }
