// Package meter reads what the kernel knows of a process: the CPU time that it used and the memory that it holds. Linux only.
//
//	before, err := meter.CPU(pid)
//	...
//	after, err := meter.CPU(pid) // after - before is what its threads worked, whatever else the machine did
package meter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// CPU is what all threads of a process have used, user and system. It is the same count as in /proc/PID/stat, but from the
// process's own clock: to the nanosecond instead of the hundredth of a second.
func CPU(pid int) (time.Duration, error) {
	var t unix.Timespec
	const scheduled = 2 // CPUCLOCK_SCHED
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0, fmt.Errorf("cannot read CPU time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// Memory is what of a process is in memory, in bytes.
type Memory struct {
	RSS, Peak int64
}

// MemoryOf reads /proc/PID/status.
func MemoryOf(pid int) (m Memory, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, fmt.Errorf("cannot read memory of process %d: %w", pid, err)
	}
	for _, f := range []struct {
		name string
		to   *int64
	}{{"VmRSS:", &m.RSS}, {"VmHWM:", &m.Peak}} {
		_, rest, ok := bytes.Cut(b, []byte("\n"+f.name))
		number, _, ok2 := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" kB"))
		n, err := strconv.ParseInt(string(number), 10, 64)
		if !ok || !ok2 || err != nil {
			return m, fmt.Errorf("cannot read memory of process %d: no %s in its status", pid, f.name)
		}
		*f.to = n << 10
	}
	return m, nil
}

// A process is quiet when it uses less than a fiftieth of a core for so long.
const (
	quietFor   = 50 * time.Millisecond
	quietShare = 50
)

// Quiet waits until a process has finished what it does on its own, and returns its CPU time as of then. After most it gives up
// waiting, which is no error: something else keeps the process busy.
func Quiet(ctx context.Context, pid int, most time.Duration) (time.Duration, error) {
	last, err := CPU(pid)
	if err != nil {
		return 0, err
	}
	end := time.Now().Add(most)
	for time.Now().Before(end) {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(quietFor):
		}
		now, err := CPU(pid)
		if err != nil {
			return 0, err
		}
		if now-last < quietFor/quietShare {
			return now, nil
		}
		last = now
	}
	return last, nil
}

// Disk is the size of the files in a folder and below.
func Disk(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return ignoreGone(err)
	})
	if err != nil {
		return 0, fmt.Errorf("cannot measure folder: %w", err)
	}
	return n, nil
}

// ignoreGone passes over files that were removed meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Forget asks the kernel to drop a folder's files from the page cache, so that the next reader gets them from the disk. What is not
// on disk yet is written first.
func Forget(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range files {
		if e.Type().IsRegular() {
			if err := forget(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("cannot drop a file from the page cache: %w", err)
			}
		}
	}
	return nil
}

func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
