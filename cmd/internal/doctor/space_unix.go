//go:build linux || darwin

package doctor

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// freeBytes is what a user may still write on the disk of a folder, or of the one in which it will be made.
func freeBytes(dir string) (free int64, ok bool) {
	for {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err == nil {
			return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // a block size has other types on other systems
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return 0, false
		}
		dir = parent
	}
}
