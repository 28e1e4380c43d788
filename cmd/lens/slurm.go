package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
)

// Stages of a launch by Slurm.
const (
	stageBatch = "sbatch"
	stageTask  = "task"
)

func newSLURM() *cobra.Command {
	var stage, image string
	cmd := &cobra.Command{
		Use:   "set-slurm-resource-attrs --stage sbatch|task",
		Short: "Hand a Slurm job's identity to its programs, by a line for eval",
		Long: "Prints one line, 'export OTEL_RESOURCE_ATTRIBUTES=...', for the shell to evaluate: what the variable says already, and what\n" +
			"is missing of the job. Programs that no longer see Slurm's variables, as in a container, still know their job by it.\n\n" +
			"The batch script runs it with --stage sbatch, and has no slurm.topology.*, which mean nothing there. Each task runs it\n" +
			"with --stage task, which adds host.name and, on request, nv.dl.launch.container.image.\n\n" +
			"It exits with 0; with 2 for a wrong command line, and prints nothing then.",
		Example: "  eval \"$(lens set-slurm-resource-attrs --stage sbatch)\"\n" +
			"  eval \"$(lens set-slurm-resource-attrs --stage task --container-image \"$IMAGE\")\"",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case stage != stageBatch && stage != stageTask:
				return cli.Usage(cmd, fmt.Errorf("--stage is %q; it must be sbatch or task", stage))
			case image != "" && stage != stageTask:
				return cli.Usage(cmd, errors.New("--container-image goes with --stage task only: the batch script runs in no container"))
			}
			text, err := slurmAttributes(stage, image)
			if err != nil && text == "" {
				return err
			}
			if err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "lens:", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "export OTEL_RESOURCE_ATTRIBUTES=%s\n", shellQuote(text))
			return nil
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "", "the `stage` of the launch: sbatch or task")
	cmd.Flags().StringVar(&image, "container-image", "", "`image` of the task's container")
	return cmd
}

// shellQuote writes text so that a POSIX shell reads it as one word.
func shellQuote(text string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	if text != "" && strings.TrimFunc(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
}
