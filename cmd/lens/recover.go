package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
)

func newRecover() *cobra.Command {
	var dir string
	var anywhere bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "Send what ended programs have left in their spool",
		Long: "A program with a spool (NEMO_LENS_SPOOL=1) keeps on disk what its collector does not take. The next one that sends to the\n" +
			"same endpoint takes that over by itself; this command does it when there is none. What living programs keep is theirs.\n\n" +
			"Of a program with start records (NEMO_LENS_START_RECORDS=1) that was killed it also sends the spans that were in memory. Those\n" +
			"that were open are marked with nemo.span.truncated, and counted.\n\n" +
			"It sends to the endpoint that OTEL_EXPORTER_OTLP_* names. What was meant for another endpoint, or had other headers, stays,\n" +
			"unless --anywhere is given.\n\n" +
			"It exits with 0 when nothing is left, with 1 when something is, or the collector has refused something, and with 2 for a\n" +
			"wrong command line.",
		Example: "  lens recover\n" +
			"  OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318 lens recover --anywhere",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit <= 0 {
				return cli.Usage(cmd, fmt.Errorf("--timeout is %v; it must be above 0", limit))
			}
			return recoverSpool(cmd, dir, anywhere, limit)
		},
	}
	cmd.Flags().StringVar(&dir, "spool-dir", "", "`folder` of the spool (default NEMO_LENS_SPOOL_DIR, else nemo-lens/spool in the user's state folder)")
	cmd.Flags().BoolVar(&anywhere, "anywhere", false, "send to the endpoint of the environment also what was meant for another")
	cmd.Flags().DurationVar(&limit, "timeout", time.Minute, "`time` for all of it; what is not sent by then stays")
	return cmd
}

// plural says a number of things.
func plural(n uint64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
