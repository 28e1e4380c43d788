package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/results"
)

func newEvalShow() *cobra.Command {
	var limit int
	var full bool
	cmd := &cobra.Command{
		Use:   "show RUN [TASK:ROLLOUT]",
		Short: "Show a run's rollouts, or one of them as text",
		Long: "RUN is a file of results, or a folder that holds one run. Alone it lists the rollouts; with one of them it prints\n" +
			"what was asked, what was said and called, and what it was worth or why it failed. A rollout may also be named\n" +
			"as traces name it: 3-1, or 3-1-a2 for its third attempt. Control characters are shown as escapes.",
		Example: "  gym eval show results.jsonl\n  gym eval show results.jsonl 3:1",
		Args:    between(1, 2, "a run, and perhaps a rollout of it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Usage(cmd, fmt.Errorf("--limit is %d; it must be 0 (all rollouts) or more", limit))
			}
			var target results.Target
			if len(args) == 2 {
				var err error
				if target, err = results.ParseTarget(args[1]); err != nil {
					return cli.Usage(cmd, err)
				}
			}
			files, err := results.Locate(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return results.List(cmd.OutOrStdout(), files, limit)
			}
			one, err := results.Load(files, target.Key)
			if err != nil {
				return err
			}
			return one.WriteText(cmd.OutOrStdout(), target.Attempt, full)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "list the first `n` rollouts (0: all)")
	cmd.Flags().BoolVar(&full, "full", false, "cut no text, however long")
	return cmd
}
