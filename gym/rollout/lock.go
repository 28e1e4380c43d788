package rollout

import (
	"errors"
	"os"

	"github.com/lensgo/lens/gym/internal/filelock"
)

// tryLock takes the file for this process, or gives errLocked.
func tryLock(f *os.File) error {
	err := filelock.Try(f)
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return errLocked
	case errors.Is(err, errors.ErrUnsupported):
		return nil // a file system without locks must not keep anyone from working: two collectors are then the user's to avoid
	}
	return err
}
