package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/gym/demo"
	"github.com/lensgo/lens/gym/eval"
)

func newDemo() *cobra.Command {
	var o demo.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Collect 120 rollouts in three small environments, each one trace; needs nothing else",
		Long: "Writes three data sets of 20 tasks and a configuration, starts the servers, collects two rollouts of\n" +
			"every task, and writes results and traces. A built-in model answers: no GPU, no network, no key.",
		Example: "  gym demo\n  gym demo --output-dir /tmp/demo --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signals, stop := interrupts()
			defer stop()
			// Standard output is for the summary alone, so that --json is one JSON document.
			o.Signals, o.Stdout, o.Stderr = signals, os.Stderr, os.Stderr
			result, dir, err := demo.Run(cmd.Context(), o)
			return finish(cmd, result, err, report{asJSON: asJSON, dir: dir})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "output-dir", "", "folder to write (default gym-demo/<UTC time>; nothing is overwritten)")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}

// report says how to print a run's outcome.
type report struct {
	asJSON bool
	dir    string // of a demo, "" otherwise
}

// finish prints what a run left behind and turns it into the exit code.
func finish(cmd *cobra.Command, result *eval.Result, err error, how report) error {
	out := cmd.OutOrStdout()
	if result != nil {
		var printErr error
		if how.asJSON {
			printErr = eval.WriteJSON(out, result)
		} else {
			printErr = eval.WriteText(out, result)
		}
		if printErr != nil && err == nil {
			err = fmt.Errorf("cannot print the summary: %w", printErr)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gym:", err)
	}
	if code := eval.ExitCode(result, err); code != eval.ExitOK {
		return exitStatus(code)
	}
	return nil
}
