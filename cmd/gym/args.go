package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
)

// overrides refuses arguments that are no overrides.
func overrides(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil && !config.IsOverride(arg) {
			return cli.Usage(cmd, fmt.Errorf("unknown argument %q for %q: arguments are KEY=VALUE, files are given with flags", arg, cmd.CommandPath()))
		}
		if !config.IsOverride(arg) {
			return cli.NoArgs(cmd, []string{arg})
		}
		if err := config.ParseOverride(arg); err != nil {
			return cli.Usage(cmd, err)
		}
	}
	return nil
}

// exactly asks for so many arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return between(n, n, what)
}

func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return cli.Usage(cmd, fmt.Errorf("%d arguments were given; it takes %s", len(args), what))
		}
		return nil
	}
}
