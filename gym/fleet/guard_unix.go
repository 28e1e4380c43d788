//go:build unix

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func guard(ctx context.Context, o GuardOptions) (code int, err error) {
	if len(o.Command) == 0 {
		return 0, errors.New("cannot guard nothing: give the program to run")
	}
	descriptors()          // for the program, which does not raise its limit itself as ours do
	runtime.LockOSThread() // the program is told of the death of the thread that started it
	defer runtime.UnlockOSThread()
	if err := adoptOrphans(); err != nil {
		return 0, fmt.Errorf("cannot guard %s: %w", o.Command[0], err)
	}
	path, err := exec.LookPath(o.Command[0])
	if err != nil {
		return 0, fmt.Errorf("cannot start %s: %w", o.Command[0], err)
	}
	p, err := os.StartProcess(path, o.Command, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: guardedAttr(),
	})
	if err != nil {
		return 0, fmt.Errorf("cannot start %s: %w", o.Command[0], err)
	}
	pid := p.Pid
	ended := make(chan syscall.WaitStatus, 1)
	go func() { ended <- reap(pid) }()
	ask := syscall.SIGTERM
	if o.Interrupt {
		ask = syscall.SIGINT
	}
	status := await(ctx, pid, ask, lifelineOf(o.LifelineFD), ended)
	killRest(pid)
	if status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return status.ExitStatus(), nil
}

// lifelineOf is closed when the lifeline is cut.
func lifelineOf(fd int) <-chan struct{} {
	cut := make(chan struct{})
	if fd > 0 {
		go hold(os.NewFile(uintptr(fd), "lifeline"), func() { close(cut) })
	}
	return cut
}

// await waits for the program's end, and brings it about when it is asked to.
func await(ctx context.Context, pid int, ask syscall.Signal, cut <-chan struct{}, ended <-chan syscall.WaitStatus) syscall.WaitStatus {
	asked := ctx.Done()
	var kill <-chan time.Time
	for {
		select {
		case status := <-ended:
			return status
		case <-asked:
			asked = nil
			syscall.Kill(-pid, ask) //nolint:errcheck // it may be gone already
		case <-cut:
			cut = nil
			if asked == nil { // it had its time
				syscall.Kill(-pid, syscall.SIGKILL) //nolint:errcheck // see above
				continue
			}
			asked = nil
			syscall.Kill(-pid, ask) //nolint:errcheck // see above
			kill = time.After(guardGrace)
		case <-kill:
			syscall.Kill(-pid, syscall.SIGKILL) //nolint:errcheck // see above
		}
	}
}

// reap waits for the end of one child, and of all others that end before it.
func reap(pid int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		if got == pid && (status.Exited() || status.Signaled()) {
			return status
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return status // it cannot be waited for: it is gone
		}
	}
}
