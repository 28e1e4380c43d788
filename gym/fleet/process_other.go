//go:build !unix

package fleet

import (
	"context"
	"os"
	"os/exec"
)

func platform() error { return ErrPlatform }

func ownGroup(*exec.Cmd) {}

func terminate(p *os.Process) error { return p.Kill() }

func guard(context.Context, GuardOptions) (int, error) { return 0, ErrPlatform }
