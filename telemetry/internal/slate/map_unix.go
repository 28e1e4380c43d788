//go:build linux || darwin

package slate

import (
	"os"
	"syscall"
)

const supported = true

// mapFile maps a part of a file, so that what is written there is the kernel's at once.
func mapFile(f *os.File, offset int64, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), offset, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func unmap(mem []byte) error { return syscall.Munmap(mem) }
