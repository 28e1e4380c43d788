// Package demo is what "gym demo" writes and runs: three small environments with twenty tasks each, one model that needs
// no GPU and no network, and a run that collects two rollouts of every task, each one trace.
//
// Everything lands in one folder: the configuration and the tasks, so that a reader can change them and run them again
// with "gym eval run"; the results; and the traces.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/rollout"
)

// What a demo collects.
const (
	repeats     = 2
	concurrency = 16
)

// Names of files inside the folder of a demo run.
const (
	ResultsFile = "results.jsonl"
	TracesFile  = "traces.jsonl"
	LogFolder   = "logs"
)

// Options say where the demo writes and who is listening.
type Options struct {
	// Dir is the folder to write; empty means gym-demo/<UTC time> below the current directory. It is created, and
	// nothing in it is ever overwritten or deleted.
	Dir string
	// Sink, when not nil, is asked for what gets the traces beside the trace file, once the folder has its configuration.
	Sink    func(dir string) (eval.Sink, error)
	Verbose bool
	// Watch, Command, Interrupts, Stdout and Stderr are those of [eval.Options].
	Watch          func(eval.Progress)
	Command        []string
	Interrupts     func() (signals <-chan os.Signal, stop func())
	Stdout, Stderr io.Writer
}

// Run writes the demo and runs it. The result is as [eval.Run] gives it; dir is the folder.
func Run(ctx context.Context, o Options) (result *eval.Result, dir string, err error) {
	dir = o.Dir
	if dir == "" {
		dir = filepath.Join("gym-demo", time.Now().UTC().Format("20060102T150405.000Z"))
	}
	files, err := Write(dir)
	if err != nil {
		return nil, dir, err
	}
	if o.Stderr != nil {
		fmt.Fprintf(o.Stderr, "Writing to %s\n", dir)
	}
	result, err = eval.Run(ctx, eval.Options{
		ConfigPaths: []string{files.Config},
		Rollout: rollout.Options{
			Input:       files.Combined,
			Output:      filepath.Join(dir, ResultsFile),
			Repeats:     repeats,
			Concurrency: concurrency,
		},
		Sink:       sinkIn(o.Sink, dir),
		Watch:      o.Watch,
		Traces:     filepath.Join(dir, TracesFile),
		LogDir:     filepath.Join(dir, LogFolder),
		Verbose:    o.Verbose,
		Command:    o.Command,
		Interrupts: o.Interrupts,
		Stdout:     o.Stdout,
		Stderr:     o.Stderr,
	})
	return result, dir, err
}

// sinkIn is what asks for the sink of a run in dir, nil when nothing does.
func sinkIn(sink func(dir string) (eval.Sink, error), dir string) func() (eval.Sink, error) {
	if sink == nil {
		return nil
	}
	return func() (eval.Sink, error) { return sink(dir) }
}
