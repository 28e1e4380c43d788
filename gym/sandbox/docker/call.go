package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
)

var errTimeout = errors.New("its time was over")

// outcome is what became of one call of the command.
type outcome struct {
	stdout, stderr string
	cut            bool
	code           int
	err            error // it has no code
}

// call runs the docker command to its end. When the time is over it is killed, with what it started on this machine.
func (p *Provider) call(ctx context.Context, timeout time.Duration, stdin []byte, args []string) outcome {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return outcome{err: ctx.Err()}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.o.Binary, args...)
	own(cmd)
	cmd.WaitDelay = 5 * time.Second
	out, errs := &sandbox.Capture{Keep: p.o.MaxOutputBytes}, &sandbox.Capture{Keep: p.o.MaxOutputBytes}
	cmd.Stdout, cmd.Stderr = out, errs
	if len(stdin) > 0 {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	err := cmd.Run()
	r := outcome{stdout: out.String(), stderr: errs.String(), cut: out.Cut() || errs.Cut()}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil && err != nil:
		r.err = context.Cause(ctx)
	case exited && exit.Exited():
		r.code = exit.ExitCode()
	case err != nil:
		r.err = err
	}
	return r
}

// ask runs a call that must end with 0, and returns what it wrote. Secrets do not stand in its error.
func (p *Provider) ask(ctx context.Context, timeout time.Duration, secrets []string, args ...string) (string, error) {
	r := p.call(ctx, timeout, nil, args)
	if r.err == nil && r.code == 0 {
		return r.stdout, nil
	}
	if r.err != nil {
		return "", fmt.Errorf("%s %s: %w", p.o.Binary, args[0], r.err)
	}
	return "", fmt.Errorf("%s %s ended with %d: %s", p.o.Binary, args[0], r.code, masked(r.stderr, secrets))
}

// masked is a text without secrets, for errors.
func masked(text string, secrets []string) string {
	const longest = 2048
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return strings.TrimSpace(text[:min(longest, len(text))])
}
