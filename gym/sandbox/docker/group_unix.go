//go:build unix

package docker

import (
	"os/exec"
	"syscall"
)

// own gives a command a process group of its own, which is killed with it.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
