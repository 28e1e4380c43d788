package slate

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
)

// reserve takes room on the disk for a part of a file. Where the file system has no such thing, the file only grows.
func reserve(f *os.File, offset, size int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), 0, offset, size)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
			return f.Truncate(offset + size)
		default:
			return err
		}
	}
}

// thisBoot is the run of the system that this process is in.
var thisBoot = sync.OnceValue(func() (b boot) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return b
	}
	id, _ := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(text)), "-", ""))
	copy(b[:], id)
	return b
})
