// Command lens shows what programs tell about themselves: it receives OpenTelemetry data, keeps it, and serves a page.
//
//	lens view                    receive, keep, and serve the page
//	lens view traces.jsonl       the same, with a file read in first
//	lens traces ls|show|tail     the same queries in a terminal
//	lens export                  write traces for other tools: OTLP, Perfetto, CSV
//	lens groups ./cmd/server     what a program can turn on, from its source
//	lens check SPEC ./cmd/server what a spec would turn on in it
//	lens emit-spans              spans of what a script has timed
//	lens exec -- make            run a command inside a span
//	lens set-slurm-resource-attrs hand the identity of a Slurm job to its programs
//	lens recover                 send what ended programs have left on disk
//	lens doctor                  say why telemetry does not arrive
//	lens version
package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	_ "github.com/lensgo/lens/telemetry/export/otlpgrpc" // for OTEL_EXPORTER_OTLP_PROTOCOL=grpc
)

func main() { cli.Exit("lens", newRoot().ExecuteContext(context.Background())) }

func newRoot() *cobra.Command {
	root := cli.Root(&cobra.Command{
		Use:   "lens",
		Short: "See what your programs tell about themselves",
		Long: "Lens receives OpenTelemetry data from any program, keeps it in a folder, and serves a page over it: in this one\n" +
			"binary, on this machine. It also emits spans of commands and scripts, and says what a program can turn on, and why\n" +
			"nothing arrives from it.",
	})
	root.AddCommand(newView(), newTraces(), newExport(), newGroups(), newCheck(), newEmit(), newExec(), newSLURM(), newRecover(), newDoctor(), cli.VersionCommand("lens"))
	return root
}
