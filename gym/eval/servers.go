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
	if o.Implementations != nil {
		if err := fleet.CheckImplementations(o.Graph, o.Implementations, o.SearchDirs); err != nil {
			return err
		}
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	ctx, cancel := context.WithCancelCause(carrier.FromEnv(ctx))
	defer cancel(nil)
	if o.Interrupts != nil {
		signals, stop := o.Interrupts()
		defer stop()
		defer onSignals(signals, func() {
			fmt.Fprintln(o.Stderr, "\nStopping: what is done is kept.")
			cancel(ErrInterrupted)
		})()
	}
	for _, warning := range telemetry.ParseSettings(o.Graph.Telemetry()).Export(telemetry.OS).Warnings {
		fmt.Fprintln(o.Stderr, warning)
	}
	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
	if err != nil {
		fmt.Fprintln(o.Stderr, err)
	}
	err = useServers(ctx, cancel, o, work)
	flush, done := context.WithTimeout(context.WithoutCancel(ctx), flushBudget)
	defer done()
	return errors.Join(err, handle.Shutdown(flush))
}

// useServers is WithServers without telemetry and signals.
func useServers(ctx context.Context, cancel context.CancelCauseFunc, o ServersOptions, work func(ctx context.Context, client *wire.Client) error) error {
	log := io.Writer(nil)
	if o.Verbose {
		log = o.Stderr
	}
	servers, err := fleet.Start(ctx, fleet.Options{
		Graph: o.Graph, Command: o.Command, Implementations: o.Implementations, SearchDirs: o.SearchDirs,
		LogDir: o.LogDir, Stdout: o.Stdout, Stderr: log, Notice: func(text string) { fmt.Fprintln(o.Stderr, text) },
	})
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
