package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/telemetry"
)

// ServeOptions say which servers [Serve] keeps, and how.
type ServeOptions struct {
	ServersOptions
	MaxRestarts int
	Stages      fleet.Stages // the parts of the start that came before
	// Started is told when every server has answered, with the address of the head server.
	Started func(head string, servers []fleet.Instance) error
}

// Serve starts the servers of a configuration and a head server that tells drivers of them, and keeps them until the user
// interrupts, which is no error, before they have started neither, or one dies.
func Serve(ctx context.Context, o ServeOptions) error {
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
			fmt.Fprintln(o.Stderr, "\nStopping.")
			cancel(ErrInterrupted)
		}, func() { fmt.Fprintln(o.Stderr, "\nAlready stopping: servers hand out their last traces.") })()
	}
	o.Stages.Begin(fleet.StageInitTelemetry)
	for _, warning := range telemetry.ParseSettings(o.Graph.Telemetry()).Export(telemetry.OS).Warnings {
		fmt.Fprintln(o.Stderr, warning)
	}
	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
	if err != nil {
		fmt.Fprintln(o.Stderr, err)
	}
	err = serve(ctx, o)
	flush, done := context.WithTimeout(context.WithoutCancel(ctx), flushBudget)
	defer done()
	return errors.Join(err, handle.Shutdown(flush))
}

// serve is Serve without telemetry and signals.
func serve(ctx context.Context, o ServeOptions) error {
	o.Stages.Begin(fleet.StageStartHead)
	head, err := fleet.StartHead(o.Graph, slog.New(slog.NewTextHandler(o.Stderr, nil)))
	if err != nil {
		return err
	}
	defer head.Stop()
	folder, _ := os.Getwd() // for people only
	forget, err := fleet.State{Head: head.Address(), PID: os.Getpid(), Started: time.Now(), Folder: folder, Config: o.Graph.Files}.Record()
	if err != nil {
		fmt.Fprintf(o.Stderr, "gym env stop will not find these servers: %v\n", err)
		forget = func() {}
	}
	defer forget()
	log := io.Writer(nil)
	if o.Verbose {
		log = o.Stderr
	}
	servers, err := fleet.Start(ctx, fleet.Options{
		Graph: o.Graph, Command: o.Command, Implementations: o.Implementations, SearchDirs: o.SearchDirs, MaxRestarts: o.MaxRestarts,
		LogDir: o.LogDir, Stdout: o.Stdout, Stderr: log, Notice: func(text string) { fmt.Fprintln(o.Stderr, text) }, Stages: o.Stages.List(),
	})
	if errors.Is(interruptedOr(ctx, err), ErrInterrupted) {
		fmt.Fprintln(o.Stderr, "Stopped before every server had answered.")
		return nil
	}
	if err != nil {
		return err
	}
	err = head.Ready(o.Graph, servers)
	if err == nil && o.Started != nil {
		err = o.Started(head.Address(), servers.Instances())
	}
	if err == nil {
		select {
		case <-servers.Done():
			err = servers.Err()
		case <-ctx.Done(): // the user has had enough
		}
	}
	return errors.Join(err, servers.Stop(context.WithoutCancel(ctx)))
}
