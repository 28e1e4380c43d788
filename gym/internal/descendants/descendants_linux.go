package descendants

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Adopt makes this process the parent of what its descendants leave behind, so that nothing gets out of its sight.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot adopt what other processes leave behind: %w", err)
	}
	return nil
}

// Kill kills those that there are at this moment, and waits for none.
func Kill() {
	for _, pid := range of(os.Getpid()) {
		_ = unix.Kill(pid, unix.SIGKILL) // it may be gone already
	}
}

// End kills and reaps all until there is none: what is killed cannot start more, and what its death orphans comes to this process,
// which must have called [Adopt]. It takes the end of every child away from whoever else waits for one.
func End() {
	for {
		Kill()
		if _, err := unix.Wait4(-1, nil, 0, nil); err == unix.ECHILD {
			return
		}
	}
}

// of lists the processes below one, from /proc. Those that have ended and are not reaped yet are among them: somebody may just have
// been seen as the child of one.
func of(root int) (all []int) {
	kids := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // fails on a bad pattern only
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // pid (name) state parent ...; the name may hold anything
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			kids[parent] = append(kids[parent], pid)
		}
	}
	for queue := kids[root]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, kids[queue[0]]...)
	}
	return all
}
