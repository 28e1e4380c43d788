package local

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// runUser gives up all rights and becomes the command, or carries a file in or out as the command's user.
func runUser() {
	// Rights belong to threads. This one is kept, and is the one that execve leaves.
	runtime.LockOSThread()
	failure := os.NewFile(fdFailure, "failure")
	unix.CloseOnExec(fdFailure)
	in := os.NewFile(fdOrder, "order")
	var o order
	err := json.UnmarshalRead(in, &o)
	in.Close()
	if err == nil {
		err = giveUp(&o)
	}
	if err == nil {
		err = carryOut(&o)
	}
	if err != nil {
		_, _ = failure.WriteString(err.Error())
		syscall.Exit(1)
	}
}

// giveUp takes all rights from the calling thread, for good.
func giveUp(o *order) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up rights: %w", err)
	}
	root := os.Geteuid() == 0 // of the sandbox, or of the machine
	if root {
		for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == nil; c++ {
		}
		const noRoot, noRootLocked = 1, 2 // user 0 gets nothing for being user 0
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot|noRootLocked, 0, 0, 0); err != nil {
			return fmt.Errorf("cannot give up root: %w", err)
		}
	}
	_, _ = unix.KeyctlJoinSessionKeyring("") // keys of this program are not the command's; some systems have none
	if root && o.UID != 0 {
		if err := become(o.UID); err != nil {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("cannot give up capabilities: %w", err)
	}
	return nil
}

// become changes the calling thread's user and group, and leaves it without other groups. The calls of package syscall change
// all threads, which a program with cgo cannot be sure of here.
func become(uid int) error {
	id := uintptr(uid)
	_, _, e1 := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
	_, _, e2 := unix.RawSyscall(unix.SYS_SETRESGID, id, id, id)
	_, _, e3 := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id)
	for _, e := range []syscall.Errno{e1, e2, e3} {
		if e != 0 {
			return fmt.Errorf("cannot become user %d: %w", uid, e)
		}
	}
	return nil
}

func carryOut(o *order) error {
	unix.Umask(0o022)
	switch o.Kind {
	case orderPut:
		return put(o.at(o.Path))
	case orderGet:
		return get(o.at(o.Path))
	}
	return execute(o)
}

// at is where a path of the sandbox is for this process. A relative one is in the working directory.
func (o *order) at(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	return filepath.Join(o.Root, path)
}

func execute(o *order) error {
	dir := o.at(o.Dir)
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("cannot run a command in folder %s: %w", o.Dir, bare(err))
	}
	shell, err := findShell()
	if err != nil {
		return err
	}
	env := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin",
		"HOME": dir, "TMPDIR": o.at("/tmp"), "LANG": "C.UTF-8",
	}
	maps.Copy(env, o.Env)
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	if err := o.Limits.set(); err != nil {
		return err
	}
	return fmt.Errorf("cannot run %s: %w", shell, syscall.Exec(shell, []string{filepath.Base(shell), "-c", o.Text}, list))
}

// findShell prefers bash, as the other providers do.
func findShell() (string, error) {
	for _, shell := range []string{"/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"} {
		if unix.Access(shell, unix.X_OK) == nil {
			return shell, nil
		}
	}
	return "", errors.New("there is neither /bin/bash nor /bin/sh")
}

func put(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return bare(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return bare(err)
	}
	_, err = io.Copy(f, os.Stdin)
	return bare(errors.Join(err, f.Close()))
}

func get(path string) error {
	// A pipe or a device of the command's making must not hold this up, nor go on for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return bare(err)
	}
	info, err := f.Stat()
	if err != nil {
		return bare(err)
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	_, err = io.Copy(os.Stdout, f)
	return bare(err)
}

// bare is err without the path, which is another one outside.
func bare(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// set puts the limits on the calling process. What counts is only what comes after it: the program that it becomes.
func (l limits) set() error {
	var failed []string
	bound := func(what string, resource int, n uint64) {
		if err := unix.Prlimit(0, resource, &unix.Rlimit{Cur: n, Max: n}, nil); err != nil {
			failed = append(failed, fmt.Sprintf("%s to %d: %v", what, n, err))
		}
	}
	bound("core files", unix.RLIMIT_CORE, 0)
	bound("locked memory", unix.RLIMIT_MEMLOCK, 64<<10)
	bound("message queues", unix.RLIMIT_MSGQUEUE, 0)
	bound("files", unix.RLIMIT_FSIZE, uint64(l.File))
	bound("processes", unix.RLIMIT_NPROC, uint64(l.Processes))
	// The package's own call, for it makes execve put back what the runtime raised at the start.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1024, Max: 1024}); err != nil {
		failed = append(failed, fmt.Sprintf("open files: %v", err))
	}
	// The address space is the one bound of memory that processes share. What a program reserves and does not use counts for
	// it too, and runtimes reserve much.
	bound("address space", unix.RLIMIT_AS, max(uint64(l.Memory)*4, 2<<30))
	bound("memory", unix.RLIMIT_DATA, uint64(l.Memory))
	if len(failed) > 0 {
		return errors.New("cannot bound " + strings.Join(failed, "; "))
	}
	return nil
}
