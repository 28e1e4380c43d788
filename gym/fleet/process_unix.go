//go:build unix

package fleet

import (
	"os"
	"os/exec"
	"syscall"
)

func platform() error { return nil }

// ownGroup makes the child the leader of its own process group, out of reach of the terminal's Ctrl-C.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// lockState takes the lock of a file without waiting; it is let go when the file is closed, or its process ends. A shared one goes with
// other shared ones.
func lockState(f *os.File, shared bool) error {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
}
