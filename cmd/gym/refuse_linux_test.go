package main_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// refuseWrite has the system refuse to let the files of a process grow until it has refused a line of this one, as a full disk or a quota
// does. There is room for one byte of the line, which the process is seen to write and to take back. The refusal stood at most as long as
// is returned.
func refuseWrite(t *testing.T, pid int, path string) (stood time.Duration) {
	t.Helper()
	began := time.Now()
	all := fileLimit(t, pid, nil)
	small := all
	small.Cur = 1
	fileLimit(t, pid, &small)
	defer func() {
		fileLimit(t, pid, &all)
		stood = time.Since(began)
	}()
	info, err := os.Stat(path) // it does not grow any more
	if err != nil {
		t.Fatal(err)
	}
	changes := watchFile(t, path)
	small.Cur = uint64(info.Size()) + 1
	fileLimit(t, pid, &small)
	if _, err := changes.Read(make([]byte, 1024)); err != nil {
		t.Fatalf("no write to %s was refused: %v", path, err)
	}
	return 0 // it is known when the limit is back
}

// fileLimit gives the limit of file sizes that a process has, and sets another one.
func fileLimit(t *testing.T, pid int, set *syscall.Rlimit) (was syscall.Rlimit) {
	t.Helper()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(&was)), 0, 0)
	if errno != 0 && !(set != nil && errors.Is(errno, syscall.ESRCH)) { // one that has ended needs no limit
		t.Fatalf("cannot limit the file sizes of process %d: %v", pid, errno)
	}
	return was
}

// watchFile is read from when a file is written to or cut.
func watchFile(t *testing.T, path string) *os.File {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { f.Close() })
	if _, err := syscall.InotifyAddWatch(fd, path, syscall.IN_MODIFY); err != nil {
		t.Fatal(err)
	}
	if err := f.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return f
}
