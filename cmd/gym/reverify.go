package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/internal/printable"
)

// reverifyFlags are the flags of `gym eval reverify`.
type reverifyFlags struct {
	rollout.ReverifyOptions
	config  configFlags
	verbose bool
	logDir  string
}

func newEvalReverify() *cobra.Command {
	var f reverifyFlags
	cmd := &cobra.Command{
		Use:   "reverify [KEY=VALUE...]",
		Short: "Score the rollouts of a run again",
		Long: "Starts the servers of a configuration and posts every result, with the task that it is of, straight to /verify of\n" +
			"its resources server: no model is asked again, unless it is a judge. A server whose scores may depend on a session\n" +
			"is refused without --force. Exit codes: 0 all scored, 1 could not start or cut short, 2 usage, 3 some have no new\n" +
			"score, 130 interrupted.",
		Example: "  gym eval reverify --config config.yaml --rollouts results.jsonl --output new.jsonl\n" +
			"  gym eval reverify --config config.yaml --rollouts results.jsonl -o results.jsonl --judge-failed-only --append",
		Args: overrides,
		RunE: f.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.config.register(fs)
	fs.StringVar(&f.Rollouts, "rollouts", "", "results: a `file` that gym eval run wrote")
	fs.StringVar(&f.Inputs, "inputs", "", "materialized inputs: a `file` (default: the one beside the results)")
	fs.StringVarP(&f.Output, "output", "o", "", "results with new rewards: a `file`")
	fs.IntVar(&f.Concurrency, "concurrency", 0, "verifications at a time (0: 1024)")
	fs.IntVar(&f.Limit, "limit", 0, "only the first `n` rollouts, by task and rollout (0: all)")
	fs.DurationVar(&f.Timeout, "verify-timeout", 0, "fail a verification that takes longer, for example 2m (0: no bound)")
	fs.BoolVar(&f.Force, "force", false, "score by servers that are not stateless, into a file whose name begins with unsafe_")
	fs.BoolVar(&f.Overwrite, "overwrite", false, "empty an output that is there")
	fs.BoolVar(&f.Resume, "resume", false, "go on with an output that is there")
	fs.BoolVar(&f.JudgeFailedOnly, "judge-failed-only", false, "take over the results, and score only what failed because its judge did")
	fs.BoolVar(&f.Append, "append", false, "with --judge-failed-only: add to an output that is there, for instance the results")
	fs.BoolVar(&f.DisableAggregation, "disable-aggregation", false, "write no aggregate metrics")
	fs.StringVar(&f.logDir, "log-dir", "", "`folder` for one log file a server")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}

// run scores again what the flags say, and what the configuration says of what they do not.
func (f *reverifyFlags) run(cmd *cobra.Command, args []string) error {
	graph, err := f.config.must(cmd, args)
	if err != nil {
		return err
	}
	err = fromConfig(graph, cmd.Flags(),
		setting{"inputs", "materialized_inputs_jsonl_fpath", &f.Inputs}, setting{"rollouts", "rollouts_jsonl_fpath", &f.Rollouts},
		setting{"output", "output_jsonl_fpath", &f.Output}, setting{"limit", "limit", &f.Limit},
		setting{"concurrency", "num_samples_in_parallel", &f.Concurrency}, setting{"force", "force", &f.Force},
		setting{"overwrite", "overwrite", &f.Overwrite}, setting{"resume", "resume_from_cache", &f.Resume},
		setting{"judge-failed-only", "judge_failed_only", &f.JudgeFailedOnly}, setting{"append", "append", &f.Append},
		setting{"disable-aggregation", "disable_aggregation", &f.DisableAggregation})
	if err == nil && (f.Rollouts == "" || f.Output == "") {
		err = errors.New("--rollouts and --output are needed: the results, and the file for those with new rewards")
	}
	if err != nil {
		return cli.Usage(cmd, err)
	}
	f.Graph, f.Progress = graph, os.Stderr
	servers := serversOptions(graph, f.config.searchDirs)
	servers.Verbose, servers.LogDir = f.verbose, f.logDir
	return reverify(cmd.Context(), cmd.OutOrStdout(), f.ReverifyOptions, servers)
}

func reverify(ctx context.Context, w io.Writer, o rollout.ReverifyOptions, servers eval.ServersOptions) (err error) {
	plan, err := rollout.PrepareReverify(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	for _, note := range plan.Notes() {
		fmt.Fprintln(os.Stderr, printable.Line(note))
	}
	var s *rollout.ReverifySummary
	err = eval.WithServers(ctx, servers, func(ctx context.Context, client *wire.Client) (err error) {
		s, err = plan.Run(ctx, client)
		return err
	})
	if s != nil {
		writeReverified(w, s)
	}
	if err = interrupted(err); err != nil || s == nil {
		return err
	}
	if s.Failed+s.Discarded+s.GivenUp+s.Missing > 0 {
		return cli.ExitStatus(eval.ExitFailures)
	}
	return nil
}

func writeReverified(w io.Writer, s *rollout.ReverifySummary) {
	for _, server := range s.Unsafe {
		fmt.Fprintf(w, "the scores of %s may be wrong: they may depend on a session that is over\n", server)
	}
	for _, part := range []struct {
		n    int
		text string
	}{
		{s.Verified, "were scored"}, {s.Seeded, "were taken over as they were"}, {s.Skipped, "stood in the output before"},
		{s.Failed, "failed"}, {s.Discarded, "asked not to be kept"}, {s.GivenUp, "failed for good before, and were not scored again"},
		{s.Missing, "are missing; --resume scores them"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "%d rollouts %s\n", part.n, part.text)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(s.Classes)) {
		fmt.Fprintf(w, "%d failed with %s\n", s.Classes[class], printable.Line(class))
	}
	for _, f := range [][2]string{{"results", s.Output}, {"failures", s.FailuresFile}, {"aggregates", s.AggregateFile}} {
		if f[1] != "" {
			fmt.Fprintf(w, "%-10s %s\n", f[0], f[1])
		}
	}
	if s.AggregateErr != nil {
		fmt.Fprintf(w, "aggregates are not complete: %v\n", s.AggregateErr)
	}
}
