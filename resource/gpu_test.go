//go:build unix

package resource_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/resource"
)

// fakeSMI puts a script with the name nvidia-smi first in PATH.
func fakeSMI(t *testing.T, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\ncd "+dir+"\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

// forEver is a script that blocks until it is killed: nobody writes to the pipe.
const forEver = "mkfifo pipe\necho $$ > smi\n: > started\nread line < pipe\n: > ended"

// noChild fails the test when this process has a child left, running or dead.
func noChild(t *testing.T) {
	t.Helper()
	var status syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("child %d is left, with status %v, %v", pid, status, err)
	}
}

// TestGPUCount_visible: SK-09, where nvidia-smi has eight.
func TestGPUCount_visible(t *testing.T) {
	fakeSMI(t, "seq 8")
	for _, row := range table(t, "cuda-visible.tsv") {
		t.Run(row[0], func(t *testing.T) {
			if row[0] != "(unset)" {
				t.Setenv("CUDA_VISIBLE_DEVICES", row[0])
			}
			want, _, _ := strings.Cut(row[1], " ")
			if got := typed(resource.GPUCount(t.Context())); got != "host.gpu.count="+want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	for devices, want := range map[string]string{"": "0", "  ": "0", "0,1": "2", " 3 ": "1", "GPU-a,GPU-b,GPU-c": "3"} {
		t.Setenv("CUDA_VISIBLE_DEVICES", devices)
		if got := typed(resource.GPUCount(t.Context())); got != "host.gpu.count="+want {
			t.Errorf("%q: %s, want %s", devices, got, want)
		}
	}
}

// TestGPUCount_nvidia_smi: SK-11. Nothing is left of the program, whatever it did.
func TestGPUCount_nvidia_smi(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"SK-11: eight lines", "seq 8", "host.gpu.count=8"},
		{"names", "echo NVIDIA H100 80GB HBM3\necho NVIDIA H100 80GB HBM3\necho", "host.gpu.count=2"},
		{"SK-11: fails", "seq 8; exit 9", ""},
		{"SK-11: prints nothing", "", ""},
		{"has no devices", "echo No devices were found", ""},
		{"prints what is no text", `printf 'a\377\nb\001\n'`, ""},
		{"prints for ever", "exec yes", ""},
		{"kills itself", "kill -9 $$", ""},
		{"complains at length", "yes complaint | head -c 1000000 >&2; seq 3", "host.gpu.count=3"},
		{"leaves somebody behind who prints elsewhere", "read line < /dev/null & seq 4; wait", "host.gpu.count=4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSMI(t, c.script)
			if got := typed(resource.GPUCount(t.Context())); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			noChild(t)
		})
	}
	t.Run("is not there", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if got := typed(resource.GPUCount(t.Context())); got != "" {
			t.Error(got)
		}
	})
}

// SK-11: a program that hangs is killed with its children when the context ends, and waited for.
func TestGPUCount_hangs(t *testing.T) {
	for name, script := range map[string]string{
		"alone":         forEver,
		"with children": "mkfifo lock; (read line < lock; : > ended) & echo $! > child\n" + forEver,
	} {
		t.Run(name, func(t *testing.T) {
			dir := fakeSMI(t, script)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				waitFor(dir, "started")
				cancel()
			}()
			if got := typed(resource.GPUCount(ctx)); got != "" {
				t.Error(got)
			}
			noChild(t)
			if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
				t.Error("the program ended by itself")
			}
			if pid := child(dir); pid > 0 {
				gone(t, pid)
			}
		})
	}
}

// A child of nvidia-smi that holds its output open does not hold the answer, and is killed.
func TestGPUCount_leaves_somebody_behind(t *testing.T) {
	dir := fakeSMI(t, "mkfifo lock; (read line < lock; : > ended) & echo $! > child\nseq 8")
	if got := typed(resource.GPUCount(t.Context())); got != "" {
		t.Error(got)
	}
	noChild(t)
	gone(t, child(dir))
}

// waitFor returns when a file is there, which a script makes.
func waitFor(dir, name string) {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// child returns the process that a script has left behind, 0 if there is none.
func child(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "child"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// gone waits until a process, which is nobody's child, has ended. Who adopts it may be slow to bury it.
func gone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("the script has told nobody's number")
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || runtime.GOOS == "linux" && dead(pid) {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

// dead reports whether a process of Linux has ended and was not buried.
func dead(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err != nil || bytes.HasPrefix(state, []byte("Z"))
}

// answers is a fake that answers to queries about GPU 3, and fails for others.
const answers = `case "$*" in
*--id=3*name*) echo "3, GPU-8932f937, 1320921, 00000000:5D:00.0, 81559, 550.54.15, 9.0, NVIDIA H100, 80GB HBM3" ;;
*--id=4*) echo "3, GPU-8932f937, 1320921, 00000000:5D:00.0, 81559, 550.54.15, 9.0, NVIDIA H100" ;;
*--id=5*) echo "5, GPU-5, [N/A], [Not Supported], [N/A], 550.54.15, 8.6, NVIDIA RTX A6000" ;;
*--id=6*compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2 ;;
*--id=6*) echo "6, GPU-6, 1, 00000000:5E:00.0, 40960, 470.57.02, A100, 40GB" ;;
*--id=7*) echo "7, GPU-7" ;;
*--id=8*) printf '8, \377\n' ;;
*) echo No devices were found; exit 6 ;;
esac`

func TestGPU(t *testing.T) {
	const third = `nv.gpu.compute_capability="9.0" nv.gpu.driver_version="550.54.15" nv.gpu.index=3 nv.gpu.memory_total=85520809984 ` +
		`nv.gpu.model="NVIDIA H100, 80GB HBM3" nv.gpu.pci_bus_id="00000000:5D:00.0" nv.gpu.serial="1320921" nv.gpu.uuid="GPU-8932f937"`
	for _, c := range []struct {
		name, env string
		rank      int
		want      string
	}{
		{"by the program", "", 3, third},
		{"mapped", "CUDA_VISIBLE_DEVICES=7,3", 1, third},
		{"mapped, with blanks", "CUDA_VISIBLE_DEVICES=7,%3%", 1, third},
		{"by LOCAL_RANK", "LOCAL_RANK=3 SLURM_LOCALID=1", -1, third},
		{"by SLURM_LOCALID", "LOCAL_RANK= SLURM_LOCALID=3", -1, third},
		{"the first", "CUDA_VISIBLE_DEVICES=3", -1, third},
		{"the first, where the rank is no number", "CUDA_VISIBLE_DEVICES=3 LOCAL_RANK=x", -1, third},
		{"the program knows better", "LOCAL_RANK=1", 3, third},
		{"out of range", "CUDA_VISIBLE_DEVICES=3", 1, ""},
		{"a rank below 0", "LOCAL_RANK=-1", -1, ""},
		{"a rank below 0 in a list", "CUDA_VISIBLE_DEVICES=3 LOCAL_RANK=-1", -1, ""},
		{"hidden", "CUDA_VISIBLE_DEVICES=", 0, ""},
		{"hidden by number", "CUDA_VISIBLE_DEVICES=-1", 0, ""},
		{"by UUID", "CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", 0, ""},
		{"a part of one", "CUDA_VISIBLE_DEVICES=MIG-377e0049-554c-540b-93c6-d0976f8426cb", 0, ""},
		{"no such GPU", "", 9, ""},
		{"the answer is about another", "", 4, ""},
		{"half unknown", "", 5, `nv.gpu.compute_capability="8.6" nv.gpu.driver_version="550.54.15" nv.gpu.index=5 ` +
			`nv.gpu.model="NVIDIA RTX A6000" nv.gpu.uuid="GPU-5"`},
		{"an old driver", "", 6, `nv.gpu.driver_version="470.57.02" nv.gpu.index=6 nv.gpu.memory_total=42949672960 ` +
			`nv.gpu.model="A100, 40GB" nv.gpu.pci_bus_id="00000000:5E:00.0" nv.gpu.serial="1" nv.gpu.uuid="GPU-6"`},
		{"too few values", "", 7, ""},
		{"no text", "", 8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSMI(t, answers)
			for _, kv := range strings.Fields(c.env) {
				setenv(t, strings.ReplaceAll(kv, "%", " "))
			}
			if got := typed(resource.GPU(t.Context(), c.rank)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			noChild(t)
		})
	}
}

// Who is late is named and left out, and the rest is there; also when there is no time at all. What was started is killed and
// waited for.
func TestDetect_late(t *testing.T) {
	dir := fakeSMI(t, forEver)
	t.Setenv("SLURM_JOB_ID", "42")
	for _, wait := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		if wait {
			go func() {
				waitFor(dir, "started")
				cancel()
			}()
		} else {
			cancel()
		}
		found, late := resource.Detect(ctx)
		text := typed(found)
		if !strings.Contains(strings.Join(late, " "), "gpu") || strings.Contains(text, "host.gpu.count") {
			t.Errorf("late: %v; %s", late, text)
		}
		for _, part := range []string{"host.name=", "process.pid=", `slurm.job.id="42"`} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is not in %s", part, text)
			}
		}
		cancel()
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
		t.Error("the program ended by itself")
	}
	text, _ := os.ReadFile(filepath.Join(dir, "smi"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d runs, or nobody has waited for it", pid)
		}
	}
}
