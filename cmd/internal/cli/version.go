package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/internal/version"
)

// VersionCommand is the verb that prints what this binary was built from.
func VersionCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the revision it was built from, and the Go version",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version.Line(name))
			return err
		},
	}
}
