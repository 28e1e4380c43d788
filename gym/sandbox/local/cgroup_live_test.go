//go:build linux

package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

// newDivided makes a sandbox with a cgroup of its own, and finds the cgroup's folder. Where this program may divide none the test
// is skipped, in the gate too: only whoever runs it can give it one. What is written to a cgroup is tested everywhere.
func newDivided(t *testing.T, r sandbox.Resources) (p *local.Provider, h sandbox.Handle, dir string) {
	t.Helper()
	p, err := local.New(local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err = p.Create(t.Context(), sandbox.Spec{Resources: r})
	if err != nil {
		if strings.Contains(err.Error(), "CPU is bounded by cgroup v2") || strings.Contains(err.Error(), sentence) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, e fs.DirEntry, err error) error { // what cannot be read is not ours
		if err == nil && e.IsDir() && e.Name() == h.ID {
			dir = path
			return fs.SkipAll
		}
		return nil
	})
	if dir == "" {
		t.Fatalf("sandbox %s has no cgroup, although its CPU is bounded", h.ID)
	}
	return p, h, dir
}

// counter is a number of one of a cgroup's files, by its name in it.
func counter(t *testing.T, dir, file, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key == name {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s/%s has no %s:\n%s", dir, file, name, text)
	return 0
}

// With a cgroup, memory and CPU are bounded for the sandbox as a whole, by the kernel.
func TestCgroup(t *testing.T) {
	p, h, dir := newDivided(t, sandbox.Resources{MemoryMiB: 128, CPU: 0.2})
	run := func(text string) sandbox.Result {
		t.Helper()
		r, err := p.Exec(t.Context(), h, sandbox.Command{Text: text, Timeout: generous})
		if err != nil || r.ErrorType != "" {
			t.Fatalf("%s: %v, %s %v", text, err, r.ErrorType, r.Err)
		}
		return r
	}
	const most = "83886080" // 80 MiB: one process may hold them, and two together may not
	const hold = " | tail -c " + most
	if r := run("head -c " + most + " /dev/zero" + hold + " | wc -c"); strings.TrimSpace(r.Stdout) != most {
		t.Errorf("one process cannot hold what it may: %+v", r)
	}
	if n := counter(t, dir, "memory.events", "oom_kill"); n != 0 {
		t.Errorf("%d processes were killed for memory that is allowed", n)
	}
	if r := run("head -c " + most + " /dev/zero" + hold + hold + " | wc -c"); strings.TrimSpace(r.Stdout) == most {
		t.Error("two processes hold more than the sandbox may")
	}
	if n := counter(t, dir, "memory.events", "oom_kill"); n == 0 {
		t.Error("the kernel has killed nothing")
	}
	run("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	if n := counter(t, dir, "cpu.stat", "nr_throttled"); n == 0 {
		t.Error("a busy command was never held back")
	}
	if err := p.Remove(t.Context(), h); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the cgroup is still there: %v", err)
	}
}
