package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/lensgo/lens/gym/fleet"
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
	if err := o.complete(); err != nil {
		return err
	}
	o.Stages.Begin(fleet.StageInitTelemetry)
	return o.supervise(ctx, func(ctx context.Context, _ context.CancelCauseFunc) error { return serve(ctx, o) },
		"Stopping.", "Already stopping: servers hand out their last traces.")
}

// serve is Serve without telemetry and signals.
func serve(ctx context.Context, o ServeOptions) error {
	o.Stages.Begin(fleet.StageStartHead)
	head, err := fleet.StartHead(o.Graph, slog.New(slog.NewTextHandler(o.Stderr, nil)))
	if err != nil {
		return err
	}
	defer head.Stop()
	defer o.record(head)()
	options := o.fleetOptions()
	options.MaxRestarts, options.Stages = o.MaxRestarts, o.Stages.List()
	servers, err := fleet.Start(ctx, options)
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

// record writes down where the head server is, for gym env stop and status, until forget is called.
func (o *ServeOptions) record(head *fleet.Head) (forget func()) {
	folder, _ := os.Getwd() // for people only
	forget, err := fleet.State{Head: head.Address(), PID: os.Getpid(), Started: time.Now(), Folder: folder, Config: o.Graph.Files}.Record()
	if err != nil {
		fmt.Fprintf(o.Stderr, "gym env stop will not find these servers: %v\n", err)
		return func() {}
	}
	return forget
}
