package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the revision it was built from, and the Go version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return nil
		},
	}
}

// versionLine says what this binary was built from, as far as the build recorded it.
func versionLine() string {
	version, revision, dirty, when := "devel", "unknown revision", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				if s.Value == "true" {
					dirty = ", modified"
				}
			case "vcs.time":
				when = ", " + s.Value
			}
		}
	}
	return fmt.Sprintf("gym %s (%s%s%s) %s %s/%s", version, revision, dirty, when, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
