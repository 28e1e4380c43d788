//go:build linux

package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

// helpers are what this binary does when a test starts it again with envHelper.
var helpers = map[string]func() error{"namespaces": namespacesHelper, "refused": refusedHelper, "orphan": orphanHelper}

// again starts this binary again.
func again(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), append(env, envEscape+"="+escape)...)
	cmd.SysProcAttr = new(syscall.SysProcAttr)
	return cmd
}

// mayRefuse fails the test when a sandbox was refused although this kernel gives what it is made of: else a provider that refuses always
// would pass for one that isolates.
func mayRefuse(t *testing.T, refusal error) {
	t.Helper()
	cmd := again(t, []string{envHelper + "=namespaces"})
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC |
		syscall.CLONE_NEWUTS
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("refused, although the kernel has namespaces and mounts in them: %v", refusal)
	}
	t.Logf("this kernel refuses: %v\n%v\n%s", refusal, err, out)
}

// namespacesHelper mounts what a sandbox has, in the namespaces that it was started in.
func namespacesHelper() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	return errors.Join(syscall.Mount("probe", "/tmp", "tmpfs", 0, ""), os.Mkdir("/tmp/proc", 0o755), syscall.Mount("proc", "/tmp/proc", "proc", 0, ""))
}

// What holds for root holds for a user without rights, by another way: then commands have the user's own number.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // the other tests ran as one
	}
	cmd := again(t, []string{"TMPDIR=/tmp"}, "-test.run=^Test(Escape|Exec|Transfer|Status|Refused)", "-test.v")
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Logf("there is no other user: %v", err) // this root has only itself
		return
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestEscape_files") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Where the kernel allows no namespaces, a sandbox is refused with a sentence, and made without them only on demand.
func TestRefused(t *testing.T) {
	cmd := again(t, []string{envHelper + "=refused"})
	// In a namespace in which there may be no other: so the kernel's refusal can be seen on any machine.
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	size := 1
	if os.Geteuid() == 0 {
		size = 65536
	}
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: size}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: size}}
	cmd.SysProcAttr.GidMappingsEnableSetgroups = size > 1
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil { // not even that is allowed: then it is refused as it is
		cmd = again(t, []string{envHelper + "=refused"})
		out, err = cmd.CombinedOutput()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func refusedHelper() error {
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) // in vain where there are none anyway
	p, err := local.New(local.Options{})
	if err != nil {
		return err
	}
	_, err = p.Create(context.Background(), sandbox.Spec{})
	if _, ok := errors.AsType[*sandbox.CreateError](err); !ok || !strings.Contains(err.Error(), sentence) {
		return fmt.Errorf("not refused with advice: %w", err)
	}
	return unsafeBox()
}

// unsafeBox checks what is promised of commands that run as ordinary processes.
func unsafeBox() error {
	m := mark()
	if err := os.Setenv("GYM_SANDBOX_SECRET", "hunter2"); err != nil {
		return err
	}
	p, err := local.New(local.Options{AllowUnsafe: true})
	if err != nil {
		return err
	}
	box := sandbox.New(p, sandbox.Spec{Files: map[string]string{"in.txt": "text"}, Env: map[string]string{m: "1"}})
	ctx := context.Background()
	if err := box.Start(ctx); err != nil {
		return err
	}
	r, err := box.Exec(ctx, sandbox.Command{Text: "cat in.txt; env; pwd; exit 7", Timeout: generous})
	if err != nil || r.ReturnCode != 7 || !strings.HasPrefix(r.Stdout, "text") || strings.Contains(r.Stdout, "hunter2") {
		return fmt.Errorf("%+v, %w", r, err)
	}
	lines := strings.Fields(r.Stdout)
	dir := lines[len(lines)-1]
	stay := escape + " stay " + dir + "/beat"
	r, err = box.Exec(ctx, sandbox.Command{Text: stay, Timeout: generous})
	if err != nil || r.ReturnCode != 0 || !strings.Contains(r.Stdout, "left behind") {
		return fmt.Errorf("%+v, %w", r, err)
	}
	if err := noneWith(m); err != nil {
		return err
	}
	r, err = box.Exec(ctx, sandbox.Command{Text: stay + "; sleep 1000", Timeout: 2 * time.Second})
	if err != nil || r.ErrorType != sandbox.ErrorTimeout {
		return fmt.Errorf("%+v, %w", r, err)
	}
	if err := noneWith(m); err != nil {
		return err
	}
	if err := box.Stop(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		return fmt.Errorf("its folder is still there: %w", err)
	}
	return nil
}

func noneWith(mark string) error {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		if b, err := os.ReadFile(p + "/environ"); err == nil && strings.Contains(string(b), mark) {
			return fmt.Errorf("%s was left behind", p)
		}
	}
	return nil
}

// When the program that holds a sandbox is killed, its commands end.
func TestOrphan(t *testing.T) {
	m := mark()
	temporary := t.TempDir()
	cmd := again(t, []string{envHelper + "=orphan", "GYM_SANDBOX_TEST_MARK=" + m, "TMPDIR=" + temporary})
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 7)
	_, err = io.ReadFull(out, word)
	if killed := cmd.Process.Kill(); killed != nil {
		t.Error(killed)
	}
	_ = cmd.Wait() // it was killed
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(generous)
	left := func() []string {
		folders, _ := filepath.Glob(temporary + "/*")
		return append(survivors(t, m), folders...)
	}
	for len(left()) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %v", left())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// orphanHelper runs a command that does not end, and says so on standard output once it runs.
func orphanHelper() error {
	p, err := local.New(local.Options{AllowUnsafe: true, ReadOnly: []string{escape}})
	if err != nil {
		return err
	}
	m := os.Getenv("GYM_SANDBOX_TEST_MARK")
	os.Unsetenv("GYM_SANDBOX_TEST_MARK")
	box := sandbox.New(p, sandbox.Spec{Env: map[string]string{m: "1"}})
	if err := box.Start(context.Background()); err != nil {
		return err
	}
	go func() {
		for {
			processes, _ := filepath.Glob("/proc/[0-9]*")
			for _, p := range processes {
				b, err := os.ReadFile(p + "/environ")
				if err == nil && strings.Contains(string(b), m+"=1") {
					fmt.Print("running")
					return
				}
			}
		}
	}()
	_, err = box.Exec(context.Background(), sandbox.Command{Text: escape + " stay beat; sleep 1000", Timeout: time.Hour})
	return err
}
