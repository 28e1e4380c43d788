package store

import (
	"os"
	"syscall"
)

const errorSharingViolation = syscall.Errno(32)

// lockFile opens a file, made when it is not there, so that nobody else can open it for writing. The error is errLocked when
// somebody has.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == errorSharingViolation {
		return nil, errLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// isLocked reports whether somebody holds the lock of a file.
func isLocked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		f.Close()
		return false
	}
	return !os.IsNotExist(err)
}

// syncDir does nothing: there is no such thing here.
func syncDir(string) error { return nil }
