//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package capture

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the file for this process, as long as it takes; writers hold it for one line. The lock ends when the file is
// closed.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
			return nil // a file system without locks must not keep anyone from working
		}
		return err
	}
}
