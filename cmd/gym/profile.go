package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/internal/printable"
)

func newEvalProfile() *cobra.Command {
	var o results.ProfileOptions
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Write how each task of a run was rewarded",
		Long: "Beside results.jsonl, results_reward_profiling.jsonl gets one line a task: the statistics of its rollouts and the\n" +
			"task itself; results_agent_metrics.json gets the statistics of each agent. No server is started.",
		Example: "  gym eval profile --rollouts results.jsonl",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Rollouts == "" {
				return cli.Usage(cmd, errors.New("--rollouts is missing: name the file of results"))
			}
			p, err := results.Profile(o)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			for _, note := range p.Notes {
				fmt.Fprintf(w, "note: %s\n", printable.Line(note))
			}
			_, err = fmt.Fprintf(w, "%d tasks, %d of %d rollouts\nwrote %s\nwrote %s\n", p.Tasks, p.Rollouts, p.Expected, p.Profile, p.AgentMetrics)
			return err
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.Rollouts, "rollouts", "", "results: a `file` that gym eval run wrote")
	fs.StringVar(&o.Inputs, "inputs", "", "materialized inputs: a `file` (default: the one beside the results)")
	fs.BoolVar(&o.Partial, "allow-partial-rollouts", false, "profile what is there; tasks without a result are left out")
	return cmd
}
