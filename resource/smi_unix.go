//go:build unix

package resource

import (
	"os/exec"
	"syscall"
)

// lead makes the command the first of a process group, and its end by the context that of the whole group.
func lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
