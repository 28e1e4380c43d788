package sandbox

import (
	"context"
	"time"
)

// Provider makes sandboxes of one kind. All methods may be called concurrently.
type Provider interface {
	// Name is the provider's name, as it stands in configurations, spans and metrics.
	Name() string
	// Create makes a sandbox and returns when it can run commands. The error is a [CreateError] or a [VerificationError];
	// nothing is left behind then.
	Create(ctx context.Context, spec Spec) (Handle, error)
	// Exec runs a command to its end. When its time is over, or ctx is, it is killed. The error is that of ctx, or says that
	// the command cannot be run as it was asked for; failures of the sandbox are in the result.
	Exec(ctx context.Context, h Handle, c Command) (Result, error)
	// Upload copies a file from this machine into the sandbox; folders above it are made.
	Upload(ctx context.Context, h Handle, local, remote string) error
	// Download copies a file out of the sandbox.
	Download(ctx context.Context, h Handle, remote, local string) error
	// Status tells how a sandbox is. An error means that it could not be found out.
	Status(ctx context.Context, h Handle) (Status, error)
	// Remove ends a sandbox with everything in it. One that is gone is no error.
	Remove(ctx context.Context, h Handle) error
	// Close releases what the provider itself holds, and ends the sandboxes that it made and that are left. It may be called
	// twice.
	Close() error
}

// Endpointer is a provider whose sandboxes can be reached at a port.
type Endpointer interface {
	Endpoint(ctx context.Context, h Handle, port int) (Endpoint, error)
}

// Connector is a provider whose sandboxes outlive the process that made them, and can be found again.
type Connector interface {
	// Serialize returns a text by which Connect, in any process of this machine, finds the sandbox.
	Serialize(h Handle) (string, error)
	Connect(ctx context.Context, text string) (Handle, error)
}

// Opener makes a provider from the options that stand under its name in a configuration, JSON or empty.
type Opener func(options []byte) (Provider, error)

// Handle is a created sandbox.
type Handle struct {
	ID       string
	Provider string
	Raw      any // the provider's own
}

// Command is what a sandbox should run.
type Command struct {
	Text    string            // for the sandbox's shell
	Stdin   []byte            // empty: end of file at once
	Dir     string            // "" is the spec's workdir, else the provider's
	Env     map[string]string // beside the spec's
	User    string            // "" is the provider's own choice
	Timeout time.Duration     // 0 is DefaultExecTimeout
}

// DefaultExecTimeout is how long a command may run that has no timeout of its own.
const DefaultExecTimeout = 180 * time.Second

// Result is what became of a command.
type Result struct {
	Stdout, Stderr string // of a command that was killed, what it had written; cut at the provider's bound
	Cut            bool   // one of them is not all that was written
	ReturnCode     int
	ErrorType      string // "" when ReturnCode is the command's own; else ErrorTimeout or ErrorSandbox
	Err            error  // what went wrong, when ErrorType is ErrorSandbox
}

// RuntimeFailure is the return code of a command that has none.
const RuntimeFailure = 125

// Why a command has no return code.
const (
	ErrorTimeout = "timeout" // its time was over
	ErrorSandbox = "sandbox" // the sandbox failed, or was stopped
)

// Failed is the result of a command that has no return code.
func Failed(errorType string, err error) Result {
	return Result{ReturnCode: RuntimeFailure, ErrorType: errorType, Err: err}
}

// Status is how a sandbox is.
type Status string

// The statuses.
const (
	StatusStarting Status = "starting"
	StatusRunning  Status = "running"
	StatusStopped  Status = "stopped"
	StatusError    Status = "error"
	StatusUnknown  Status = "unknown"
)

// Endpoint is where a port of a sandbox can be reached.
type Endpoint struct {
	URL     string            // absolute
	Headers map[string]string // that a request needs
}
