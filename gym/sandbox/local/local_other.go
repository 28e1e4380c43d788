//go:build !linux

package local

import (
	"context"
	"errors"
	"runtime"

	"github.com/lensgo/lens/gym/sandbox"
)

var errSystem = errors.New("it is made of Linux namespaces, and this is " + runtime.GOOS + "; use provider docker")

// Provider makes sandboxes out of Linux namespaces. Elsewhere it refuses.
type Provider struct{}

// New returns a provider.
func New(o Options) (*Provider, error) { return &Provider{}, o.check() }

// Name is "local".
func (*Provider) Name() string { return Name }

// Create fails.
func (*Provider) Create(_ context.Context, spec sandbox.Spec) (sandbox.Handle, error) {
	return sandbox.Handle{}, &sandbox.CreateError{Provider: Name, Err: errors.Join(errSystem, refuse(&spec))}
}

// Exec fails.
func (*Provider) Exec(context.Context, sandbox.Handle, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{}, errSystem
}

// Upload fails.
func (*Provider) Upload(context.Context, sandbox.Handle, string, string) error { return errSystem }

// Download fails.
func (*Provider) Download(context.Context, sandbox.Handle, string, string) error { return errSystem }

// Status knows of no sandbox.
func (*Provider) Status(context.Context, sandbox.Handle) (sandbox.Status, error) {
	return sandbox.StatusUnknown, nil
}

// Remove does nothing.
func (*Provider) Remove(context.Context, sandbox.Handle) error { return nil }

// Close does nothing.
func (*Provider) Close() error { return nil }
