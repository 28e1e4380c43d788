//go:build linux

package local_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

// try runs the program that tries to escape.
func try(t *testing.T, box *sandbox.Sandbox, args ...string) sandbox.Result {
	t.Helper()
	return must(t, box, sandbox.Command{Text: escape + " " + strings.Join(args, " ")})
}

func TestEscape_files(t *testing.T) {
	const secret = "the secret of the house"
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(home, "secret.txt")
	if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	paths := []string{file, "/root" + "/.bashrc", "/root" + "/.profile", "/etc/shadow", "/etc/ssh/ssh_host_rsa_key", "/proc/1/root" + file,
		"/proc/1/cwd" + file, "/proc/self/root" + "/.." + file, "/../.." + file, "/var/run/docker.sock", "/proc/1/environ"}
	r := try(t, box, append([]string{"read"}, paths...)...)
	if strings.Contains(r.Stdout, secret) || strings.Contains(r.Stdout, "<nil>") || strings.Count(r.Stdout, "\n") != len(paths) {
		t.Errorf("files outside can be read:\n%s", r.Stdout)
	}
	folders := []string{"/root", home, "/home", "/var", "/run", "/sys", "/opt", "/boot", "/mnt"}
	r = try(t, box, append([]string{"list"}, folders...)...)
	if strings.Contains(r.Stdout, "<nil>") || strings.Count(r.Stdout, "no such file") != len(folders) {
		t.Errorf("folders outside can be seen:\n%s", r.Stdout)
	}
	r = try(t, box, "touch", "/usr/was-here", "/usr/bin/sh", "/etc/ld.so.cache", escape, "/proc/sys/kernel/hostname", "/workspace/fine")
	if strings.Count(r.Stdout, "<nil>") != 1 {
		t.Errorf("more than its own files can be written:\n%s", r.Stdout)
	}
}

func TestEscape_network(t *testing.T) {
	var connected atomic.Int64
	listen := func(network, address string) string {
		ln, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				connected.Add(1)
				conn.Close()
			}
		}()
		t.Cleanup(func() { ln.Close(); <-done })
		return network + "," + ln.Addr().String()
	}
	addresses := []string{listen("tcp", "127.0.0.1:0"), listen("unix", "@"+mark()), listen("unix", filepath.Join(t.TempDir(), "s"))}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(addresses[0], "tcp,"))
	addresses = append(addresses, "tcp,localhost:"+port, "tcp,0.0.0.0:"+port, "tcp,169.254.169.254:80")

	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	r := try(t, box, append([]string{"dial"}, addresses...)...)
	if strings.Contains(r.Stdout, "CONNECTED") || strings.Count(r.Stdout, "no way to") != len(addresses) || connected.Load() != 0 {
		t.Errorf("%d connections came through:\n%s", connected.Load(), r.Stdout)
	}
}

func TestEscape_environment(t *testing.T) {
	t.Setenv("GYM_SANDBOX_SECRET", "hunter2")
	box, ok := newBox(t, local.Options{}, sandbox.Spec{Env: map[string]string{"ASKED": "for"}})
	if !ok {
		return
	}
	r := try(t, box, "environ")
	if strings.Contains(r.Stdout, "hunter2") || !strings.Contains(r.Stdout, "ASKED=for") {
		t.Errorf("not the environment that was asked for:\n%s", r.Stdout)
	}
	for line := range strings.Lines(r.Stdout) {
		if strings.HasPrefix(line, "process ") && !strings.Contains(line, "gym-sandbox-leader") && !strings.Contains(line, "escape") {
			t.Errorf("a process of somebody else is seen: %s", line)
		}
	}
	if !strings.Contains(r.Stdout, "process 1:") {
		t.Errorf("the sandbox has no /proc of its own:\n%s", r.Stdout)
	}
}

func TestEscape_rights(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	r := try(t, box, "rights")
	for line := range strings.Lines(r.Stdout) {
		what, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
		mapped := os.Geteuid() != 0 && what == "user" // it is user 0 already, which in there is nobody in particular
		if (answer == "<nil>" || answer == "errno 0") && !mapped {
			t.Errorf("%s was allowed", what)
		}
	}
	if n := strings.Count(r.Stdout, "\n"); n != 9 {
		t.Errorf("%d tries of 9:\n%s", n, r.Stdout)
	}
}

func TestEscape_signals(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	if r := try(t, box, "signal"); r.ReturnCode != 0 || strings.Contains(r.Stdout, "KILLED") {
		t.Errorf("code %d:\n%s", r.ReturnCode, r.Stdout)
	}
	if r := must(t, box, sandbox.Command{Text: "echo still here"}); r.Stdout != "still here\n" {
		t.Errorf("the sandbox did not survive: %+v", r)
	}
}

func TestEscape_forkBomb(t *testing.T) {
	m := mark()
	box, ok := newBox(t, local.Options{MaxProcesses: 40}, sandbox.Spec{Env: map[string]string{m: "1"}})
	if !ok {
		return
	}
	r := try(t, box, "bomb")
	var started int
	if _, err := fmt.Sscanf(r.Stdout, "started %d", &started); r.ReturnCode == 0 && (err != nil || started > 40) {
		t.Errorf("%d processes of at most 40 were started: %v\n%s%s", started, err, r.Stdout, r.Stderr)
	}
	if left := survivors(t, m); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if r := must(t, box, sandbox.Command{Text: "echo still here"}); r.Stdout != "still here\n" {
		t.Errorf("the sandbox did not survive: %+v", r)
	}
}

func TestEscape_disk(t *testing.T) {
	const disk = 8
	box, ok := newBox(t, local.Options{DiskMiB: disk}, sandbox.Spec{})
	if !ok {
		return
	}
	for _, dir := range []string{"/workspace", "/tmp", "/dev/shm"} {
		r := try(t, box, "fill", dir)
		var wrote int64
		if _, err := fmt.Sscanf(r.Stdout, "wrote %d", &wrote); err != nil || wrote == 0 || wrote > disk<<20 {
			t.Errorf("%s took %d bytes of at most %d: %v %+v", dir, wrote, disk<<20, err, r)
		}
		must(t, box, sandbox.Command{Text: "rm -f " + dir + "/fill-*"})
	}
}

func TestEscape_memory(t *testing.T) {
	const memory = 96
	box, ok := newBox(t, local.Options{MemoryMiB: memory}, sandbox.Spec{})
	if !ok {
		return
	}
	r := try(t, box, "eat")
	lines := strings.Fields(r.Stdout)
	if r.ReturnCode == 0 || len(lines) < 2 {
		t.Fatalf("it did not end of hunger: code %d\n%s%.200s", r.ReturnCode, r.Stdout, r.Stderr)
	}
	if n, err := strconv.Atoi(lines[len(lines)-1]); err != nil || n > memory {
		t.Errorf("it had %d MiB of at most %d: %v", n, memory, err)
	}
}

func TestEscape_output(t *testing.T) {
	box, ok := newBox(t, local.Options{MaxOutputBytes: 1000}, sandbox.Spec{})
	if !ok {
		return
	}
	r := try(t, box, "shout")
	if len(r.Stdout) != 1000 || !r.Cut || r.ReturnCode != 0 {
		t.Errorf("kept %d bytes, cut %v, code %d", len(r.Stdout), r.Cut, r.ReturnCode)
	}
}

// A process of another session, which ignores signals and holds standard output, does not outlive what started it.
func TestEscape_stay(t *testing.T) {
	tests := map[string]struct {
		more string
		how  func(t *testing.T, box *sandbox.Sandbox, c sandbox.Command)
	}{
		"after its command": {"", func(t *testing.T, box *sandbox.Sandbox, c sandbox.Command) {
			if r := must(t, box, c); r.ReturnCode != 0 || !strings.Contains(r.Stdout, "left behind") {
				t.Errorf("%+v", r)
			}
		}},
		"after a time-out": {"; sleep 1000", func(t *testing.T, box *sandbox.Sandbox, c sandbox.Command) {
			c.Timeout = 2 * time.Second
			r, err := box.Exec(t.Context(), c)
			if err != nil || r.ReturnCode != sandbox.RuntimeFailure || r.ErrorType != sandbox.ErrorTimeout {
				t.Errorf("%+v, %v", r, err)
			}
		}},
		"after its context": {"; sleep 1000", func(t *testing.T, box *sandbox.Sandbox, c sandbox.Command) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			canceled := make(chan struct{})
			go func() {
				defer close(canceled)
				waitFor(t, markOf(c))
				cancel()
			}()
			if _, err := box.Exec(ctx, c); err != context.Canceled {
				t.Error(err)
			}
			<-canceled
		}},
		"after a stop": {"; sleep 1000", func(t *testing.T, box *sandbox.Sandbox, c sandbox.Command) {
			stopped := make(chan error)
			go func() {
				waitFor(t, markOf(c))
				stopped <- box.Stop(context.Background())
			}()
			r, err := box.Exec(t.Context(), c)
			if err != nil || r.ReturnCode != sandbox.RuntimeFailure || r.ErrorType != sandbox.ErrorSandbox {
				t.Errorf("%+v, %v", r, err)
			}
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := mark()
			box, ok := newBox(t, local.Options{}, sandbox.Spec{})
			if !ok {
				return
			}
			test.how(t, box, sandbox.Command{
				Text: escape + " stay /workspace/beat" + test.more, Timeout: generous, Env: map[string]string{m: "1"},
			})
			if left := survivors(t, m); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// markOf is the mark that a command was given.
func markOf(c sandbox.Command) string {
	for name := range c.Env {
		return name
	}
	return ""
}

// waitFor waits until a process with the mark runs.
func waitFor(t *testing.T, mark string) {
	for deadline := time.Now().Add(generous); len(survivors(t, mark)) == 0; {
		if time.Now().After(deadline) {
			t.Error("the command never ran")
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
