// Command trainer is an example: an RL driver on top of a trainer, two libraries with span groups of their own, and data-parallel
// workers in separate processes. It trains a small policy on the CPU in a second or two.
//
//	go run ./examples/trainer -workers 3 -steps 20
//
// Each step is one trace over all workers: rank 0 broadcasts the trace of its step to the others, over the connections that they
// sum gradients over. Every few steps it writes a checkpoint and starts one more process, which measures that and has the trace
// from its environment. See it in the viewer:
//
//	go run ./cmd/lens view
//	NEMO_LENS_ENABLED=1 NEMO_LENS_SPAN_GROUPS=per_step go run ./examples/trainer
//
// NEMO_LENS_SPAN_GROUPS says how much it tells: default, per_step, or all, which has each layer of each pass.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/examples/trainer/train"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

const (
	inputs, hidden, actions = 6, 16, 4
	games                   = 96 // a worker and step
	held                    = 200
)

// options are the same for all processes of a job.
type options struct {
	workers, steps, every int
	seed                  uint64
	role                  string // of a process that this program has started itself
	rank                  int
	checkpoint            string
	run                   string   // nemo.run.id, the same for all processes of the job
	out                   *os.File // for what the process has to say
}

func main() { os.Exit(run()) }

func run() int {
	var o options
	flag.IntVar(&o.workers, "workers", 2, "processes that train")
	flag.IntVar(&o.steps, "steps", 20, "steps")
	flag.IntVar(&o.every, "every", 5, "steps between two evaluations")
	flag.Uint64Var(&o.seed, "seed", 1, "for the game, the model and the games that are played")
	flag.StringVar(&o.checkpoint, "checkpoint", "", "file for the model; empty: one that is removed at the end")
	flag.StringVar(&o.role, "role", "", "of the program's own processes: worker or evaluate")
	flag.IntVar(&o.rank, "rank", 0, "of a worker")
	flag.Parse()
	if o.workers < 1 || o.steps < 1 || o.every < 1 {
		fmt.Fprintln(os.Stderr, "trainer: -workers, -steps and -every are 1 or more")
		return 2
	}
	if o.out = os.Stdout; o.role != "" {
		os.Stdout = os.Stderr // that of the program's own processes is a connection: spans for the console go elsewhere
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	shutdown := o.setUp(ctx)
	defer shutdown()
	if err := o.play(carrier.FromEnv(ctx)); err != nil {
		fmt.Fprintf(os.Stderr, "trainer: rank %d: %v\n", o.rank, err)
		return 1
	}
	return 0
}

// setUp connects telemetry. The program goes on without it when that fails.
func (o *options) setUp(ctx context.Context) (shutdown func()) {
	config, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		fmt.Fprintln(os.Stderr, "trainer:", err)
	}
	config.ServiceName = telemetry.ServiceName("trainer")
	var options []telemetry.Option
	if o.role == "evaluate" {
		config.ServiceName += "-evaluate"
	} else {
		options = append(options, otelopt.WithResourceAttributes(attribute.Int("nv.dl.rank", o.rank)))
	}
	handle, err := telemetry.Setup(ctx, config, options...)
	o.run = handle.RunID()
	if err != nil && (o.role == "" || !errors.Is(err, telemetry.ErrCompiledOut)) { // once is enough
		fmt.Fprintln(os.Stderr, "trainer:", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := handle.Shutdown(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "trainer:", err)
		}
	}
}

// play does what the process is for.
func (o options) play(ctx context.Context) error {
	switch o.role {
	case "evaluate":
		return o.evaluate(ctx)
	case "worker":
		return o.train(ctx, &train.Comm{Rank: o.rank, Ranks: o.workers, Peers: []io.ReadWriter{pipe{os.Stdin, o.out}}})
	}
	if o.checkpoint == "" {
		dir, err := os.MkdirTemp("", "trainer")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.checkpoint = filepath.Join(dir, "model.json")
	}
	return o.lead(ctx)
}
