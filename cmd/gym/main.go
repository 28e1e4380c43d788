// Command gym collects rollouts: it starts the servers of a configuration, runs every task through them, and writes
// results, aggregates and, on request, traces.
//
//	gym demo                     three small environments, end to end, nothing to prepare
//	gym eval run --config ...    your own configuration and tasks
//	gym eval aggregate|profile   metrics of shards, of tasks
//	gym eval compare|show        two runs, one rollout
//	gym eval reverify            new scores for old rollouts
//	gym env start|status|stop    servers that stay, for gym eval run --no-serve and others
//	gym env resolve|validate     what a configuration comes to, and whether it is right
//	gym env init NAME            a new environment in Go
//	gym list                     configurations by name
//	gym version
package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	_ "github.com/lensgo/lens/telemetry/export/otlpgrpc"   // for OTEL_EXPORTER_OTLP_PROTOCOL=grpc
	_ "github.com/lensgo/lens/telemetry/export/prometheus" // for OTEL_METRICS_EXPORTER=prometheus
)

func main() { cli.Exit("gym", newRoot().ExecuteContext(context.Background())) }

func newRoot() *cobra.Command {
	root := cli.Root(&cobra.Command{
		Use:   "gym",
		Short: "Collect rollouts; one rollout is one trace",
		Long: "Gym starts agent, model and resources servers as separate processes, runs every task through them,\n" +
			"and writes the results. With tracing on, one rollout is one trace across all of them.",
	})
	evalCmd := &cobra.Command{
		Use:   "eval",
		Short: "Evaluate: collect rollouts, and look at what came of them",
		Args:  cli.NoArgs,
		RunE:  cli.Help,
	}
	evalCmd.AddCommand(newEvalRun(), newEvalAggregate(), newEvalProfile(), newEvalReverify(), newEvalCompare(), newEvalShow())
	root.AddCommand(newDemo(), evalCmd, newEnv(), newList(), newServe(), newGuard(), cli.VersionCommand("gym"))
	return root
}
