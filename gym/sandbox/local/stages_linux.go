package local

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/gym/internal/descendants"
)

// stages are what this program is when it is started under another name.
var stages = map[string]func(){stageInit: runInit, stageLeader: runLeader, stageUser: runUser}

// The stages run before main, so that no program has to call anything, and no other package's state is needed.
func init() {
	if len(os.Args) == 1 {
		if stage, ok := stages[os.Args[0]]; ok {
			stage()
			syscall.Exit(0) // not os.Exit, which in a build with the race detector takes a second
		}
	}
}

// runInit is the first process of a sandbox. It makes the sandbox's view of the world, and starts a leader for each order.
// When the program that started it goes, the control socket is at its end, and so is the sandbox.
func runInit() {
	control, err := controlSocket()
	if err != nil {
		return
	}
	var s setup
	in := os.NewFile(fdSetup, "setup")
	err = json.UnmarshalRead(in, &s)
	in.Close()
	if err == nil {
		err = prepare(&s)
	}
	answer := ready{Namespaces: errors.Is(err, errView)}
	if err != nil {
		answer.Err = err.Error()
	}
	line, _ := json.Marshal(answer) // two plain fields
	if _, werr := control.Write(line); err != nil || werr != nil {
		return
	}
	for {
		files, err := receive(control)
		if err != nil {
			break
		}
		go lead(files, s.Unsafe)
	}
	if s.Unsafe {
		descendants.End()
		_ = os.RemoveAll(s.Dir) // whoever made it may be gone
	}
}

func controlSocket() (*net.UnixConn, error) {
	f := os.NewFile(fdControl, "control")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// prepare sets the first process up.
func prepare(s *setup) error {
	// Nobody may look into this process, which has more rights than commands have.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot close the first process to others: %w", err)
	}
	catchSignals()
	if s.Unsafe {
		return prepareUnsafe(s)
	}
	return buildView(s)
}

func prepareUnsafe(s *setup) error {
	// What a command leaves behind becomes a child of this process, which ends it.
	if err := descendants.Adopt(); err != nil {
		return err
	}
	for _, dir := range []string{"/", s.Workdir, "/tmp"} {
		dir = filepath.Join(s.Dir, dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if s.UID == os.Geteuid() {
			continue
		}
		if err := os.Lchown(dir, s.UID, s.UID); err != nil {
			return err
		}
	}
	return nil
}

// catchSignals keeps signals from ending this process. They are caught and not ignored, since what is ignored stays ignored
// in the processes that are started.
func catchSignals() { signal.Notify(make(chan os.Signal, 1)) }

// receive takes an order's descriptors: standard input, output and error, and the order's connection.
func receive(control *net.UnixConn) ([]*os.File, error) {
	space := make([]byte, unix.CmsgSpace(4*4))
	n, oobn, _, _, err := control.ReadMsgUnix(make([]byte, 1), space)
	if err != nil || n == 0 {
		return nil, errors.Join(err, net.ErrClosed)
	}
	messages, err := unix.ParseSocketControlMessage(space[:oobn])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errors.New("an order came without descriptors"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, fd := range fds {
		unix.CloseOnExec(fd)
		files = append(files, os.NewFile(uintptr(fd), "order"))
	}
	return files, nil
}

// lead starts an order's leader and waits for it. The order's connection, which ends with the leader, tells the rest.
func lead(files []*os.File, unsafe bool) {
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{stageLeader}, Env: stageEnv, Dir: "/",
		Stdin: files[0], Stdout: files[1], Stderr: files[2], ExtraFiles: files[3:],
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if !unsafe {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	}
	err := cmd.Start()
	if err != nil {
		answer, _ := json.Marshal(report{Err: "cannot start the command's first process: " + err.Error()})
		_, _ = files[3].Write(answer)
	}
	for _, f := range files {
		f.Close()
	}
	if err == nil {
		_ = cmd.Wait()
	}
}

// runLeader is the first process of a command's pid namespace. It starts the command, waits for it, ends everything that the
// command started, and reports.
func runLeader() {
	conn := os.NewFile(fdOrder, "order")
	unix.CloseOnExec(fdOrder)
	in := bufio.NewReader(conn)
	line, err := in.ReadBytes('\n')
	var o order
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		return
	}
	killAll, endAll := killNamespace, endNamespace
	if o.Unsafe {
		killAll, endAll = descendants.Kill, descendants.End
	}
	if err = lonely(&o); err == nil {
		go func() { // nothing more comes: end of file says that the time is over, or that nobody waits any more
			_, _ = in.ReadByte()
			killAll()
		}()
	}
	var r report
	if err == nil {
		r, err = follow(line)
	}
	if err != nil {
		r.Err = err.Error()
	}
	endAll()
	answer, _ := json.Marshal(r)
	_, _ = conn.Write(answer)
}

// lonely makes the leader one whom its command cannot disturb, and sees nobody else through.
func lonely(o *order) error {
	catchSignals()
	if o.Unsafe {
		return descendants.Adopt()
	}
	if err := mountProc("/proc"); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// follow starts the stage that becomes the command, and waits for its end.
func follow(line []byte) (report, error) {
	orderIn, orderOut, err := os.Pipe()
	if err != nil {
		return report{}, err
	}
	failureIn, failureOut, err := os.Pipe()
	if err != nil {
		return report{}, err
	}
	child, err := os.StartProcess("/proc/self/exe", []string{stageUser}, &os.ProcAttr{
		Dir: "/", Env: stageEnv, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, orderIn, failureOut},
	})
	if err != nil {
		return report{}, fmt.Errorf("cannot start the command: %w", err)
	}
	orderIn.Close()
	failureOut.Close()
	_, _ = orderOut.Write(line) // when it is not read, there is a failure to be read
	orderOut.Close()
	var failure [4096]byte
	n, _ := failureIn.Read(failure[:]) // end of file: it has become the command, or has ended
	status, err := await(child.Pid)
	switch {
	case n > 0:
		return report{}, errors.New(string(failure[:n]))
	case err != nil:
		return report{}, fmt.Errorf("cannot wait for the command: %w", err)
	case status.Signaled():
		return report{Code: 128 + int(status.Signal())}, nil
	}
	return report{Code: status.ExitStatus()}, nil
}
