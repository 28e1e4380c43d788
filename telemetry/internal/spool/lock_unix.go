//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package spool

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errHeld is what a lock is that another process has.
var errHeld = errors.New("another process holds it")

// lockFile opens a file and takes its lock, which goes when the file is closed or the process ends. Children do not inherit it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errHeld
	}
	return nil, errors.Join(fmt.Errorf("cannot lock %s: %w", path, err), f.Close())
}

// private reports whether only this user can get at what the file is.
func private(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o077 == 0 && (!ok || int(s.Uid) == os.Geteuid())
}

// held reports whether a living process has the lock of a file.
func held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// writable refuses a folder in which this user can make nothing.
func writable(dir string) error {
	const write = 2
	if err := syscall.Access(dir, write); err != nil {
		return fmt.Errorf("cannot write into %s: %w", dir, err)
	}
	return nil
}
