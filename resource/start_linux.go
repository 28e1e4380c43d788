package resource

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks a second, in which the kernel counts for programs. It is the same on every architecture that Go has.
const ticks = 100

// startField is where the process's beginning stands in /proc/<pid>/stat, counted from behind the name.
const startField = 19

func processStart() (time.Time, error) {
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}, err
	}
	read := time.Now().Round(0) // wall clock only
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return time.Time{}, err
	}
	return startOf(string(stat), string(uptime), read)
}

// startOf computes the beginning of a process from what /proc/<pid>/stat and /proc/uptime said at a time.
func startOf(stat, uptime string, read time.Time) (time.Time, error) {
	began, err := sinceBoot(stat)
	if err != nil {
		return time.Time{}, err
	}
	text, _, _ := strings.Cut(strings.TrimSpace(uptime), " ")
	up, err := strconv.ParseFloat(text, 64)
	if err != nil || !(up >= 0 && up < maxSeconds) {
		return time.Time{}, fmt.Errorf("/proc/uptime is %q; it must begin with the seconds since the host was started", clip(uptime))
	}
	age := time.Duration(up*float64(time.Second)) - began
	if age < -time.Second { // the two are read one after the other, in hundredths
		return time.Time{}, errors.New("/proc/uptime is less than this process is old: it is that of a container and not of the host")
	}
	return read.Add(-age), nil
}

// maxSeconds keeps what is read within a time.Duration: a century.
const maxSeconds = 100 * 365 * 24 * 3600

// sinceBoot reads from /proc/<pid>/stat when the process began.
func sinceBoot(stat string) (time.Duration, error) {
	end := strings.LastIndexByte(stat, ')') // the name before it may have blanks and parentheses
	fields := strings.Fields(stat[end+1:])
	if end < 0 || len(fields) <= startField {
		return 0, fmt.Errorf("/proc/self/stat is %q; it must have a name in parentheses and %d fields behind it", clip(stat), startField+1)
	}
	n, err := strconv.ParseInt(fields[startField], 10, 64)
	if err != nil || n < 0 || n > maxSeconds*ticks {
		return 0, fmt.Errorf("the start in /proc/self/stat is %q; it must be a number of clock ticks", clip(fields[startField]))
	}
	return time.Duration(n) * (time.Second / ticks), nil
}
