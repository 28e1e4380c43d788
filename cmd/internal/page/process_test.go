//go:build unix

package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// commandLines lists the children of a process with their arguments.
func commandLines(parent int) map[int][]string {
	found := map[int][]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // a process that has ended meanwhile is no child
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) < 2 || f[1] != strconv.Itoa(parent) {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		found[pid] = strings.Split(string(args), "\x00")
	}
	if len(stats) > 0 {
		return found
	}
	out, _ := exec.Command("ps", "-axo", "pid=,ppid=,args=").Output() // systems without /proc
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 2 && f[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(f[0])
			found[pid] = f[2:]
		}
	}
	return found
}
