package sandbox

import "errors"

// Errors of a Sandbox that is used out of order.
var (
	ErrNotStarted = errors.New("the sandbox was not started")
	ErrStarted    = errors.New("the sandbox was started before, and is started only once")
	ErrStopped    = errors.New("the sandbox is stopped")
)

// CreateError says that a provider could not create a sandbox.
type CreateError struct {
	Provider string
	Err      error
}

func (e *CreateError) Error() string {
	return "cannot create a sandbox with provider " + e.Provider + ": " + e.Err.Error()
}

func (e *CreateError) Unwrap() error { return e.Err }

// VerificationError says that a sandbox was created and then did not run commands.
type VerificationError struct {
	Provider string
	Err      error
}

func (e *VerificationError) Error() string {
	return "the sandbox that provider " + e.Provider + " created runs no commands: " + e.Err.Error()
}

func (e *VerificationError) Unwrap() error { return e.Err }
