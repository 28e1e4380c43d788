package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindHierarchy(t *testing.T) {
	const v1 = "30 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	tests := map[string]struct{ own, mounts, want string }{
		"version 2":    {"0::/user.slice/a\n", "29 22 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/user.slice/a"},
		"both":         {"4:memory:/x\n0::/a\n", v1 + "31 22 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/unified/a"},
		"of its own":   {"0::/\n", "29 22 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup"},
		"part":         {"0::/docker/abc/x\n", "29 22 0:25 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/x"},
		"another part": {"0::/docker/abc\n", "29 22 0:25 /docker/xyz /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", ""},
		"version 1":    {"4:memory:/x\n", v1, ""},
		"nothing":      {"", "", ""},
		"garbage":      {"0::\n0::/a", "x y z - cgroup2\n - cgroup2 \n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := findHierarchy(test.own, test.mounts); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The files of a hierarchy are written here to a folder that is none.
func TestNewCgroup(t *testing.T) {
	l := limits{Memory: 64 << 20, Processes: 10}
	tests := map[string]struct {
		own, above string // what they give to those below
		cpu        float64
		in         string
	}{
		"own":         {"cpu memory pids", "", 0.5, "above/own/box"},
		"above":       {"", "memory pids", 0, "above/box"},
		"no cpu":      {"memory pids", "memory pids", 1, ""},
		"not divided": {"", "cpu", 0, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			own := filepath.Join(dir, "above", "own")
			if err := os.MkdirAll(own, 0o755); err != nil {
				t.Fatal(err)
			}
			for path, given := range map[string]string{own: test.own, filepath.Dir(own): test.above} {
				if err := os.WriteFile(filepath.Join(path, "cgroup.subtree_control"), []byte(given+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			l.CPU = test.cpu
			g := newCgroup(own, "box", l)
			if (g != nil) != (test.in != "") {
				t.Fatalf("cgroup %v", g)
			}
			if g == nil {
				return
			}
			defer g.dir.Close()
			if g.dir.Name() != filepath.Join(dir, test.in) {
				t.Errorf("made %s", g.dir.Name())
			}
			want := map[string]string{"memory.max": "67108864", "pids.max": "74"}
			if test.cpu > 0 {
				want["cpu.max"] = "50000 100000"
			}
			for file, text := range want {
				if b, err := os.ReadFile(filepath.Join(g.dir.Name(), file)); err != nil || string(b) != text {
					t.Errorf("%s is %q, %v", file, b, err)
				}
			}
		})
	}
}

func TestMapped(t *testing.T) {
	for text, want := range map[string]bool{
		"         0          0 4294967295\n": true, "0 0 1\n": false, "0 0 1\n1 100000 65536\n": true, "0 0 65534\n": false, "": false, "x\n": false,
	} {
		if got := mapped(text, nobody); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A bound that cannot be kept is refused, not left out.
func TestDivide_refuses(t *testing.T) {
	if hierarchy() == "" {
		b := box{limits: limits{CPU: 1}}
		if err := b.divide(nil); err == nil || !strings.Contains(err.Error(), "cgroup v2") {
			t.Error(err)
		}
	}
}
