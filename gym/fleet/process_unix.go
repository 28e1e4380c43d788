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
