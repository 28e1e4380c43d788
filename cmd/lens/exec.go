package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/cmd/internal/child"
	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

// execService is the service.name of commands that are given none.
const execService = "lens-exec"

// wrapped is a call of exec.
type wrapped struct {
	service, name string
	strict        bool
	timeout       time.Duration
}

func newExec() *cobra.Command {
	var w wrapped
	cmd := &cobra.Command{
		Use:   "exec [flags] [--] COMMAND [ARGUMENT...]",
		Short: "Run a command inside a span",
		Long: "Runs a command on the same input and outputs, with a span around it. The span is below the one in TRACEPARENT, TRACESTATE\n" +
			"and BAGGAGE, and the command finds its own span in these, so that what it tells is below that. Signals go to the command.\n\n" +
			"The span has the command's name without its folder, its process id, and how it ended. Arguments and environment are never\n" +
			"on it: they may hold secrets. It goes where NEMO_LENS_EXPORTER and OTEL_* say, whether NEMO_LENS_ENABLED is set or not.\n\n" +
			"It exits as the command does: with 128 and the number of the signal when one killed it, with 127 when there is no such\n" +
			"command, and 126 when it cannot be run. A span that cannot be sent is said on standard error, and changes nothing; with\n" +
			"--strict the exit code is 2 then, unless the command failed itself, and nothing is run when it is known before.\n" +
			"It is 2 for a wrong command line too.",
		Example: "  lens exec -- make test\n" +
			"  lens exec --name nightly --service ci --strict -- ./nightly.sh --token \"$TOKEN\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage(cmd, errors.New("name a command, such as: lens exec -- make test"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if w.timeout <= 0 {
				return cli.Usage(cmd, fmt.Errorf("--timeout is %v; it must be above 0", w.timeout))
			}
			return w.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the command is the command's
	f.StringVar(&w.name, "name", "", "`name` of the span (default: the command's)")
	f.StringVar(&w.service, "service", "", "service.name of the span, a `name` (default: that of OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES, else "+execService+")")
	f.BoolVar(&w.strict, "strict", false, "exit with 2 when the span cannot be sent")
	f.DurationVar(&w.timeout, "timeout", 5*time.Second, "`time` that sending may take when the command has ended")
	return cmd
}

func (w *wrapped) run(cmd *cobra.Command, args []string) error {
	ctx := carrier.FromEnv(cmd.Context())
	command := filepath.Base(args[0])
	h, err := w.open(ctx)
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "lens: no span for %s: %v\n", command, err)
		if w.strict {
			return cli.ExitStatus(exitExport)
		}
	}
	end := w.span(ctx, args)
	if end.Err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "lens: cannot run %s: %v\n", args[0], end.Err)
	}
	if err := w.close(ctx, h); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "lens: the span of %s was not sent: %v\n", command, err)
		if w.strict && end.Ok() {
			return cli.ExitStatus(exitExport)
		}
	}
	if !end.Ok() {
		return cli.ExitStatus(end.Code)
	}
	return nil
}

// span runs the command inside its span.
func (w *wrapped) span(ctx context.Context, args []string) child.End {
	command := filepath.Base(args[0])
	name := cmp.Or(w.name, command)
	//lensvet:ignore spanname a span is named after its command, or by whoever runs it
	ctx, span := lens.StartWith(ctx, name, lens.StartConfig{Kind: lens.Client})
	defer span.End()
	span.Str(semconv.ProcessName, command)
	run := exec.Command(args[0], args[1:]...)
	carrier.SetEnv(ctx, run)
	end := child.Run(run)
	if end.PID > 0 {
		span.Int(semconv.ProcessPID, end.PID)
	}
	span.Int(semconv.ProcessExitCode, end.Code)
	if !end.Ok() && span.Recording() {
		span.Str(semconv.ErrorType, errorType(end)).Fail(end.String())
	}
	return end
}

// errorType is a word for how a command failed.
func errorType(end child.End) string {
	switch {
	case end.Err != nil:
		return "not_started"
	case end.Signal != "":
		return "signal"
	}
	return "exit_code"
}

// open sets telemetry up for the span alone.
func (w *wrapped) open(ctx context.Context) (*telemetry.Handle, error) {
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		return nil, err
	}
	c.Enabled, c.TracesEnabled, c.MetricsEnabled, c.LogsEnabled = true, true, false, false
	c.ServiceName, c.SpanGroups = w.service, "" // the span belongs to no group
	if c.ServiceName == "" {
		c.ServiceName = telemetry.ServiceName(execService)
	}
	return telemetry.Setup(ctx, c, telemetry.WithLogger(logger(false)), telemetry.WithoutReport())
}

// close sends the span.
func (w *wrapped) close(ctx context.Context, h *telemetry.Handle) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		return err
	}
	if s := h.Stats(); s.Failed+s.Dropped > 0 {
		return errors.New("the exporter gave it back")
	}
	return nil
}
