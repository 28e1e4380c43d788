// Package child runs a command in the place of this program: on its input and outputs, with the signals that it gets, and with an end
// that can be handed on.
package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"sync"
)

// Exit codes of a command that did not run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// End is how a command ended.
type End struct {
	Code   int    // its exit code; 128 and the number of the signal that killed it; 126 or 127 when it could not be started
	PID    int    // 0: it could not be started
	Signal string // that killed it, such as SIGTERM
	Err    error  // why it could not be started, without its name
}

// Ok says whether the command succeeded.
func (e End) Ok() bool { return e.Code == 0 }

// String says how it ended, in words.
func (e End) String() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("it could not be started: %v", e.Err)
	case e.Signal != "":
		return "it was killed by " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Run starts a command on this process's input and outputs and waits for its end. Signals that would end this process go to the
// command instead. They do not end this process afterwards either: one that was sent while the command still ran may come in late,
// and must not take its exit code away. What this process ignores, the command ignores too.
func Run(cmd *exec.Cmd) End {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := catch()
	if err := cmd.Start(); err != nil {
		return notStarted(err)
	}
	done := make(chan struct{})
	var forwarding sync.WaitGroup
	for _, c := range signals {
		forwarding.Go(func() {
			for {
				select {
				case s := <-c:
					forward(cmd.Process, s)
				case <-done:
					return
				}
			}
		})
	}
	err := cmd.Wait()
	close(done)
	forwarding.Wait()
	if cmd.ProcessState == nil {
		return End{Code: 1, PID: cmd.Process.Pid, Err: err} // it was lost sight of
	}
	end := endOf(cmd.ProcessState)
	end.PID = cmd.Process.Pid
	return end
}

// take takes one signal over. Each has a channel of its own, so that many of one kind leave room for another.
func take(s os.Signal) chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	return c
}

func notStarted(err error) End {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return End{Code: code, Err: err}
}
