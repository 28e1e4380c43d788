//go:build unix && !linux

package fleet

import "syscall"

func adoptOrphans() error { return nil }

func guardedAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killRest kills the program's process group; what has left the group is out of sight.
func killRest(group int) { syscall.Kill(-group, syscall.SIGKILL) }
