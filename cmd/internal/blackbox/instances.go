package blackbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Instances gives the server processes that a run of gym has, by instance.
func Instances(t testing.TB, run int) map[string]int {
	t.Helper()
	all, err := children(run)
	if err != nil {
		t.Fatal(err)
	}
	pids := map[string]int{}
	for pid, args := range all {
		if i := slices.Index(args, "--instance"); i >= 0 && i+1 < len(args) {
			pids[args[i+1]] = pid
		}
	}
	return pids
}

// children lists the child processes of a process with their arguments: from /proc, or from ps where there is none.
func children(parent int) (map[int][]string, error) {
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
		found[pid] = strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
	}
	if len(stats) > 0 {
		return found, nil
	}
	out, err := exec.Command("ps", "-axo", "pid=,ppid=,args=").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list processes: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 2 && f[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(f[0])
			found[pid] = f[2:]
		}
	}
	return found, nil
}
