//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package rollout

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the file for this process, or gives errLocked. The lock ends when the file is closed, and with the
// process however it ends.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
			return nil // a file system without locks must not keep anyone from working
		}
		return err
	}
}
