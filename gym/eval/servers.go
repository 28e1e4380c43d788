package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
)

// ServersOptions say which servers [WithServers] starts, and how. Graph is needed; the others mean what they mean in [Options].
type ServersOptions struct {
	Graph           *config.Graph
	Implementations []string
	SearchDirs      []string
	LogDir          string
	Verbose         bool
	Command         []string
	Interrupts      func() (signals <-chan os.Signal, stop func())
	Stdout, Stderr  io.Writer
}

// WithServers starts the servers of a configuration, lets work call them, and stops them when it has returned. Where spans go is what
// settings say. The context of work ends with [ErrInterrupted] when the user interrupts, and when a server dies.
func WithServers(ctx context.Context, o ServersOptions, work func(ctx context.Context, client *wire.Client) error) error {
	if err := o.complete(); err != nil {
		return err
	}
	return o.supervise(ctx, func(ctx context.Context, cancel context.CancelCauseFunc) error {
		return useServers(ctx, cancel, o, work)
	}, "Stopping: what is done is kept.")
}

// complete refuses servers that cannot be started, and fills in what was left out.
func (o *ServersOptions) complete() error {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Implementations == nil {
		return nil
	}
	return fleet.CheckImplementations(o.Graph, o.Implementations, o.SearchDirs)
}

// supervise runs work with the telemetry of a supervisor and in the trace that the process was started in. Each of the user's interrupts
// is answered with the next text, and the first ends the context with [ErrInterrupted].
func (o *ServersOptions) supervise(ctx context.Context, work func(ctx context.Context, cancel context.CancelCauseFunc) error, texts ...string) error {
	ctx, cancel := context.WithCancelCause(carrier.FromEnv(ctx))
	defer cancel(nil)
	if o.Interrupts != nil {
		signals, stop := o.Interrupts()
		defer stop()
		var steps []func()
		for _, text := range texts {
			steps = append(steps, func() {
				fmt.Fprintln(o.Stderr, "\n"+text)
				cancel(ErrInterrupted)
			})
		}
		defer onSignals(signals, steps...)()
	}
	for _, warning := range telemetry.ParseSettings(o.Graph.Telemetry()).Export(telemetry.OS).Warnings {
		fmt.Fprintln(o.Stderr, warning)
	}
	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
	if err != nil {
		fmt.Fprintln(o.Stderr, err)
	}
	err = work(ctx, cancel)
	flush, done := context.WithTimeout(context.WithoutCancel(ctx), flushBudget)
	defer done()
	return errors.Join(err, handle.Shutdown(flush))
}

// fleetOptions say how the servers are started.
func (o *ServersOptions) fleetOptions() fleet.Options {
	out := fleet.Options{
		Graph: o.Graph, Command: o.Command, Implementations: o.Implementations, SearchDirs: o.SearchDirs,
		LogDir: o.LogDir, Stdout: o.Stdout, Notice: func(text string) { fmt.Fprintln(o.Stderr, text) },
	}
	if o.Verbose {
		out.Stderr = o.Stderr
	}
	return out
}

// useServers is WithServers without telemetry and signals.
func useServers(ctx context.Context, cancel context.CancelCauseFunc, o ServersOptions, work func(ctx context.Context, client *wire.Client) error) error {
	servers, err := fleet.Start(ctx, o.fleetOptions())
	if err != nil {
		return interruptedOr(ctx, err)
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-servers.Done():
			cancel(servers.Err())
		case <-done:
		}
	}()
	client := wire.NewClient(servers.Client())
	err = interruptedOr(ctx, work(ctx, client))
	if died := servers.Err(); died != nil && err != nil {
		err = died
	}
	client.Close()
	close(done)
	<-gone
	return errors.Join(err, servers.Stop(context.WithoutCancel(ctx)))
}
