package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/viewer/ingest"
)

// flushBudget bounds how long this process may take to hand out its last spans, and the receiver to write them.
const flushBudget = 5 * time.Second

// Options describe a run.
type Options struct {
	// ConfigPaths are the configuration files; later ones win. Overrides win over all of them.
	ConfigPaths []string
	Overrides   config.Overrides
	// Rollout says which rows to run and how. Graph, Traced, SingleTrace and Progress are filled in by Run.
	Rollout rollout.Options
	// Traces is the file that the run's own receiver writes. Empty: no receiver, telemetry settings decide.
	Traces string
	// LogDir receives one log file a server. Empty: only the last lines are kept, for error messages.
	LogDir string
	// Verbose shows the servers' logs.
	Verbose bool
	// Command starts a server, see [fleet.Options].
	Command []string
	// Signals are the user's interrupts: the first lets running rollouts finish, the second cancels them. Nil: none.
	Signals <-chan os.Signal
	// Stdout receives what the servers print on standard output (the console exporter). Stderr receives progress and
	// what a user should know. Nil discards.
	Stdout, Stderr io.Writer
}

// Result is what a run left behind.
type Result struct {
	Summary *rollout.Summary
	// Traces is nil when no receiver ran; TracesNote then says where traces went, or that telemetry is off.
	Traces     *Traces
	TracesNote string
}

// Run collects rollouts from beginning to end. The result is not nil as soon as rollouts have begun, also with an error:
// what was finished is on disk and counted. An error that wraps [ErrInterrupted] says that the user stopped the run.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	graph, err := config.Load(o.ConfigPaths, o.Overrides)
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, graph: graph}
	r.Rollout.Graph, r.Rollout.Progress = graph, o.Stderr
	if r.plan, err = rollout.Prepare(r.Rollout); err != nil {
		return nil, err
	}
	for _, note := range r.plan.Notes() {
		fmt.Fprintln(o.Stderr, note)
	}
	return r.do(ctx)
}

// run is the state of one call of Run.
type run struct {
	Options
	graph    *config.Graph
	plan     *rollout.Plan
	receiver *ingest.Receiver
	decision telemetry.Decision
	// uncountable says why traces cannot be counted by rollout.
	uncountable string
	handle      interface{ Shutdown(context.Context) error }
}

func (r *run) do(ctx context.Context) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopWatch := interrupts(r.Signals, r.Stderr, r.plan.Drain, cancel)
	defer stopWatch()

	if err := r.startTelemetry(ctx); err != nil {
		return nil, err
	}
	summary, runErr := r.collect(ctx, cancel)
	flushErr := r.stopTelemetry(context.WithoutCancel(ctx))
	if summary == nil {
		return nil, runErr
	}
	result, countErr := r.result(summary)
	return result, errors.Join(runErr, flushErr, countErr)
}

// startTelemetry decides about telemetry, writes the decision into the environment that the servers inherit, and sets
// this process up.
func (r *run) startTelemetry(ctx context.Context) error {
	settings := telemetry.ParseSettings(r.graph.Telemetry())
	if r.Traces != "" {
		if err := r.startReceiver(ctx); err != nil {
			return err
		}
		for _, replaced := range telemetry.Receive(telemetry.OS, r.receiver.Endpoint()) {
			fmt.Fprintf(r.Stderr, "Traces of this run go to %s; not used: %s\n", r.Traces, replaced)
		}
	}
	r.decision = settings.Export(telemetry.OS)
	for _, warning := range r.decision.Warnings {
		fmt.Fprintln(r.Stderr, warning)
	}
	handle, err := telemetry.Setup(ctx, telemetry.Supervisor())
	if err != nil {
		fmt.Fprintln(r.Stderr, err)
	}
	r.handle = handle
	r.uncountable = uncountable(r.decision)
	r.plan.Trace(handle.Exporting(), telemetry.SingleTrace())
	return nil
}

func (r *run) startReceiver(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(r.Traces), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of the trace file: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot bind a port for the trace receiver: %w", err)
	}
	if r.receiver, err = ingest.Start(context.WithoutCancel(ctx), l, ingest.Config{Path: r.Traces}); err != nil {
		l.Close()
		return err
	}
	return nil
}

// collect starts the fleet, runs the plan and stops the fleet again.
func (r *run) collect(ctx context.Context, cancel context.CancelCauseFunc) (*rollout.Summary, error) {
	ctx = lens.Extract(ctx, traceparentOf(os.Getenv))
	servers, err := fleet.Start(ctx, fleet.Options{
		Graph: r.graph, Command: r.Command, LogDir: r.LogDir, Stdout: r.Stdout, Stderr: r.serverLog(),
	})
	if err != nil {
		return nil, interruptedOr(ctx, err)
	}
	defer servers.Stop(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	defer func() { <-watched }()
	ctx, done := context.WithCancel(ctx)
	defer done()
	go func() {
		defer close(watched)
		select {
		case <-servers.Done():
			cancel(servers.Err())
		case <-ctx.Done():
		}
	}()

	client := wire.NewClient(wire.ClientOptions{Servers: servers.Servers()})
	defer client.Close()
	summary, err := r.plan.Run(ctx, client)
	if died := servers.Err(); died != nil {
		return summary, died
	}
	if err == nil && summary.Interrupted {
		err = ErrInterrupted
	}
	return summary, interruptedOr(ctx, err)
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

// stopTelemetry flushes this process, then drains and closes the receiver: the servers have flushed already.
func (r *run) stopTelemetry(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushBudget)
	defer cancel()
	if r.handle != nil {
		if err := r.handle.Shutdown(ctx); err != nil {
			fmt.Fprintf(r.Stderr, "Not all traces of this process were delivered: %v\n", err)
		}
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
		result.TracesNote = r.decision.Note()
		return result, nil
	}
	count, err := CountTraces(r.Traces)
	count.Uncountable = r.uncountable
	result.Traces = &count
	return result, err
}

// uncountable says why traces cannot be told by rollout, "" when they can. It must be asked while groups are still on.
func uncountable(d telemetry.Decision) string {
	switch {
	case telemetry.Rollout.Enabled():
		return ""
	case !d.Enabled:
		return "traces cannot be counted by rollout: telemetry is off"
	}
	return fmt.Sprintf("traces cannot be counted by rollout: the group %q is off (span groups: %q)",
		telemetry.Rollout.Name(), lens.CurrentState().Spec)
}

// traceparentOf reads the trace context that a parent process handed down in the environment.
func traceparentOf(getenv func(string) string) lens.Map {
	return lens.Map{
		"traceparent": getenv("TRACEPARENT"),
		"tracestate":  getenv("TRACESTATE"),
		"baggage":     getenv("BAGGAGE"),
	}
}
