//go:build !unix

package child

import (
	"os"
)

// catch keeps Ctrl-C from ending this process before the command, which has it from the console itself.
func catch() []chan os.Signal {
	return []chan os.Signal{take(os.Interrupt)}
}

func forward(*os.Process, os.Signal) {}

func endOf(state *os.ProcessState) End { return End{Code: state.ExitCode()} }
