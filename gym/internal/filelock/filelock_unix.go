//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func try(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

func tryShared(f *os.File) error { return flock(f, syscall.LOCK_SH|syscall.LOCK_NB) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return meaning(err)
		}
	}
}

// meaning says in one way what systems say in several.
func meaning(err error) error {
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK): // NFS without its lock daemon gives the latter
		return errors.ErrUnsupported
	}
	return err
}
