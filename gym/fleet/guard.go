package fleet

import (
	"context"
	"time"
)

// guardLifelineFD is the lifeline of a guard.
const guardLifelineFD = 3

// guardGrace is how long a guarded server may take to end once its supervisor is gone.
const guardGrace = time.Second

// GuardOptions say what to guard.
type GuardOptions struct {
	Command    []string // the program with its arguments; it has the guard's outputs, folder and environment
	LifelineFD int      // whose end of file is the end of the supervisor; 0: none
	Interrupt  bool     // ask with SIGINT instead of SIGTERM: servers of the Python system flush their telemetry only then
}

// Guard runs a program that does not know about lifelines, and returns its exit code, 128 and the signal's number when one
// ended it. When ctx ends the program gets SIGTERM, or SIGINT as the options say. When the lifeline is cut it gets the same, a
// second, and then SIGKILL, or SIGKILL at once if it had been asked before. Whatever it has started and left, in process groups
// and sessions of their own too, is killed before Guard returns; on systems other than Linux that is its process group alone.
//
// Guard must be called from the main goroutine of a process that does nothing else: it reaps every child of the process.
func Guard(ctx context.Context, o GuardOptions) (code int, err error) { return guard(ctx, o) }
