package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errView says that the kernel refused a step of the view, for which namespaces are made.
var errView = errors.New("cannot make the sandbox's view")

func refused(what string, err error) error { return fmt.Errorf("%w: %s: %w", errView, what, err) }

// The folders and files of the system that commands may read. Those that are not there are left out. Of /etc only what
// programs cannot do without: there are secrets in it.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf", "/etc/ssl/certs",
}

var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// staging is where the view is put together: any folder does, and in here nobody else sees it.
const staging = "/tmp"

// buildView leaves the calling process, the first of its namespaces, with a root of its own: files in memory, and in it, for
// reading, what is shown of the machine.
func buildView(s *setup) error {
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return refused("name of the host", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return refused("mounts of its own", err)
	}
	shown, err := openShown(s.Show)
	if err != nil {
		return err
	}
	options := "mode=0755,nr_inodes=65536,size=" + strconv.FormatInt(s.Disk, 10)
	if err := unix.Mount("sandbox", staging, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return refused("files in memory", err)
	}
	if err := furnish(s, shown); err != nil {
		return err
	}
	// While the old /proc is there: a kernel that sees none whole refuses a new one.
	if err := mountProc(filepath.Join(staging, "proc")); err != nil {
		return err
	}
	return enter()
}

// shownPath is something of the machine, held open since its name is covered soon.
type shownPath struct {
	path string
	file *os.File // nil: a link
	link string
	dir  bool
	ours bool // a device: no setting of the mount is changed
}

func openShown(more []string) ([]shownPath, error) {
	var shown []shownPath
	add := func(path string, follow, device bool) error {
		if target, err := os.Readlink(path); err == nil && !follow {
			shown = append(shown, shownPath{path: path, link: target})
			return nil
		}
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), path)
		info, err := f.Stat()
		if err != nil {
			return err
		}
		shown = append(shown, shownPath{path: path, file: f, dir: info.IsDir(), ours: device})
		return nil
	}
	for _, path := range systemPaths {
		// /bin may be a link to usr/bin, and stays one; a file in /etc is shown whatever it leads to.
		if err := add(path, strings.HasPrefix(path, "/etc/"), false); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, refused(path, err)
		}
	}
	for _, path := range devices {
		if err := add(path, true, true); err != nil {
			return nil, refused(path, err)
		}
	}
	for _, path := range more {
		if err := add(filepath.Clean(path), true, false); err != nil {
			return nil, fmt.Errorf("cannot show %s, which read_only has: %w", path, err)
		}
	}
	return shown, nil
}

// furnish fills the view.
func furnish(s *setup, shown []shownPath) error {
	for _, dir := range []string{"/", "/etc", "/proc", "/dev", "/dev/shm", "/tmp", s.Workdir} {
		if err := os.MkdirAll(staging+dir, 0o755); err != nil {
			return refused(dir, err)
		}
	}
	for _, p := range shown {
		if err := p.put(); err != nil {
			return refused(p.path, err)
		}
	}
	id := strconv.Itoa(s.UID)
	for path, text := range map[string]string{
		"/etc/passwd": "sandbox:x:" + id + ":" + id + "::" + s.Workdir + ":/bin/sh\n", "/etc/group": "sandbox:x:" + id + ":\n",
		"/etc/hosts": "127.0.0.1 localhost\n", "/etc/hostname": "sandbox\n",
	} {
		if err := os.WriteFile(staging+path, []byte(text), 0o644); err != nil {
			return refused(path, err)
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, staging+"/dev/"+name); err != nil {
			return refused("/dev/"+name, err)
		}
	}
	for _, dir := range []string{"/", s.Workdir, "/tmp", "/dev/shm"} {
		if err := os.Chown(staging+dir, s.UID, s.UID); err != nil {
			return refused("owner of "+dir, err)
		}
	}
	return nil
}

// put shows a path in the view.
func (p shownPath) put() error {
	target := staging + p.path
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if p.file == nil {
		return os.Symlink(p.link, target)
	}
	defer p.file.Close()
	if p.dir {
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
	} else if err := os.WriteFile(target, nil, 0o644); err != nil {
		return err
	}
	source := "/proc/self/fd/" + strconv.Itoa(int(p.file.Fd()))
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if p.ours {
		return nil
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &unix.MountAttr{
		Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	})
}

// mountProc mounts what the caller's pid namespace has of /proc, which is nothing of anybody else's.
func mountProc(path string) error {
	if err := unix.Mount("proc", path, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return refused("/proc", err)
	}
	return nil
}

// enter makes the view the root, and lets go of the machine's.
func enter() error {
	// In the sandbox there is no need for namespaces below, and rights in them would widen what of the kernel can be reached.
	// A kernel that does not have the setting goes without.
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	for _, step := range []func() error{
		func() error { return unix.Chdir(staging) },
		func() error { return unix.PivotRoot(".", ".") },
		func() error { return unix.Unmount(".", unix.MNT_DETACH) },
		func() error { return unix.Chdir("/") },
	} {
		if err := step(); err != nil {
			return refused("its root", err)
		}
	}
	return nil
}
