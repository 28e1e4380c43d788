package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/examples/trainer/rl"
	"github.com/lensgo/lens/examples/trainer/train"
)

// pipe is a connection over two files.
type pipe struct {
	io.Reader
	io.Writer
}

// lead starts the workers and is the one of rank 0. When it fails it ends the others.
func (o options) lead(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	comm := &train.Comm{Ranks: o.workers}
	for rank := 1; rank < o.workers; rank++ {
		connection, wait, err := o.start(ctx, rank)
		if err != nil {
			return fmt.Errorf("cannot start the worker of rank %d: %w", rank, err)
		}
		defer wait(cancel)
		comm.Peers = append(comm.Peers, connection)
	}
	if err = o.train(ctx, comm); err == nil {
		for _, peer := range comm.Peers {
			_, err2 := io.Copy(io.Discard, peer) // until it has ended by itself
			err = errors.Join(err, err2)
		}
	}
	return err
}

// start starts this program once more as a worker, connected by its standard input and output.
func (o options) start(ctx context.Context, rank int) (_ pipe, wait func(cancel func()), err error) {
	cmd, err := o.again(ctx, "worker", "-rank", strconv.Itoa(rank))
	if err != nil {
		return pipe{}, nil, err
	}
	to, err := cmd.StdinPipe()
	if err != nil {
		return pipe{}, nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return pipe{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return pipe{}, nil, err
	}
	return pipe{from, to}, func(cancel func()) {
		cancel()
		_ = cmd.Wait() // it has said itself what went wrong
	}, nil
}

// again is a command that runs this program in another role, with the trace that the context holds and the name of the run in its
// environment.
func (o options) again(ctx context.Context, role string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{
		"-role", role, "-workers", strconv.Itoa(o.workers), "-steps", strconv.Itoa(o.steps), "-every", strconv.Itoa(o.every),
		"-seed", strconv.FormatUint(o.seed, 10), "-checkpoint", o.checkpoint,
	}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(cmd.Environ(), "NEMO_LENS_RUN_ID="+o.run)
	carrier.SetEnv(ctx, cmd)
	return cmd, nil
}

func (o options) game() *rl.Game { return rl.NewGame(inputs, actions, o.seed) }

// train is the whole training, as one worker does it.
func (o options) train(ctx context.Context, comm *train.Comm) error {
	driver := &rl.Driver{
		Trainer: &train.Trainer{Model: train.NewModel(inputs, hidden, actions, o.seed), Comm: comm, Rate: 1, Microbatch: 32},
		Game:    o.game(), Seed: o.seed, Games: games,
	}
	for i := range o.steps {
		var trace lens.Ref
		loss := ""
		reward, err := driver.Step(ctx, i, func(ctx context.Context) (err error) {
			trace = lens.RefFrom(ctx)
			if comm.Rank == 0 && (i%o.every == 0 || i == o.steps-1) {
				loss, err = o.measure(ctx, driver.Trainer.Model)
			}
			return err
		})
		if err != nil {
			return err
		}
		if comm.Rank == 0 {
			fmt.Fprintf(o.out, "step %-3d reward %.3f  loss %-7s", i, reward, loss)
			if trace.Valid() {
				fmt.Fprintf(o.out, " trace %x", trace.TraceID)
			}
			fmt.Fprintln(o.out)
		}
	}
	return nil
}

// measure writes a checkpoint, and gives what another process says about it.
func (o options) measure(ctx context.Context, m *train.Model) (string, error) {
	if err := m.Save(ctx, o.checkpoint); err != nil {
		return "", err
	}
	cmd, err := o.again(ctx, "evaluate")
	if err != nil {
		return "", err
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot evaluate %s in another process: %w", o.checkpoint, err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// evaluate is what that process does: its spans are below the one whose trace is in the environment.
func (o options) evaluate(ctx context.Context) error {
	m, err := train.Load(ctx, o.checkpoint)
	if err != nil {
		return err
	}
	if m.Inputs != inputs || m.Actions != actions {
		return fmt.Errorf("cannot evaluate %s: it has %d inputs and %d actions, and the game has %d and %d", o.checkpoint, m.Inputs, m.Actions, inputs, actions)
	}
	fmt.Fprintf(o.out, "%.4f\n", train.Evaluate(ctx, m, o.game().Examples(held, o.seed)))
	return nil
}
