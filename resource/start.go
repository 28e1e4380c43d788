package resource

import (
	"fmt"
	"time"
)

// ProcessStart returns when this process began: before main, before package initialisation, and before what exec'd it had
// loaded it. It is what the span of a program's start-up begins with.
//
// On Linux it is read from /proc, to a hundredth of a second; on Windows the system is asked. Elsewhere it is an error that
// wraps [errors.ErrUnsupported]: what a program can see by itself there is later than its beginning by an unknown time. The
// time has no monotonic part.
func ProcessStart() (time.Time, error) {
	start, err := processStart()
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot find out when this process began: %w", err)
	}
	return start, nil
}
