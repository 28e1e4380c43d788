package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// stopTimeout bounds a Stop, which goes on when its context is over.
const stopTimeout = 60 * time.Second

// Sandbox is one sandbox, from its start to its stop.
type Sandbox struct {
	provider Provider
	spec     Spec

	starting sync.Mutex // held by Start and Stop, so that neither sees the other's half
	mu       sync.Mutex
	phase    phase
	handle   Handle
	foreign  bool // another process made it, and counts it
}

type phase int

const (
	fresh phase = iota
	running
	stopped
)

// New returns a sandbox that is to be started. It owns the provider from now on.
func New(p Provider, spec Spec) *Sandbox { return &Sandbox{provider: p, spec: spec} }

// Connect returns the running sandbox that Serialize, in this or another process, gave text for. It owns the provider from
// now on, and closes it when there is no such sandbox. The spec's env, workdir and ports hold for what is done through it.
func Connect(ctx context.Context, p Provider, text string, spec Spec) (*Sandbox, error) {
	c, ok := p.(Connector)
	if !ok {
		return nil, errors.Join(fmt.Errorf("cannot connect to a sandbox: those of provider %s end with the process that made them", p.Name()), p.Close())
	}
	h, err := c.Connect(ctx, text)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot connect to a sandbox of provider %s: %w", p.Name(), err), p.Close())
	}
	return &Sandbox{provider: p, spec: spec, phase: running, handle: h, foreign: true}, nil
}

// Start creates the sandbox and puts the spec's files into it. When it fails, everything is stopped and the provider is
// closed. A sandbox is started once.
func (s *Sandbox) Start(ctx context.Context) (err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	switch s.now() {
	case running:
		return ErrStarted
	case stopped:
		return ErrStopped
	}
	ctx, span := telemetry.Sandbox.Start(ctx, semconv.SpanGymSandboxStart)
	span.Str(semconv.GymSandboxProvider, s.provider.Name())
	defer func() { end(span, "cannot start the sandbox", err) }()
	began := time.Now()
	if err = s.create(ctx); err != nil {
		return errors.Join(err, s.release(ctx))
	}
	span.Str(semconv.GymSandboxID, s.handle.ID)
	if err = s.putFiles(ctx); err != nil {
		return errors.Join(err, s.release(ctx))
	}
	metrics.Gym.SandboxStarted(ctx, s.provider.Name(), time.Since(began))
	return nil
}

func (s *Sandbox) create(ctx context.Context) error {
	if err := s.spec.Validate(); err != nil {
		return &CreateError{Provider: s.provider.Name(), Err: err}
	}
	h, err := s.provider.Create(ctx, s.spec)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.phase, s.handle = running, h
	s.mu.Unlock()
	metrics.Gym.SandboxesHeld(ctx, s.provider.Name(), 1)
	return nil
}

// putFiles writes the spec's files by way of a folder of this machine, because uploading is what every provider can do.
func (s *Sandbox) putFiles(ctx context.Context) error {
	if len(s.spec.Files) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "gym-sandbox-files-")
	if err != nil {
		return fmt.Errorf("cannot put files into the sandbox: %w", err)
	}
	defer os.RemoveAll(dir)
	local := filepath.Join(dir, "file")
	for _, remote := range slices.Sorted(maps.Keys(s.spec.Files)) {
		if err := os.WriteFile(local, []byte(s.spec.Files[remote]), 0o600); err != nil {
			return fmt.Errorf("cannot put file %q into the sandbox: %w", remote, err)
		}
		if err := s.provider.Upload(ctx, s.handle, local, s.path(remote)); err != nil {
			return fmt.Errorf("cannot put file %q into the sandbox: %w", remote, err)
		}
	}
	return nil
}

// path is where a file of the sandbox is: relative ones are in the working directory, when the spec has one.
func (s *Sandbox) path(remote string) string {
	if path.IsAbs(remote) || s.spec.Workdir == "" {
		return remote
	}
	return path.Join(s.spec.Workdir, remote)
}

// Exec runs a command; see the package's page for what it returns.
func (s *Sandbox) Exec(ctx context.Context, c Command) (result Result, err error) {
	h, err := s.held()
	if err != nil {
		return Result{}, err
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultExecTimeout
	}
	if c.Dir == "" {
		c.Dir = s.spec.Workdir
	}
	if len(s.spec.Env) > 0 {
		env := maps.Clone(s.spec.Env)
		maps.Copy(env, c.Env)
		c.Env = env
	}
	ctx, span := telemetry.Sandbox.Start(ctx, semconv.SpanGymSandboxExec)
	span.Str(semconv.GymSandboxProvider, s.provider.Name())
	began := time.Now()
	result, err = s.provider.Exec(ctx, h, c)
	metrics.Gym.SandboxExecuted(ctx, s.provider.Name(), time.Since(began))
	span.Str(semconv.GymSandboxID, h.ID)
	span.Int(semconv.GymSandboxReturnCode, result.ReturnCode)
	failure := err
	if err == nil && result.ErrorType != "" {
		failure = errors.New(result.ErrorType)
	}
	end(span, "no return code: "+result.ErrorType, failure)
	return result, err
}

// Upload copies a file from this machine into the sandbox. A relative remote is in the spec's workdir.
func (s *Sandbox) Upload(ctx context.Context, local, remote string) error {
	h, err := s.held()
	if err != nil {
		return err
	}
	return s.provider.Upload(ctx, h, local, s.path(remote))
}

// Download copies a file of the sandbox to this machine. A relative remote is in the spec's workdir.
func (s *Sandbox) Download(ctx context.Context, remote, local string) error {
	h, err := s.held()
	if err != nil {
		return err
	}
	return s.provider.Download(ctx, h, s.path(remote), local)
}

// Status tells how the sandbox is: starting before Start is done, stopped after Stop.
func (s *Sandbox) Status(ctx context.Context) (Status, error) {
	h, err := s.held()
	switch {
	case errors.Is(err, ErrNotStarted):
		return StatusStarting, nil
	case err != nil:
		return StatusStopped, nil
	}
	return s.provider.Status(ctx, h)
}

// Endpoint tells where a port of the sandbox can be reached. The port must be one of the spec's.
func (s *Sandbox) Endpoint(ctx context.Context, port int) (Endpoint, error) {
	h, err := s.held()
	if err != nil {
		return Endpoint{}, err
	}
	if !slices.Contains(s.spec.Ports, port) {
		return Endpoint{}, fmt.Errorf("port %d has no endpoint: ports of the spec are %v", port, s.spec.Ports)
	}
	e, ok := s.provider.(Endpointer)
	if !ok {
		return Endpoint{}, fmt.Errorf("port %d has no endpoint: sandboxes of provider %s cannot be reached", port, s.provider.Name())
	}
	return e.Endpoint(ctx, h, port)
}

// Serialize returns a text by which Connect finds the sandbox in another process. Only providers whose sandboxes outlive
// this process have one.
func (s *Sandbox) Serialize() (string, error) {
	h, err := s.held()
	if err != nil {
		return "", err
	}
	c, ok := s.provider.(Connector)
	if !ok {
		return "", fmt.Errorf("cannot hand the sandbox on: those of provider %s end with the process that made them", s.provider.Name())
	}
	return c.Serialize(h)
}

// Stop ends the sandbox with everything in it and closes the provider. It goes on, for up to a minute, when ctx is over. A
// second call does nothing; one during Start waits for it.
func (s *Sandbox) Stop(ctx context.Context) (err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.now() == stopped {
		return nil
	}
	ctx, span := telemetry.Sandbox.Start(ctx, semconv.SpanGymSandboxStop)
	span.Str(semconv.GymSandboxProvider, s.provider.Name())
	defer func() { end(span, "cannot stop the sandbox", err) }()
	if s.now() == running {
		span.Str(semconv.GymSandboxID, s.handle.ID)
	}
	return s.release(ctx)
}

// release ends what is there, whatever goes wrong. The count goes down in any case: nobody holds the sandbox any more.
func (s *Sandbox) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	s.mu.Lock()
	was := s.phase
	s.phase = stopped
	s.mu.Unlock()
	var errs []error
	if was == running {
		errs = append(errs, s.provider.Remove(ctx, s.handle))
		if !s.foreign {
			metrics.Gym.SandboxesHeld(ctx, s.provider.Name(), -1)
		}
	}
	return errors.Join(append(errs, s.provider.Close())...)
}

func (s *Sandbox) now() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// held is the handle of a sandbox that can be used.
func (s *Sandbox) held() (Handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.phase {
	case fresh:
		return Handle{}, ErrNotStarted
	case stopped:
		return Handle{}, ErrStopped
	}
	return s.handle, nil
}

// end closes a span. What a provider says may hold a command or a value of the environment, so a span says only text.
func end(span lens.Span, text string, err error) {
	if err != nil {
		span.Err(errors.New(text))
	}
	span.End()
}
