// Package cli is what the commands of this module share: how errors become exit codes, what counts as a usage error, and what
// a binary says about itself. Commands stay thin: flags in, one call, exit code out.
package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/internal/version"
)

// Exit codes that every command has.
const (
	ExitOK     = 0
	ExitFailed = 1 // it could not do what it was asked
	ExitUsage  = 2 // the command line was wrong
)

// ExitStatus is an error that ends the program with a code when everything has been said already.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage makes err a usage error of a command, and says where its help is.
func Usage(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath())}
}

// NoArgs refuses positional arguments, with the verb that was perhaps meant.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown argument %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return Usage(cmd, errors.New(text))
}

// Root prepares a root command: errors are printed once, by [Exit]; a wrong flag is a usage error; --version works.
func Root(root *cobra.Command) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Args = NoArgs
	root.RunE = Help
	root.Version = version.Line(root.Name())
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version and exit")
	root.SetFlagErrorFunc(flagError)
	return root
}

// Help prints the help of a command that only holds others.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// Exit ends the program: it prints an error that was not shown yet after the program's name, and maps it to a code.
func Exit(name string, err error) {
	var status ExitStatus
	switch {
	case err == nil:
		os.Exit(ExitOK)
	case errors.As(err, &status):
		os.Exit(int(status))
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	if _, ok := errors.AsType[usageError](err); ok {
		os.Exit(ExitUsage)
	}
	os.Exit(ExitFailed)
}
