package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/cmd/internal/doctor"
)

// prefixForm is what the prefix of variables can be.
var prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func newDoctor() *cobra.Command {
	var o doctor.Options
	var asJSON, still bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say why telemetry does not arrive",
		Long: "Reads the environment as a program does that is started here, and prints what it makes of it and from which variable each setting\n" +
			"comes. Then it sends one span, one data point and one log record, of the signals that are on, by the exporter of programs, once and\n" +
			"past the spool. What is wrong is said in sentences, with what would mend it.\n\n" +
			"No value of a header is printed, and of an endpoint no user, password or value of its query.\n\n" +
			"It exits with 0 when what a program records would arrive, with 1 when there is a problem, of which one is that telemetry is off, and\n" +
			"with 2 for a wrong command line. With --json it prints one document; docs/doctor.md has its keys.",
		Example: "  lens doctor\n" +
			"  lens doctor --prefix NEMO_GYM_OTEL\n" +
			"  lens doctor --no-send --json",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Timeout <= 0:
				return cli.Usage(cmd, fmt.Errorf("--timeout is %v; it must be above 0", o.Timeout))
			case !prefixForm.MatchString(o.Prefix):
				return cli.Usage(cmd, fmt.Errorf("--prefix is %q; it must be what variables begin with, such as NEMO_LENS", o.Prefix))
			}
			o.Send = !still
			return examine(cmd, o, asJSON)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Prefix, "prefix", doctor.DefaultPrefix, "what the program's variables begin with, a `name`; those of NEMO_LENS count where it has none")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	f.BoolVar(&still, "no-send", false, "send nothing")
	f.DurationVar(&o.Timeout, "timeout", 10*time.Second, "`time` for all of it")
	return cmd
}

func examine(cmd *cobra.Command, o doctor.Options, asJSON bool) error {
	log.SetOutput(io.Discard) // the SDK writes there what the report says
	report, err := doctor.Examine(cmd.Context(), o)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		err = report.WriteJSON(out)
	} else {
		err = report.WriteText(out, term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "")
	}
	if err == nil && !report.OK {
		return cli.ExitStatus(cli.ExitFailed)
	}
	return err
}
