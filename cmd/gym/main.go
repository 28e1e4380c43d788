// Command gym collects rollouts: it starts the servers of a configuration, runs every task through them, and writes
// results, aggregates and, on request, traces.
//
//	gym demo                     three small environments, end to end, nothing to prepare
//	gym eval run --config ...    your own configuration and tasks
//	gym version
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/gym/eval"
)

func main() {
	err := newRoot().ExecuteContext(context.Background())
	os.Exit(exitCode(err))
}

// exitCode prints an error that was not shown yet and maps it: see gym/eval for the meaning of the codes.
func exitCode(err error) int {
	var status exitStatus
	switch {
	case err == nil:
		return eval.ExitOK
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(os.Stderr, "gym:", err)
	var usage usageError
	if errors.As(err, &usage) {
		return eval.ExitUsage
	}
	return eval.ExitFailed
}

// exitStatus ends the program with a code when everything has been said already.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a mistake in the command line.
type usageError struct{ error }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "gym",
		Short: "Collect rollouts; one rollout is one trace",
		Long: "Gym starts agent, model and resources servers as separate processes, runs every task through them,\n" +
			"and writes the results. With tracing on, one rollout is one trace across all of them.",
		Version: versionLine(),
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		// Errors are printed once, by main.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath())}
	})
	evalCmd := &cobra.Command{
		Use:   "eval",
		Short: "Evaluate: collect rollouts",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	evalCmd.AddCommand(newEvalRun())
	root.AddCommand(newDemo(), evalCmd, newServe(), newVersion())
	root.Flags().Bool("version", false, "print the version and exit")
	root.SetVersionTemplate("{{.Version}}\n")
	return root
}

// noArgs refuses positional arguments as a usage error, with the verb that was perhaps meant.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown argument %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usageError{fmt.Errorf("%s\nSee '%s --help'", text, cmd.CommandPath())}
}
