//go:build !linux && !windows

package resource

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

func processStart() (time.Time, error) {
	return time.Time{}, fmt.Errorf("%s: %w", runtime.GOOS, errors.ErrUnsupported)
}
