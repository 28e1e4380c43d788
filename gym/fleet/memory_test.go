//go:build !lens_off

package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lensgo/lens/lenstest"
)

// proc writes files of a /proc into a folder of the test.
func proc(t *testing.T, files map[string]string) procfs {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return procfs(dir)
}

func rollup(rss, pss int) string {
	return fmt.Sprintf("00400000-7fff rollup\nRss: %10d kB\nPss: %10d kB\nPss_Dirty: 1 kB\n", rss, pss)
}

func TestTree(t *testing.T) {
	page := int64(os.Getpagesize())
	for name, c := range map[string]struct {
		files map[string]string
		want  usage
	}{
		"gone":         {nil, usage{}},
		"one process":  {map[string]string{"7/smaps_rollup": rollup(100, 60)}, usage{1, 100 << 10, 60 << 10}},
		"by its pages": {map[string]string{"7/statm": "900 30 20 1 0 200 0\n"}, usage{1, 30 * page, -1}},
		"two threads with children": {map[string]string{
			"7/smaps_rollup": rollup(100, 60), "7/task/7/children": "8 ", "7/task/9/children": "10 11 ",
			"8/smaps_rollup": rollup(10, 5), "8/task/8/children": "12 ", "12/smaps_rollup": rollup(1, 1),
			"10/smaps_rollup": rollup(20, 20), // 11 has ended
		}, usage{4, 131 << 10, 86 << 10}},
		"Pss of some only": {map[string]string{
			"7/smaps_rollup": rollup(100, 60), "7/task/7/children": "8 9", "8/statm": "1 1 1", "9/smaps_rollup": rollup(1, 1),
		}, usage{3, 101<<10 + page, -1}},
		"nonsense": {map[string]string{"7/smaps_rollup": "Rss: much kB\n", "7/statm": "x y"}, usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := proc(t, c.files).tree(7); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestTree_live: the real files, of this process and a child of it.
func TestTree_live(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	if u := procfs("/proc").tree(os.Getpid()); u.rss <= 0 || u.processes < 1 || u.pss > u.rss {
		t.Errorf("this process: %+v", u)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // it is killed
	defer cmd.Process.Kill()
	if children := procfs("/proc").children(os.Getpid()); !slices.Contains(children, cmd.Process.Pid) {
		t.Errorf("%d is not among the children %v", cmd.Process.Pid, children)
	}
	if u := procfs("/proc").tree(cmd.Process.Pid); u.processes != 1 || u.rss <= 0 {
		t.Errorf("the child: %+v", u)
	}
	if total, available, ok := procfs("/proc").host(); !ok || available <= 0 || total < available {
		t.Errorf("host: %d of %d available, %v", available, total, ok)
	}
}

// TestProfiler: a sample at the start and one at the end; peaks stay, a server that is down has none.
func TestProfiler(t *testing.T) {
	m := lenstest.Metrics(t)
	fs := proc(t, map[string]string{
		"7/smaps_rollup": rollup(100, 60),
		"meminfo":        "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 300 kB\n",
	})
	var asked atomic.Int64
	p := newProfiler(fs, func() []served {
		asked.Add(1)
		return []served{{"model", "responses_api_models", 7}, {"down", "resources_servers", 0}}
	})
	go p.run(time.Hour)
	p.stop()
	if n := asked.Load(); n != 2 {
		t.Errorf("%d samples, want the first and the last", n)
	}
	p.stop()
	(*profiler)(nil).stop()

	for path, text := range map[string]string{"7/smaps_rollup": rollup(40, 20), "meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\n"} {
		if err := os.WriteFile(filepath.Join(string(fs), path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.sample()
	const server = "nemo.gym.server.name=model,nemo.gym.server.type=responses_api_models,process.pid=7"
	for _, c := range []struct {
		name, attributes string
		want             float64
	}{
		{"gym.server.memory.usage", "memory.type=rss," + server, 40 << 10},
		{"gym.server.memory.usage", "memory.type=pss," + server, 20 << 10},
		{"gym.server.memory.sampled_peak", "memory.type=rss," + server, 100 << 10},
		{"gym.server.memory.sampled_peak", "memory.type=pss," + server, 60 << 10},
		{"gym.server.processes", server, 1},
		{"gym.host.memory.usage", "", 100 << 10},
		{"gym.host.memory.available", "", 900 << 10},
		{"gym.host.memory.total", "", 1000 << 10},
		{"gym.host.memory.sampled_peak", "", 700 << 10},
	} {
		if got := m.Point(c.name, c.attributes).Value; got != c.want {
			t.Errorf("%s{%s} is %v, want %v", c.name, c.attributes, got, c.want)
		}
	}
	if got := m.Points("gym.server.processes"); len(got) != 1 {
		t.Errorf("processes of %v", got)
	}
}
