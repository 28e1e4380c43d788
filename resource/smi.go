package resource

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// smiTimeout bounds one run of nvidia-smi where the caller does not. A driver that has lost its GPU never answers.
	smiTimeout = 5 * time.Second

	// smiGrace is how long something may hold nvidia-smi's output open once that has ended.
	smiGrace = time.Second

	// smiOutput bounds what nvidia-smi may print.
	smiOutput = 64 << 10

	// invalidArgument is the exit code of nvidia-smi for a field that it does not know.
	invalidArgument = 2
)

// smi runs nvidia-smi and returns the lines that it printed, without blank ones. It returns when the program and whatever
// holds its output have ended, or have been killed and waited for.
func smi(ctx context.Context, args ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, smiTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nvidia-smi", args...)
	out := bounded{left: smiOutput}
	cmd.Stdout = &out
	cmd.WaitDelay = smiGrace
	lead(cmd)
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		_ = killGroup(cmd) // it has left somebody behind
	}
	if err != nil {
		return nil, err
	}
	return linesOf(out.buf.String())
}

// linesOf splits what a program printed, and refuses what is no text.
func linesOf(text string) (lines []string, err error) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) || strings.HasPrefix(line, "No devices") {
			return nil, errors.New("nvidia-smi gave no list of GPUs")
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// exitCode returns that of a program which has failed, and -1 for any other error.
func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

// bounded keeps what is written to it, and refuses what is too much.
type bounded struct {
	buf  bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("too much output")
	}
	return b.buf.Write(p)
}
