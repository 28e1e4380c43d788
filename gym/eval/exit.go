package eval

import "errors"

// Exit codes of the commands that run rollouts.
const (
	ExitOK          = 0   // every rollout was scored
	ExitFailed      = 1   // the run could not start, or was cut short; results so far are kept
	ExitUsage       = 2   // the command line was wrong
	ExitFailures    = 3   // the run finished, and some rollouts failed
	ExitInterrupted = 130 // the user stopped the run
)

// ErrInterrupted is the cause of a run that the user stopped.
var ErrInterrupted = errors.New("interrupted")

// ExitCode maps the outcome of [Run] to the exit code of the program.
func ExitCode(r *Result, err error) int {
	switch {
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case err != nil || r == nil:
		return ExitFailed
	case r.Summary.Failed+r.Summary.GivenUp+r.Summary.Discarded+r.Summary.Missing > 0:
		return ExitFailures
	}
	return ExitOK
}
