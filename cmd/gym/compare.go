package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/results"
)

func newEvalCompare() *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs task by task, the worst regression first",
		Long: "A and B are files of results, or folders that hold one run each. For each task that both have, the mean reward\n" +
			"and pass@k of B minus those of A, where k is the most scored rollouts that both have of a task.",
		Example: "  gym eval compare before/results.jsonl after/results.jsonl",
		Args:    exactly(2, "two runs: the one before and the one after"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Usage(cmd, fmt.Errorf("--limit is %d; it must be 0 (all tasks) or more", limit))
			}
			a, err := results.Locate(args[0])
			if err != nil {
				return err
			}
			b, err := results.Locate(args[1])
			if err != nil {
				return err
			}
			c, err := results.Compare(a, b)
			if err != nil {
				return err
			}
			if asJSON {
				return c.WriteJSON(cmd.OutOrStdout())
			}
			return c.WriteText(cmd.OutOrStdout(), limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "show the first `n` tasks (0: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every task as one JSON document")
	return cmd
}
