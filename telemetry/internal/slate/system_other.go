//go:build !linux && !darwin

package slate

import (
	"errors"
	"os"
)

const supported = false

func mapFile(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return errors.ErrUnsupported }

func reserve(*os.File, int64, int64) error { return errors.ErrUnsupported }

func thisBoot() boot { return boot{} }
