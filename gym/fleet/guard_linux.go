package fleet

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER.
const prSetChildSubreaper = 36

// adoptOrphans makes this process the parent of what its descendants leave behind, so that nothing gets out of sight.
func adoptOrphans() error {
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	if errno != 0 {
		return os.NewSyscallError("prctl", errno)
	}
	return nil
}

// guardedAttr gives the program a process group of its own, and kills it when its guard is killed.
func guardedAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killRest kills and reaps every descendant until there is none: what is killed cannot start more, and what its death
// orphans comes to this process.
func killRest(int) {
	for {
		all := descendants(os.Getpid())
		for _, pid := range all {
			syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may be gone already
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(-1, &status, 0, nil); err == syscall.ECHILD {
			return
		}
	}
}

// descendants lists the processes below one, from /proc.
func descendants(root int) (all []int) {
	kids := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name may hold anything
		if err != nil || len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		kids[parent] = append(kids[parent], pid)
	}
	for queue := kids[root]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, kids[queue[0]]...)
	}
	return all
}
