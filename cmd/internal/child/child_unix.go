//go:build unix

package child

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// forwarded are the signals that people and schedulers send to a program.
var forwarded = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2,
}

// catch takes the signals over. One that is ignored, as under nohup, stays so: a handler would take that from the command too.
func catch() (signals []chan os.Signal) {
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signals = append(signals, take(s))
		}
	}
	return signals
}

// forward hands a signal to the command, save when it has it already: what is typed on a terminal goes to all that runs in its
// foreground, and for many programs a second Ctrl-C means more than the first.
func forward(p *os.Process, s os.Signal) {
	if (s == unix.SIGINT || s == unix.SIGQUIT) && inForeground() {
		return
	}
	p.Signal(s) //nolint:errcheck // it has ended meanwhile
}

// inForeground says whether this process is in the foreground of a terminal.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func endOf(state *os.ProcessState) End {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return End{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return End{Code: state.ExitCode()}
}
