package local

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// await waits for a child, and for those on the way that lost their parents: what has ended still counts as a process until
// it is waited for.
func await(child int) (status unix.WaitStatus, err error) {
	for {
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == child || err != nil && err != unix.EINTR {
			return status, err
		}
	}
}

// killNamespace kills all processes of the namespace that the calling one is the first of.
func killNamespace() {
	_ = unix.Kill(-1, unix.SIGKILL) // there may be none
}

// endNamespace does that and waits until they are gone.
func endNamespace() {
	killNamespace()
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// killDescendants kills what is below the calling process at this moment.
func killDescendants() {
	for _, pid := range descendants(os.Getpid()) {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// endDescendants kills everything below the calling process, which adopts what loses its parent, until there is nothing.
func endDescendants() {
	for {
		found := descendants(os.Getpid())
		killDescendants()
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 && err != unix.EINTR {
				break
			}
		}
		if len(found) == 0 {
			return
		}
	}
}

// descendants lists the living processes below pid, from /proc.
func descendants(pid int) []int {
	entries, _ := os.ReadDir("/proc")
	children := make(map[int][]int)
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent ...; the name may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 || len(fields[0]) != 1 || fields[0][0] == 'Z' {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			children[parent] = append(children[parent], child)
		}
	}
	var below []int
	for next := children[pid]; len(next) > 0; {
		below = append(below, next...)
		var after []int
		for _, p := range next {
			after = append(after, children[p]...)
		}
		next = after
	}
	return below
}
