//go:build !unix

package fleet

import (
	"os"
	"os/exec"
)

func platform() error { return ErrPlatform }

func ownGroup(*exec.Cmd) {}

func terminate(p *os.Process) error { return p.Kill() }
