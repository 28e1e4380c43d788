package eval

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/viewer/ingest"
)

const (
	// drainTime is how long running rollouts may go on after the first interrupt.
	drainTime = 10 * time.Second
	// flushBudget bounds how long this process may take to hand out its last spans, and the receiver to write them.
	flushBudget = 5 * time.Second
	// receiverBudget is that for both when the receiver is the run's own: it always answers, and a large run has spans for longer.
	receiverBudget = time.Minute
)

// Options describe a run.
type Options struct {
	// ConfigPaths are the configuration files; later ones win. Overrides win over all of them. Graph is a configuration that
	// was loaded already; with one, the two are not looked at.
	ConfigPaths []string
	Overrides   config.Overrides
	Graph       *config.Graph
	// Rollout says which rows to run and how. Graph, Traced, SingleTrace, Progress and Watch are filled in by Run.
	Rollout rollout.Options
	// Split names the data sets of the configuration that are run when Rollout.Input is empty: those of that type.
	Split string
	// Traces is the file that the run's own receiver writes, emptied first unless the run is resumed. Empty: no receiver,
	// telemetry settings decide.
	Traces string
	// Sink opens what also gets the traces that the receiver takes, a viewer beside the run, once everything was checked. Nil:
	// there is none. It needs Traces.
	Sink func() (Sink, error)
	// Watch is told how far the run is: once telemetry is set up, then as [rollout.Options] says, and once more when all is done.
	// Without telemetry no run has a name, and nothing is told. Nil: nobody watches.
	Watch func(Progress)
	// LogDir receives one log file a server. Empty: only the last lines are kept, for error messages.
	LogDir string
	// Verbose shows the servers' logs.
	Verbose bool
	// Command starts a server, see [fleet.Options]. Implementations are those that it can serve: an instance of another that is
	// no external server either is refused before anything starts. Nil: not checked.
	Command         []string
	Implementations []string
	// SearchDirs, MaxRestarts, Fused and Builders are those of [fleet.Options]. With restarts, rollouts whose agent did not
	// answer begin again.
	SearchDirs  []string
	MaxRestarts int
	Fused       bool
	Builders    map[string]fleet.Builder
	// Head is the address of a head server whose servers are used instead of starting any; Graph is then its configuration.
	// Empty: servers are started.
	Head string
	// Stages are the parts of the start that came before.
	Stages fleet.Stages
	// Interrupts begins to deliver the user's interrupts, until stop is called: while rollouts are collected, the first
	// lets running ones finish and the second cancels them; before that one is enough. Run calls it when configuration
	// and tasks are read: until then there is nothing to bring to an end. Nil: none.
	Interrupts func() (signals <-chan os.Signal, stop func())
	// Stdout receives what the servers print on standard output (the console exporter). Stderr receives progress and
	// what a user should know. Both are written by several goroutines, which is safe with an [os.File]. Nil discards.
	Stdout, Stderr io.Writer
}

// Sink takes what the run's receiver takes.
type Sink = ingest.Sink

// Result is what a run left behind.
type Result struct {
	Summary *rollout.Summary
	// Traces is nil when no receiver ran; TracesNote then says where traces went, or that there are none.
	Traces     *Traces
	TracesNote string
}

// Run collects rollouts from beginning to end. The result is not nil as soon as rollouts have begun, also with an error:
// what was finished is on disk and counted. An error that wraps [ErrInterrupted] says that the user stopped the run.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	graph, err := o.load()
	if err != nil {
		return nil, err
	}
	if o.Implementations != nil && o.Head == "" {
		if err := fleet.CheckImplementations(graph, o.Implementations, o.SearchDirs); err != nil {
			return nil, err
		}
	}
	r := &run{Options: o, graph: graph}
	r.Rollout.Again = r.Rollout.Again || o.MaxRestarts > 0
	r.Rollout.Graph, r.Rollout.Progress, r.Rollout.Watch = graph, r.progress(), r.watch
	captures, err := capture.ForGraph(graph)
	if err != nil {
		return nil, err
	}
	if captures != nil {
		r.Rollout.Captures = captures
	}
	if err := r.collate(); err != nil {
		return nil, err
	}
	r.Rollout.RunID = cmp.Or(r.Rollout.RunID, r.givenRunID())
	if r.plan, err = rollout.Prepare(r.Rollout); err != nil {
		return nil, err
	}
	if err := r.checkFiles(); err != nil {
		return nil, err
	}
	if err := r.checkConcurrency(); err != nil {
		return nil, err
	}
	for _, note := range slices.Concat(graph.Notes, r.plan.Notes()) {
		r.say("%s", note)
	}
	if o.Interrupts != nil {
		signals, stop := o.Interrupts()
		defer stop()
		r.signals = signals
	}
	return r.do(ctx)
}

// load reads the configuration, unless the caller has. ConfigPaths then are the files that it came from.
func (o *Options) load() (*config.Graph, error) {
	if o.Graph == nil {
		o.Stages.Begin(fleet.StageLoadConfig)
		return config.Load(o.ConfigPaths, o.Overrides)
	}
	o.ConfigPaths = o.Graph.Files
	return o.Graph, nil
}

// run is the state of one call of Run.
type run struct {
	Options
	graph   *config.Graph
	plan    *rollout.Plan
	signals <-chan os.Signal

	receiver *ingest.Receiver
	earlier  int // lines that the trace file had before this run
	handle   interface{ Shutdown(context.Context) error }
	id       string           // of the run; empty when telemetry is off
	last     rollout.Progress // that was told
	// note says where traces go when no receiver runs, uncountable why they cannot be counted by rollout.
	note, uncountable string
}

// say tells the user something; a progress bar does not wipe it away.
func (r *run) say(format string, args ...any) { r.plan.Print(fmt.Sprintf(format, args...)) }

// Write is say for a logger, which writes one line at a time.
func (r *run) Write(line []byte) (int, error) {
	r.say("%s", bytes.TrimSuffix(line, []byte("\n")))
	return len(line), nil
}

// do goes through the run. The order of its second half is what makes the count of traces complete.
func (r *run) do(ctx context.Context) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := r.startTelemetry(ctx); err != nil {
		return nil, err
	}
	var summary *rollout.Summary
	servers, runErr := r.startServers(ctx, cancel)
	if runErr == nil {
		summary, runErr = r.collect(ctx, cancel, servers)
	}

	defer onSignals(r.signals, func() { r.say("\nAlready stopping: servers hand out their last traces.") })()
	ctx = context.WithoutCancel(ctx)
	if servers != nil {
		if err := servers.Stop(ctx); err != nil {
			r.say("%v", err)
		}
	}
	flushErr := r.stopTelemetry(ctx)
	r.tell(r.last, true)
	if summary == nil {
		return nil, errors.Join(runErr, flushErr)
	}
	result, countErr := r.result(summary)
	return result, errors.Join(runErr, flushErr, countErr)
}

// startTelemetry decides about telemetry, writes the decision into the environment that the servers inherit, and sets
// this process up.
func (r *run) startTelemetry(ctx context.Context) error {
	r.Stages.Begin(fleet.StageInitTelemetry)
	settings := telemetry.ParseSettings(r.graph.Telemetry())
	if r.Traces != "" {
		if err := r.startReceiver(ctx); err != nil {
			return err
		}
		for _, replaced := range telemetry.Receive(telemetry.OS, r.receiver.Endpoint()) {
			r.say("Traces of this run go to %s; not used: %s", r.Traces, replaced)
		}
	}
	if r.Fused {
		telemetry.Gather(telemetry.OS, 1+len(r.graph.Instances))
	}
	r.nameRun()
	decision := settings.Export(telemetry.OS)
	for _, warning := range decision.Warnings {
		r.say("%s", warning)
	}
	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
	if err != nil {
		r.say("%v", err)
	}
	r.handle = handle
	r.note = tracesNote(decision, err, handle.Tracing())
	r.uncountable = uncountable(handle.Tracing())
	r.plan.Trace(handle.Tracing(), telemetry.SingleTrace())
	r.id = decision.RunID
	r.tell(r.plan.Progress(), false)
	return nil
}

// startServers starts the fleet, or takes one that runs. One interrupt cancels it: no rollout has begun.
func (r *run) startServers(ctx context.Context, cancel context.CancelCauseFunc) (running, error) {
	if r.Head != "" {
		return elsewhere{r.graph}, nil
	}
	defer onSignals(r.signals, func() {
		r.say("\nStopping: no rollout has begun.")
		cancel(ErrInterrupted)
	})()
	servers, err := fleet.Start(carrier.FromEnv(ctx), fleet.Options{
		Graph: r.graph, Command: r.Command, Implementations: r.Implementations, SearchDirs: r.SearchDirs,
		MaxRestarts: r.MaxRestarts, Fused: r.Fused, Builders: r.Builders,
		LogDir: r.LogDir, Stdout: r.Stdout, Stderr: r.serverLog(),
		Notice: func(text string) { r.say("%s", text) }, Stages: r.Stages.List(),
	})
	if err != nil {
		return nil, interruptedOr(ctx, err)
	}
	return servers, nil
}

// collect runs the plan while it watches the servers and the user.
func (r *run) collect(ctx context.Context, cancel context.CancelCauseFunc, servers running) (*rollout.Summary, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // before the plan empties the files of an earlier run
	}
	drained := time.NewTimer(drainTime)
	drained.Stop()
	var watch sync.WaitGroup
	defer watch.Wait()
	done := make(chan struct{})
	defer close(done)
	watch.Go(func() {
		select {
		case <-servers.Done():
			cancel(servers.Err())
		case <-drained.C:
			cancel(ErrInterrupted)
		case <-done:
		}
	})
	defer onSignals(r.signals, func() {
		r.say("\nStopping: no new rollouts; running ones may finish for %v. Interrupt again to cancel them.", drainTime)
		r.plan.Drain()
		drained.Reset(drainTime)
	}, func() {
		cancel(ErrInterrupted)
	})()

	client := wire.NewClient(r.client(servers))
	defer client.Close()
	summary, err := r.plan.Run(carrier.FromEnv(ctx), client)
	if died := servers.Err(); died != nil {
		return summary, died
	}
	if err == nil && stopped(ctx, summary) {
		err = ErrInterrupted
	}
	return summary, interruptedOr(ctx, err)
}

// stopped says that the user kept a run from doing all of its work: some rollout, or the aggregation after them.
func stopped(ctx context.Context, s *rollout.Summary) bool {
	return s.Interrupted || s.AggregateErr != nil && errors.Is(context.Cause(ctx), ErrInterrupted)
}

// interruptedOr gives the cause of a cancelled run in the place of the error that the cancelling led to.
func interruptedOr(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

func (r *run) serverLog() io.Writer {
	if r.Verbose {
		return r.Stderr
	}
	return nil
}

// progress is where the collector tells how far it is. A bar would be torn by the servers' logs, so beside them there are
// only lines: the collector draws a bar on an [os.File] alone.
func (r *run) progress() io.Writer {
	if r.Verbose {
		return struct{ io.Writer }{r.Stderr}
	}
	return r.Stderr
}

// stopTelemetry flushes this process, then drains and closes the receiver: the servers have flushed already.
func (r *run) stopTelemetry(ctx context.Context) error {
	budget := flushBudget
	if r.receiver != nil {
		budget = receiverBudget
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	if err := r.handle.Shutdown(ctx); err != nil {
		r.say("Not all traces of this process were delivered: %v", err)
		r.note += "; not all were delivered"
	}
	if r.receiver == nil {
		return nil
	}
	return r.receiver.Shutdown(ctx)
}

// result counts the traces, or says where they went.
func (r *run) result(summary *rollout.Summary) (*Result, error) {
	result := &Result{Summary: summary}
	if r.receiver == nil {
		result.TracesNote = r.note
		return result, nil
	}
	count, err := CountTraces(r.Traces, r.earlier)
	count.Uncountable = r.uncountable
	result.Traces = &count
	return result, err
}

// tracesNote says where traces go, from what was decided and what came of it.
func tracesNote(d telemetry.Decision, setup error, tracing bool) string {
	switch {
	case setup != nil:
		return "none: telemetry could not be set up"
	case d.Enabled && !tracing:
		return "none: traces are switched off"
	}
	return d.Note()
}

// uncountable says why traces cannot be told by rollout, "" when they can. It must be asked while groups are still on.
func uncountable(tracing bool) string {
	switch {
	case !tracing:
		return "traces cannot be counted by rollout: telemetry is off"
	case telemetry.Rollout.Enabled():
		return ""
	}
	return fmt.Sprintf("traces cannot be counted by rollout: the group %q is off (span groups: %q)",
		telemetry.Rollout.Name(), lens.CurrentState().Spec)
}
