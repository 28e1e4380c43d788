package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/demo"
	"github.com/lensgo/lens/gym/eval"
)

func newDemo() *cobra.Command {
	var o demo.Options
	var asJSON, view, noView bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Collect 120 rollouts in three small environments, each one trace; needs nothing else",
		Long: "Writes three data sets of 20 tasks and a configuration, starts the servers, collects two rollouts of\n" +
			"every task, and writes results and traces. A built-in model answers: no GPU, no network, no key.\n" +
			"In a terminal it then serves a page that shows the rollouts, until Ctrl-C.",
		Example: "  gym demo\n  gym demo --output-dir /tmp/demo --json",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Standard output is for the summary alone.
			o.Interrupts, o.Stdout, o.Stderr = interrupts, os.Stderr, os.Stderr
			if view && noView {
				return cli.Usage(cmd, errors.New("--view and --no-view contradict each other: give one of them"))
			}
			page := view || isTerminal() && !noView && !asJSON
			out := standardOutput(asJSON)
			var watch beside
			o.Sink = func(dir string) (eval.Sink, error) {
				watch = besideRun(dir, filepath.Join(dir, demo.ResultsFile), page)
				return watch.open(cmd.Context())
			}
			o.Watch = func(p eval.Progress) { watch.watch(p) }
			result, _, err := demo.Run(cmd.Context(), o)
			err = finish(out, asJSON, result, err)
			return errors.Join(err, watch.finish(cmd.Context(), os.Stdout, result != nil))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "output-dir", "", "`folder` to write (default: a new one in gym-demo; nothing is overwritten)")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	f.BoolVar(&view, "view", false, "serve the page during the run and after it, until Ctrl-C")
	f.BoolVar(&noView, "no-view", false, "never serve the page, in a terminal either")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}
