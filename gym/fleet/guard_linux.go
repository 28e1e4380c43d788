package fleet

import (
	"syscall"

	"github.com/lensgo/lens/gym/internal/descendants"
)

// adoptOrphans has the guard see what its descendants leave behind.
func adoptOrphans() error { return descendants.Adopt() }

// guardedAttr gives the program a process group of its own, and kills it when its guard is killed.
func guardedAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killRest ends whatever there is below the guard.
func killRest(int) { descendants.End() }
