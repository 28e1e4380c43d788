//go:build !unix

package child

import (
	"os"
	"os/signal"
)

// catch keeps Ctrl-C from ending this process before the command, which has it from the console itself.
func catch() (signals chan os.Signal, release func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	return signals, func() { signal.Stop(signals) }
}

func forward(*os.Process, os.Signal) {}

func endOf(state *os.ProcessState) End { return End{Code: state.ExitCode()} }
