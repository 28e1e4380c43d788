package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// VersionCommand is the verb that prints [Version].
func VersionCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the revision it was built from, and the Go version",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), Version(name))
			return err
		},
	}
}

// Version says what this binary was built from, as far as the build recorded it.
func Version(name string) string {
	b := build{version: "devel", revision: "unknown revision"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return fmt.Sprintf("%s %s (%s%s%s) %s %s/%s", name, b.version, b.revision, b.dirty, b.when, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type build struct{ version, revision, dirty, when string }

func (b *build) read(info *debug.BuildInfo) {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			b.dirty = ", modified"
		case s.Key == "vcs.time":
			b.when = ", " + s.Value
		}
	}
}

// Release is the version alone, with the revision of a build that is no release.
func Release() string {
	b := build{version: "devel"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	if b.version == "devel" && b.revision != "" {
		return b.version + " " + b.revision
	}
	return b.version
}
