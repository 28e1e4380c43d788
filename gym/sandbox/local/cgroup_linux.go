package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cgroup bounds a whole sandbox. nil is none.
type cgroup struct {
	dir *os.File
}

// hierarchy is the folder of the cgroup that this program is in, in the hierarchy of version 2; "" without one.
func hierarchy() string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return findHierarchy(string(own), string(mounts))
}

func findHierarchy(own, mounts string) string {
	path := ""
	for line := range strings.Lines(own) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			path = rest
		}
	}
	for line := range strings.Lines(mounts) {
		// id parent device root mountpoint options ... - type source options
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		below, err := filepath.Rel(fields[3], path)
		if err == nil && path != "" && below != ".." && !strings.HasPrefix(below, "../") {
			return filepath.Join(fields[4], below)
		}
	}
	return ""
}

// newCgroup makes a cgroup with bounds below own or beside it, whichever may be divided. Where neither may, it returns nil:
// then bounds are those of processes.
func newCgroup(own, name string, l limits) *cgroup {
	if own == "" {
		return nil
	}
	for _, above := range []string{own, filepath.Dir(own)} {
		given, err := os.ReadFile(filepath.Join(above, "cgroup.subtree_control"))
		if err != nil {
			continue
		}
		controllers := strings.Fields(string(given))
		if !slices.Contains(controllers, "memory") || !slices.Contains(controllers, "pids") ||
			l.CPU > 0 && !slices.Contains(controllers, "cpu") {
			continue
		}
		if g, err := makeCgroup(filepath.Join(above, name), l); err == nil {
			return g
		}
	}
	return nil
}

func makeCgroup(path string, l limits) (*cgroup, error) {
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil, err
	}
	const ours = 64 // threads of this package's own processes
	bounds := map[string]string{
		"memory.max": strconv.FormatInt(l.Memory, 10),
		"pids.max":   strconv.Itoa(l.Processes + ours),
	}
	if l.CPU > 0 {
		const period = 100_000 // microseconds
		bounds["cpu.max"] = fmt.Sprintf("%d %d", max(1000, int(l.CPU*period)), period)
	}
	var errs []error
	for file, text := range bounds {
		errs = append(errs, os.WriteFile(filepath.Join(path, file), []byte(text), 0o644))
	}
	_ = os.WriteFile(filepath.Join(path, "memory.swap.max"), []byte("0"), 0o644) // not every kernel counts swap
	dir, err := os.Open(path)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return &cgroup{dir: dir}, nil
}

// remove deletes the cgroup of a sandbox that has ended. The kernel takes a moment to see that it is empty.
func (g *cgroup) remove() error {
	if g == nil {
		return nil
	}
	path := g.dir.Name()
	g.dir.Close()
	_ = os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0o644) // there should be nothing to kill
	var err error
	for range 100 {
		if err = os.Remove(path); err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("cannot remove cgroup %s: %w", path, err)
}
