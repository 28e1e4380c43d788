package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

var (
	// errNamespaces says that the kernel lets this program make no sandbox.
	errNamespaces = errors.New("this system does not let the program make the namespaces that keep a command in; " +
		"run where user namespaces are allowed, use provider docker, or set allow_unsafe: true, with which commands run as ordinary processes")
	errTimeout = errors.New("its time was over")
	errGone    = errors.New("the sandbox is gone")
)

const (
	// nobody owns the processes of commands when this program is root.
	nobody = 65534
	// inside is the user that nobody is, seen from inside of a sandbox.
	inside = 1000
	// ending bounds the time in which processes that were killed must be gone, before their sandbox is killed whole.
	ending = 20 * time.Second
)

// box is one running sandbox: its first process, and the socket over which that takes orders.
type box struct {
	id      string
	setup   setup
	limits  limits
	cmd     *exec.Cmd
	control *net.UnixConn
	cgroup  *cgroup

	dead  chan struct{} // closed when the first process, and with it every other, is gone
	ended atomic.Bool   // it is, or will be in a moment
	once  sync.Once
}

// start makes a sandbox of namespaces. When the kernel does not allow that, the error is errNamespaces.
func start(ctx context.Context, s setup, l limits) (*box, error) {
	attr := &syscall.SysProcAttr{
		Setsid: true,
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	if separable() { // then commands are somebody else than this program, to whom no file belongs
		s.UID = inside
		attr.UidMappings = append(attr.UidMappings, syscall.SysProcIDMap{ContainerID: inside, HostID: nobody, Size: 1})
		attr.GidMappings = append(attr.GidMappings, syscall.SysProcIDMap{ContainerID: inside, HostID: nobody, Size: 1})
		attr.GidMappingsEnableSetgroups = true
	}
	b := &box{id: newID(), setup: s, limits: l}
	b.limits.File = s.Disk
	if err := b.divide(attr); err != nil {
		return nil, err
	}
	err := b.launch(ctx, attr)
	if errors.Is(err, errLaunch) && b.cgroup != nil && l.CPU == 0 { // a cgroup may be made, and still not be moved into
		_ = b.cgroup.remove() // it is empty, and bounds nothing
		b.cgroup, attr.UseCgroupFD = nil, false
		err = b.launch(ctx, attr)
	}
	if errors.Is(err, errLaunch) {
		err = fmt.Errorf("%w (%w)", errNamespaces, err)
	}
	if err != nil {
		return nil, errors.Join(err, b.cgroup.remove())
	}
	return b, nil
}

// separable tells whether this program may start processes as nobody: it is root, and where it is root there is a nobody.
func separable() bool {
	if os.Geteuid() != 0 {
		return false
	}
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		text, err := os.ReadFile(file)
		if err != nil || !mapped(string(text), nobody) {
			return false
		}
	}
	return true
}

// mapped tells whether a map of ids has id: a line is the first id, the first id outside, and how many there are.
func mapped(text string, id int) bool {
	for line := range strings.Lines(text) {
		var first, outside, n int
		if _, err := fmt.Sscan(line, &first, &outside, &n); err == nil && id >= first && id-first < n {
			return true
		}
	}
	return false
}

// divide gives the sandbox a cgroup, where there is one that may be divided.
func (b *box) divide(attr *syscall.SysProcAttr) error {
	b.cgroup = newCgroup(hierarchy(), b.id, b.limits)
	if b.cgroup == nil && b.limits.CPU > 0 {
		return fmt.Errorf("resources.cpu is %v: CPU is bounded by cgroup v2, and there is none that this program may divide", b.limits.CPU)
	}
	if b.cgroup != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(b.cgroup.dir.Fd())
	}
	return nil
}

// startUnsafe makes a sandbox that is none: a folder, and processes that are ended.
func startUnsafe(ctx context.Context, s setup, l limits) (*box, error) {
	if l.CPU > 0 {
		return nil, fmt.Errorf("resources.cpu is %v, and cannot be bounded without namespaces", l.CPU)
	}
	dir, err := os.MkdirTemp("", "gym-sandbox-")
	if err != nil {
		return nil, err
	}
	s.Unsafe, s.Dir, s.UID = true, dir, os.Geteuid()
	if separable() {
		s.UID = nobody
	}
	b := &box{id: newID(), setup: s, limits: l}
	b.limits.File = s.Disk
	if err := b.launch(ctx, &syscall.SysProcAttr{Setsid: true}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return b, nil
}

// errLaunch says that the first process could not be started.
var errLaunch = errors.New("cannot start the sandbox's first process")

// launch starts the first process and waits until it is set up.
func (b *box) launch(ctx context.Context, attr *syscall.SysProcAttr) error {
	control, theirs, err := socketpair(unix.SOCK_SEQPACKET)
	if err != nil {
		return err
	}
	defer theirs.Close()
	in, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, control.Close())
	}
	defer in.Close()
	b.control, b.dead = control, make(chan struct{})
	b.ended.Store(false)
	b.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{stageInit}, Env: stageEnv, Dir: "/",
		ExtraFiles: []*os.File{theirs, in}, SysProcAttr: attr,
	}
	if err := b.cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", errLaunch, err), control.Close(), out.Close())
	}
	go func() {
		_ = b.cmd.Wait() // how it ended does not matter
		b.ended.Store(true)
		close(b.dead)
	}()
	theirs.Close()
	in.Close()
	err = errors.Join(json.MarshalWrite(out, b.setup), out.Close())
	if err == nil {
		err = b.await(ctx)
	}
	if err != nil {
		_ = b.end()
	}
	return err
}

// stageEnv is the environment of this package's own processes. One thread at a time is plenty for them.
var stageEnv = []string{"GOMAXPROCS=1"}

// await waits for the first process to say that it is set up.
func (b *box) await(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = b.control.SetReadDeadline(time.Now()) })
	defer stop()
	buf := make([]byte, 4096)
	n, err := b.control.Read(buf)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || n == 0 {
		return fmt.Errorf("%w: it ended before it was set up", errLaunch)
	}
	var r ready
	if err := json.Unmarshal(buf[:n], &r); err != nil {
		return fmt.Errorf("cannot read what the first process says: %w", err)
	}
	switch {
	case r.Namespaces:
		return fmt.Errorf("%w: %s", errLaunch, r.Err)
	case r.Err != "":
		return errors.New(r.Err)
	}
	return nil
}

// expire ends the sandbox after ttl; 0 is never.
func (b *box) expire(ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	go func() {
		timer := time.NewTimer(ttl)
		defer timer.Stop()
		select {
		case <-timer.C:
			_ = b.stop()
		case <-b.dead:
		}
	}()
}

func (b *box) gone() bool { return b.ended.Load() }

// stop ends the sandbox. When it returns, nothing of it is left.
func (b *box) stop() (err error) {
	b.ended.Store(true)
	b.once.Do(func() {
		err = errors.Join(b.end(), b.cgroup.remove())
		if b.setup.Unsafe {
			err = errors.Join(err, os.RemoveAll(b.setup.Dir))
		}
	})
	<-b.dead
	return err
}

// end ends the first process. One in namespaces takes everything with it when it is killed; another one has to be asked, and
// is killed if that is to no avail.
func (b *box) end() error {
	_ = b.control.Close()
	if b.setup.Unsafe {
		select {
		case <-b.dead:
		case <-time.After(ending):
		}
	}
	if err := b.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("cannot end sandbox %s: %w", b.id, err)
	}
	<-b.dead
	return nil
}

// stream is what goes into a command, and how much of what comes out is kept.
type stream struct {
	stdin []byte
	keep  int64
}

// outcome is what became of an order.
type outcome struct {
	stdout, stderr string
	cut            bool
	code           int
	err            error // it has no code
}

// failure is for orders that must end with 0.
func (o *outcome) failure(ctx context.Context) error {
	switch {
	case ctx.Err() != nil && o.err != nil:
		return ctx.Err()
	case o.err != nil:
		return o.err
	case o.code != 0:
		return errors.New(o.stderr)
	}
	return nil
}

// run has an order carried out, and returns when nothing of it runs any more.
func (b *box) run(ctx context.Context, o order, s stream, timeout time.Duration) outcome {
	o.Unsafe, o.Root, o.UID, o.Limits = b.setup.Unsafe, b.setup.Dir, b.setup.UID, b.limits
	if o.Dir == "" {
		o.Dir = b.setup.Workdir
	}
	pipes, err := newPipes()
	if err != nil {
		return outcome{err: err}
	}
	defer pipes.close()
	conn, theirs, err := socketpair(unix.SOCK_STREAM)
	if err != nil {
		return outcome{err: err}
	}
	defer conn.Close()
	_, _, err = b.control.WriteMsgUnix([]byte{0}, unix.UnixRights(append(pipes.theirFDs(), int(theirs.Fd()))...), nil)
	theirs.Close()
	pipes.closeTheirs()
	if err != nil {
		return outcome{err: errGone}
	}
	copied := pipes.copy(s)
	r, err := b.converse(ctx, conn, o, timeout)
	out := copied()
	out.code, out.err = r.Code, err
	return out
}

// converse gives the order and waits for its report. After a time-out it still waits for the end, which is near: the leader
// kills everything once this side of the connection is shut.
func (b *box) converse(ctx context.Context, conn *net.UnixConn, o order, timeout time.Duration) (report, error) {
	var late error
	var mu sync.Mutex
	expire := func(why error) {
		mu.Lock()
		if late == nil {
			late = why
		}
		mu.Unlock()
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(ending))
	}
	timer := time.AfterFunc(timeout, func() { expire(errTimeout) })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { expire(ctx.Err()) })
	defer stop()

	line, err := json.Marshal(o)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	var answer []byte
	if err == nil {
		answer, err = io.ReadAll(io.LimitReader(conn, 64<<10))
	}
	mu.Lock()
	defer mu.Unlock()
	if errors.Is(err, os.ErrDeadlineExceeded) { // the leader does not listen: nothing in here can be relied on
		go b.stop()
	}
	if late != nil {
		return report{}, late
	}
	var r report
	if err != nil || json.Unmarshal(answer, &r) != nil {
		return report{}, errGone
	}
	if r.Err != "" {
		return r, errors.New(r.Err)
	}
	return r, nil
}

// socketpair returns this side as a connection and the other one as a file, which a process that is started may get.
func socketpair(kind int) (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a pair of sockets: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}
