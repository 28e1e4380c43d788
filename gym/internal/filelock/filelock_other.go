//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }

func try(*os.File) error { return errors.ErrUnsupported }

func tryShared(*os.File) error { return errors.ErrUnsupported }
