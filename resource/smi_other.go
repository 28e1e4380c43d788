//go:build !unix

package resource

import "os/exec"

// lead does nothing: the context ends the command alone.
func lead(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
