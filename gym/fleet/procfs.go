package fleet

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// procfs reads the memory of processes from the files of Linux; it is where they are, "/proc".
type procfs string

// usage is the memory of some processes, in bytes. pss is below 0 when it is not known of all of them.
type usage struct {
	processes int
	rss, pss  int64
}

// tree is what a process and all below it use; zeros when it is gone.
func (fs procfs) tree(root int) (u usage) {
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		rss, pss, ok := fs.process(queue[0])
		if !ok {
			continue // it has ended meanwhile
		}
		u.processes++
		u.rss += rss
		if pss < 0 || u.pss < 0 {
			u.pss = -1
		} else {
			u.pss += pss
		}
		queue = append(queue, fs.children(queue[0])...)
	}
	return u
}

// children lists the processes that the threads of one have started.
func (fs procfs) children(pid int) (pids []int) {
	lists, _ := filepath.Glob(fs.path(pid, "task", "*", "children")) // fails on a bad pattern only
	for _, path := range lists {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for field := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// process reads one process: its smaps_rollup, which also has its share of what several use, else its statm, which anybody may
// read.
func (fs procfs) process(pid int) (rss, pss int64, ok bool) {
	if text, err := os.ReadFile(fs.path(pid, "smaps_rollup")); err == nil {
		rss, okRSS := kilobytes(text, "Rss:")
		pss, okPSS := kilobytes(text, "Pss:")
		if okRSS && okPSS {
			return rss, pss, true
		}
	}
	text, err := os.ReadFile(fs.path(pid, "statm"))
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), -1, err == nil
}

func (fs procfs) path(pid int, names ...string) string {
	return filepath.Join(append([]string{string(fs), strconv.Itoa(pid)}, names...)...)
}

// host is what the machine has.
func (fs procfs) host() (total, available int64, ok bool) {
	text, err := os.ReadFile(filepath.Join(string(fs), "meminfo"))
	if err != nil {
		return 0, 0, false
	}
	total, okTotal := kilobytes(text, "MemTotal:")
	available, okAvailable := kilobytes(text, "MemAvailable:")
	return total, available, okTotal && okAvailable
}

// kilobytes returns the number of a line "Key:   123 kB", in bytes.
func kilobytes(text []byte, key string) (int64, bool) {
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) < 2 || string(fields[0]) != key {
			continue
		}
		n, err := strconv.ParseInt(string(fields[1]), 10, 64)
		return n << 10, err == nil
	}
	return 0, false
}
