package slate

import (
	"crypto/sha256"
	"os"
	"sync"
	"syscall"
)

// reserve makes the file larger.
func reserve(f *os.File, offset, size int64) error { return f.Truncate(offset + size) }

// thisBoot is the run of the system that this process is in.
var thisBoot = sync.OnceValue(func() (b boot) {
	text, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return b
	}
	sum := sha256.Sum256([]byte(text))
	copy(b[:], sum[:])
	return b
})
